import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  GuardrailMcpServerEntity,
  McpApprovalEntity,
  McpIntegrationEntity,
  McpIntegrationWorkspaceEntity,
  McpOauthClientEntity,
  McpOpenApiDocumentEntity,
  McpServerCapabilityEntity,
  McpServerEntity,
  McpServerUserEntity,
} from '@gw/entities';
import { Any, Not, type EntityManager } from 'typeorm';
import { endConnections } from './connection-ends';
import { endGrantsOfTargets } from './grant-ends';
import { leaveToolsets } from './mcp-toolset-rows';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { availableBy } from '../upstreams/usable-integrations';

/** SQL condition: workspace `s.workspace_id` may use MCP integration `i`. */
export const MCP_AVAILABLE = availableBy('mcp_integration_workspaces');

/** Returns the document keys of a server; gateways find it by its slug and by its id. */
export const mcpServerKeys = ({
  workspaceId,
  slug,
  id,
}: Pick<McpServerEntity, 'workspaceId' | 'slug' | 'id'>): DocumentKey[] => [
  documentKey.mcpServer(workspaceId, slug),
  documentKey.mcpServer(workspaceId, id),
];

/** Returns the document keys of all servers of the integrations. */
export async function keysOfServers(
  manager: EntityManager,
  ...integrations: readonly Pick<McpIntegrationEntity, 'id'>[]
): Promise<DocumentKey[]> {
  if (integrations.length === 0) return [];
  const servers = await manager.find(McpServerEntity, {
    where: { integrationId: Any(integrations.map(({ id }) => id)), status: Not('archived') },
    select: { id: true, slug: true, workspaceId: true },
  });
  return servers.flatMap(mcpServerKeys);
}

/** Returns the document keys of the servers with these ids that are not archived. */
export async function keysOfServerIds(
  manager: EntityManager,
  ids: readonly string[],
): Promise<DocumentKey[]> {
  if (ids.length === 0) return [];
  const servers = await manager.find(McpServerEntity, {
    where: { id: Any(ids), status: Not('archived') },
    select: { id: true, slug: true, workspaceId: true },
  });
  return servers.flatMap(mcpServerKeys);
}

/** Returns the document keys of the servers whose tool calls a guardrail checks. */
export async function keysOfGuardedServers(
  manager: EntityManager,
  { id: guardrailId }: { readonly id: string },
): Promise<DocumentKey[]> {
  const mappings = await manager.findBy(GuardrailMcpServerEntity, { guardrailId });
  return keysOfServerIds(
    manager,
    mappings.map(({ serverId }) => serverId),
  );
}

/**
 * Deletes the dependent rows of ended servers: user connections and access, capabilities, mappings,
 * approvals and memberships in toolsets.
 */
export async function deletePartsOfServers(write: Write, ids: readonly string[]): Promise<void> {
  const { manager, caller } = write;
  const serverId = Any(ids);
  await endConnections(write, { organisationId: caller.organisationId, serverIds: ids });
  await manager.delete(McpServerUserEntity, { serverId });
  await manager.delete(McpServerCapabilityEntity, { serverId });
  await manager.delete(McpApprovalEntity, { serverId });
  await manager.delete(GuardrailMcpServerEntity, { serverId });
  await leaveToolsets(write, ids);
}

/**
 * Archives the given servers, deletes their dependent rows, ends the grants for them, and marks
 * their documents as removed.
 */
export async function archiveMcpServers(write: Write, rows: readonly McpServerEntity[]): Promise<void> {
  const { manager } = write;
  const ids = rows.map(({ id }) => id);
  await deletePartsOfServers(write, ids);
  await manager.update(McpServerEntity, { id: Any(ids) }, { status: 'archived' });
  await endGrantsOfTargets(write, ids);
  for (const { id: resourceId, workspaceId } of rows) {
    write.audit({ action: 'delete', resourceType: 'mcp_servers', resourceId, workspaceId });
  }
  write.removed(rows.flatMap(mcpServerKeys));
  write.changed(...new Set(rows.map(({ workspaceId }) => documentKey.mcpCatalogue(workspaceId))));
}

/**
 * Archives the MCP servers and integrations of a deleted workspace. Erases the secrets, registered
 * clients and OpenAPI documents of these integrations, and withdraws the integrations of the
 * organisation from the workspace.
 */
export async function archiveMcpOf(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: 'active' } as const;
  await archiveMcpServers(write, await manager.findBy(McpServerEntity, live));
  const integrations = await manager.find(McpIntegrationEntity, { where: live, select: { id: true } });
  await manager.update(McpIntegrationEntity, live, { status: 'archived', sealedAuth: null });
  const integrationId = Any(integrations.map(({ id }) => id));
  await manager.delete(McpOauthClientEntity, { integrationId });
  await manager.delete(McpOpenApiDocumentEntity, { integrationId });
  await manager.delete(McpIntegrationWorkspaceEntity, { workspaceId });
  for (const { id: resourceId } of integrations) {
    write.audit({ action: 'delete', resourceType: 'mcp_integrations', resourceId, workspaceId });
  }
}

/** SQL query for the ids of the servers of an organisation, or of one of its workspaces. */
const SERVER_IDS = `SELECT s.id FROM mcp_servers s
  WHERE s.organisation_id = :organisationId
    AND (CAST(:workspaceId AS uuid) IS NULL OR s.workspace_id = :workspaceId)`;

/**
 * Deletes a user's connections to MCP servers and access exceptions when the user leaves the
 * workspace or, without a workspace, the organisation.
 */
export async function endMcpAccess(
  write: Write<AuditCaller>,
  user: { readonly organisationId: string; readonly userId: string; readonly workspaceId?: string },
): Promise<void> {
  const { manager } = write;
  const { organisationId, userId, workspaceId = null } = user;
  const parameters = { organisationId, workspaceId, userId };
  const where = `user_id = :userId AND server_id IN (${SERVER_IDS})`;
  const ended = await manager
    .createQueryBuilder()
    .delete()
    .from(McpServerUserEntity)
    .where(where, parameters)
    .returning('server_id')
    .execute();
  await endConnections(write, user);
  const rows = ended.raw as readonly { readonly server_id: string }[];
  write.changed(
    ...(await keysOfServerIds(
      manager,
      rows.map(({ server_id }) => server_id),
    )),
  );
}
