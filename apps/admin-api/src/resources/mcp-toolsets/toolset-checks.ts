import type { McpToolsetEntity, StoredToolsetMember } from '@gw/entities';
import { GatewayError, type ErrorDetail } from '@gw/kernel';
import {
  isUserAllowed,
  judgeAccess,
  MCP_SCOPE,
  memberCollisions,
  ownObject,
  type AccessCaller,
  type JsonObject,
} from '@gw/mcp';
import { validationFailed } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { NO_ONE, userCaller } from '../../platform/rows/previewed-callers';
import { aggregateMember, memberServers, type MemberServer } from '../../platform/mcp/toolset-members';
import type { McpToolsetMemberDto } from './mcp-toolsets.dto';
import { readOverrides } from './toolset-overrides';

const FAULTS_MAX = 100;
const ALIAS = /^[A-Za-z0-9_.-]{1,64}$/;
const PATTERN = /^[^*]*\*?$/;

/**
 * Checks the members of a toolset and returns them in stored form. Throws `validation_failed` for a
 * server that the workspace or the caller may not use, and for names and arguments that the server
 * does not have.
 */
export async function checkedMembers(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string,
  members: readonly McpToolsetMemberDto[],
): Promise<StoredToolsetMember[]> {
  const servers = await memberServers(
    manager,
    workspaceId,
    members.map(({ server }) => server),
  );
  const maker = await makerOf(manager, caller, workspaceId);
  const checked = members.map((member, at) =>
    checkedMember(member, usable(servers(member.server), maker), { path: `members.${String(at)}`, maker }),
  );
  const faults = [...checked.flatMap((each) => each.faults), ...faultsTogether(checked)];
  if (faults.length > 0) throw validationFailed(faults.slice(0, FAULTS_MAX));
  return checked.map(({ stored }) => stored);
}

/** Throws `conflict` when two capabilities would have the same name for clients. */
export async function assertDistinctNames(
  manager: EntityManager,
  { workspaceId, members, mode }: Pick<McpToolsetEntity, 'workspaceId' | 'members' | 'mode'>,
): Promise<void> {
  const servers = await memberServers(
    manager,
    workspaceId,
    members.map(({ server_id }) => server_id),
  );
  const mapped = members.flatMap((member) => {
    const server = servers(member.server_id);
    return server === undefined ? [] : [aggregateMember(member, server)];
  });
  const collisions = memberCollisions(mapped, { isSearched: mode === 'search' });
  if (collisions.length === 0) return;
  throw new GatewayError('conflict', {
    param: 'members',
    message:
      'Some tools or prompts of the members would have the same name. Give them aliases or other prefixes, or exclude them.',
    details: collisions.slice(0, FAULTS_MAX).map(({ type, server, original }) => ({
      path: `members.${String(mapped.findIndex((each) => each.server === server))}`,
      message: `the ${type} ${original} of ${server} has the name of an earlier one`,
    })),
  });
}

/**
 * Returns the caller in the form that access rules use. Service keys reach every server of their
 * workspace.
 */
const makerOf = async (
  manager: EntityManager,
  { organisationId, userId, apiKeyId }: Principal,
  workspaceId: string,
): Promise<AccessCaller> => ({
  ...{ ...NO_ONE, ...(await userCaller(manager, { organisationId, workspaceId }, userId)) },
  ...{ keyId: apiKeyId, scopes: [MCP_SCOPE] },
});

const usable = (server: MemberServer | undefined, maker: AccessCaller): MemberServer | null =>
  server !== undefined && isUserAllowed(server.access, maker) ? server : null;

interface Checked {
  readonly stored: StoredToolsetMember;
  readonly faults: readonly ErrorDetail[];
}

function checkedMember(
  { prefix = null, include = [], exclude = [], aliases = {}, overrides = {} }: McpToolsetMemberDto,
  server: MemberServer | null,
  { path, maker }: { readonly path: string; readonly maker: AccessCaller },
): Checked {
  const plain = { prefix, include, exclude, aliases };
  if (server === null) {
    const message = 'must be an MCP server of the workspace that you may use';
    const stored = { server_id: '', ...plain, overrides: {} };
    return { stored, faults: [{ path: `${path}.server`, message }] };
  }
  const seen = seenBy(server, maker);
  const read = readOverrides(overrides, `${path}.overrides`, seen.tools);
  return {
    stored: { server_id: server.row.id, ...plain, overrides: read.overrides },
    faults: [
      ...patternFaults(include, `${path}.include`),
      ...patternFaults(exclude, `${path}.exclude`),
      ...aliasFaults(aliases, `${path}.aliases`, seen.names),
      ...read.faults,
    ],
  };
}

/**
 * Returns the input schemas of the tools that the caller sees, and the names that can have aliases.
 */
function seenBy(
  { access, capabilities }: MemberServer,
  maker: AccessCaller,
): { readonly tools: ReadonlyMap<string, JsonObject>; readonly names: ReadonlySet<string> } {
  const seen = capabilities.filter(({ name, definition }) => {
    const capability = {
      ...{ name, approved: definition, isEnabledAtIntegration: true, isEnabledAtServer: true },
    };
    return judgeAccess(access, capability, maker, null).kind === 'allow';
  });
  const tools = seen.filter(({ type }) => type === 'tool');
  return {
    tools: new Map(tools.map(({ name, definition }) => [name, ownObject(definition, 'inputSchema')])),
    names: new Set(seen.filter(({ type }) => type === 'tool' || type === 'prompt').map(({ name }) => name)),
  };
}

const patternFaults = (patterns: readonly string[], path: string): ErrorDetail[] =>
  patterns.flatMap((pattern, at) =>
    PATTERN.test(pattern) ? [] : [{ path: `${path}.${String(at)}`, message: 'may have * only at the end' }],
  );

const aliasFaults = (
  aliases: Readonly<Record<string, string>>,
  path: string,
  names: ReadonlySet<string>,
): ErrorDetail[] =>
  Object.entries(aliases).flatMap(([name, alias]) => {
    const at = `${path}.${name.slice(0, 128)}`;
    if (!names.has(name))
      return [{ path: at, message: 'must name a tool or prompt of the server that you may use' }];
    const message = 'must be a name of 1 to 64 letters, digits, _, . and -';
    return ALIAS.test(alias) ? [] : [{ path: at, message }];
  });

/**
 * Returns faults of the members as a whole: a server that occurs twice, and more than one member
 * without a prefix.
 */
function faultsTogether(checked: readonly Checked[]): ErrorDetail[] {
  const bare = checked.findIndex(({ stored }) => stored.prefix === '');
  return checked.flatMap(({ stored: { server_id, prefix } }, at) => {
    const first = checked.findIndex(({ stored }) => stored.server_id === server_id);
    const faults: ErrorDetail[] = [];
    if (server_id !== '' && first < at)
      faults.push({
        path: `members.${String(at)}.server`,
        message: `is the server of members.${String(first)}`,
      });
    if (prefix === '' && bare < at)
      faults.push({
        path: `members.${String(at)}.prefix`,
        message: 'is empty; one member at most has no prefix',
      });
    return faults;
  });
}
