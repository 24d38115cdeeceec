import type { McpCapabilityFacts, McpToolOverride } from '@gw/contracts';
import type { McpServerEntity, StoredToolOverride, StoredToolsetMember } from '@gw/entities';
import type { AccessServer, AggregateMember } from '@gw/mcp';
import type { EntityManager } from 'typeorm';
import { isUuid } from '../auth/tenancy';
import { accessServer } from './mcp-access';
import { availableServers, capabilitiesOf, partsOfServers } from './mcp-server-parts.queries';

/** A server that the workspace may use, with the capabilities that it offers. */
export interface MemberServer {
  readonly row: McpServerEntity;
  readonly access: AccessServer;
  /** Approved and enabled capabilities, before access rules for the caller. */
  readonly capabilities: readonly McpCapabilityFacts[];
  /** Whether the upstream server has never been read. */
  readonly isUnread: boolean;
}

/**
 * Returns the servers that references name by id or slug. Unknown servers and those of other
 * workspaces are left out.
 */
export async function memberServers(
  manager: EntityManager,
  workspaceId: string,
  references: readonly string[],
): Promise<(reference: string) => MemberServer | undefined> {
  if (references.length === 0) return () => undefined;
  const found = await availableServers(manager, {
    workspaceIds: references.map(() => workspaceId),
    names: references,
    ids: references.filter(isUuid),
  });
  const rows = found.filter((row) => row.workspaceId === workspaceId);
  if (rows.length === 0) return () => undefined;
  const parts = await partsOfServers(manager, rows);
  const servers = rows.map((row): MemberServer => {
    const access = accessServer(row, parts.users.get(row.id) ?? [], true);
    const capabilities = capabilitiesOf(row, parts);
    const isRead = parts.integrations.get(row.integrationId)?.approvedServer != null;
    return { row, access, capabilities, isUnread: !isRead && capabilities.length === 0 };
  });
  const byName = new Map(servers.flatMap((each) => [each.row.slug, each.row.id].map((name) => [name, each])));
  return (reference) => byName.get(isUuid(reference) ? reference.toLowerCase() : reference);
}

/** Returns a stored member in the form that the functions for name mapping use. */
export const aggregateMember = (
  { prefix, include, exclude, aliases }: StoredToolsetMember,
  { row, capabilities }: MemberServer,
): AggregateMember => ({
  ...{ server: row.slug, include, exclude, capabilities },
  ...(prefix !== null && { prefix }),
  aliases: new Map(Object.entries(aliases)),
});

/** Returns a stored override in the form that gateways use. Stored null values count as absent. */
export const toolOverrideOf = ({
  title,
  description,
  hidden_arguments: hiddenArguments,
  fixed_arguments: fixedArguments,
}: StoredToolOverride): McpToolOverride => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(hiddenArguments && { hiddenArguments }),
  ...(fixedArguments && { fixedArguments }),
});
