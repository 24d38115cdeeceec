import type { McpToolsetEntity, StoredToolsetMember } from '@gw/entities';
import {
  mayUseServer,
  judgeAccess,
  LISTED_TYPES,
  mapMembers,
  MCP_SCOPE,
  own,
  shownTool,
  type AccessCaller,
  type JsonObject,
  type ListedType,
  type MappedName,
} from '@gw/mcp';
import { listWithMoreOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { textOf } from '../../platform/mcp/mcp-capability-lists';
import { assertMaySee, previewedCaller } from '../../platform/rows/previewed-callers';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import {
  aggregateMember,
  memberServers,
  toolOverrideOf,
  type MemberServer,
} from '../../platform/mcp/toolset-members';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import type { McpToolsetPreviewQuery } from './mcp-toolsets.dto';
import type { McpPreviewItem, McpToolsetPreviewResponse } from './mcp-toolsets.view';
import { MCP_TOOLSET, slugsOfMembers } from './toolset-rows';

/** A member of a toolset that the workspace may use. */
interface Member {
  readonly member: StoredToolsetMember;
  readonly server: MemberServer;
}

/** Shows what a user or an API key sees of a toolset, under the names that clients use. */
@Injectable()
export class ToolsetPreviewService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: ResourceReference, query: McpToolsetPreviewQuery): Promise<McpToolsetPreviewResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, MCP_TOOLSET, at);
    const caller = await previewedCaller(manager, row, query, MCP_SCOPE);
    assertMaySee(at.caller, caller.userId);
    const members = await membersOf(manager, row);
    const items = itemsOf(row, members, caller, query.type === undefined ? LISTED_TYPES : [query.type]);
    const page = pageFromZero(query);
    const start = page.current_page * page.page_size;
    return {
      ...listWithMoreOf([items.slice(start, start + page.page_size), items.length], page),
      unavailable: await unavailableOf(manager, row, members, caller),
    };
  }
}

async function membersOf(manager: EntityManager, row: McpToolsetEntity): Promise<readonly Member[]> {
  const ids = row.members.map(({ server_id }) => server_id);
  const servers = await memberServers(manager, row.workspaceId, ids);
  return row.members.flatMap((member) => {
    const server = servers(member.server_id);
    return server === undefined ? [] : [{ member, server }];
  });
}

/** Returns every item that the caller sees, in the order of clients' lists. */
function itemsOf(
  { mode }: McpToolsetEntity,
  members: readonly Member[],
  caller: AccessCaller,
  types: readonly ListedType[],
): McpPreviewItem[] {
  const map = mapMembers(
    members.map(({ member, server }) => aggregateMember(member, server)),
    { isSearched: mode === 'search' },
  );
  const bySlug = new Map(members.map((each) => [each.server.row.slug, each]));
  const definitions = new Map(members.map(({ server }) => [server.row.slug, definitionsFor(caller, server)]));
  return types.flatMap((type) =>
    [...map[type].values()].flatMap((mapped) => {
      const definition = definitions.get(mapped.server)?.get(keyOf(type, mapped.original));
      const overrides = bySlug.get(mapped.server)?.member.overrides;
      return definition === undefined ? [] : [itemOf(type, mapped, definition, overrides)];
    }),
  );
}

const keyOf = (type: ListedType, name: string): string => `${type} ${name}`;

/** Returns the definitions of the capabilities that a caller sees of a server. */
const definitionsFor = (
  caller: AccessCaller,
  { access, capabilities }: MemberServer,
): ReadonlyMap<string, JsonObject> =>
  new Map(
    capabilities
      .filter(({ type, name, definition }) => {
        const isOn = { isRead: type !== 'tool', isEnabledAtIntegration: true, isEnabledAtServer: true };
        return judgeAccess(access, { name, approved: definition, ...isOn }, caller, null).kind === 'allow';
      })
      .map(({ type, name, definition }) => [keyOf(type, name), definition]),
  );

function itemOf(
  type: ListedType,
  { shown, server, original }: MappedName,
  definition: JsonObject,
  overrides: StoredToolsetMember['overrides'] = {},
): McpPreviewItem {
  const override = Object.hasOwn(overrides, original) ? overrides[original] : undefined;
  const seen = type === 'tool' ? shownTool(definition, shown, toolOverrideOf(override ?? {})) : definition;
  return {
    ...{ type, name: shown, server, original_name: original },
    ...{ title: textOf(seen, 'title'), description: textOf(seen, 'description') },
    input_schema: own(seen, 'inputSchema') ?? null,
  };
}

/**
 * Returns the slugs of the members that are unavailable: the workspace may not use them, or they
 * have never been read. Leaves out members that the caller may not use, because a toolset must not
 * reveal servers that are closed to its callers.
 */
async function unavailableOf(
  manager: EntityManager,
  row: McpToolsetEntity,
  members: readonly Member[],
  caller: AccessCaller,
): Promise<string[]> {
  const availableIds = new Set(
    members
      .filter(({ server }) => !server.isUnread || !mayUseServer(server.access, caller))
      .map(({ member }) => member.server_id),
  );
  const slugs = await slugsOfMembers(manager, [row]);
  return row.members.flatMap(({ server_id: id }) => {
    const slug = slugs.get(id);
    return availableIds.has(id) || slug === undefined ? [] : [slug];
  });
}
