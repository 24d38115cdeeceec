import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { byReference, inWorkspace, isUuid, reach, type TenantWhere } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { Resource } from '../../platform/resource/rows';
import { usableMcpIntegrations } from '../../platform/rows/mcp-integrations.queries';
import { mcpServerKeys } from '../../platform/rows/mcp-rows';
import { toAuditedMcpServer } from './mcp-servers.view';

/**
 * Slugs are unique only within a workspace, so a slug requires the workspace. An id suffices for a
 * credential of the whole organisation.
 */
const whereOf = (caller: Principal, reference: string): FindOptionsWhere<McpServerEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  status: 'active',
});

export const MCP_SERVER: Resource<McpServerEntity> = {
  entity: McpServerEntity,
  type: 'mcp_servers',
  view: toAuditedMcpServer,
  where: whereOf,
  documents: mcpServerKeys,
};

/**
 * Returns an MCP integration that the workspace may use. Locks the row until the commit, so that
 * the integration cannot be deleted or disabled for the workspace before. Throws the same error for
 * an integration that is unknown, of another tenant, or not enabled.
 */
export async function usableIntegration(
  manager: EntityManager,
  owner: Required<TenantWhere>,
  reference: string,
): Promise<McpIntegrationEntity> {
  const column = isUuid(reference) ? 'i.id' : 'i.slug';
  const find = (): Promise<McpIntegrationEntity | null> =>
    usableMcpIntegrations(manager, owner).andWhere(`${column} = :reference`, { reference }).getOne();
  const seen = await find();
  if (seen) {
    const where = { id: seen.id };
    await manager.findOne(McpIntegrationEntity, { where, lock: { mode: 'pessimistic_read' } });
  }
  // Another write may have changed the access while this one waited for the lock.
  const row = seen && (await find());
  if (row) return row;
  throw invalid(
    'mcp_integration_id',
    'mcp_integration_id must be an MCP integration that the workspace may use',
  );
}

/** Gives a server a new version after a change of its parts, and saves its default for users. */
export async function touch(manager: EntityManager, row: McpServerEntity): Promise<void> {
  const { id, defaultUserAccess } = row;
  await manager.update(McpServerEntity, { id }, { defaultUserAccess });
}
