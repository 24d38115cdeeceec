import { McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { Not, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { integrationReach } from './integration-reach';
import { MCP_AVAILABLE } from './mcp-rows';

/** Which MCP integrations a caller may reach. */
export const MCP_REACH = integrationReach('mcp_integrations');

/**
 * Selects the active MCP integrations of the organisation that a workspace may use, with the alias `i`; all of them
 * when the workspace is null.
 */
export function usableMcpIntegrations(
  manager: EntityManager,
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string | null },
): SelectQueryBuilder<McpIntegrationEntity> {
  const query = manager
    .createQueryBuilder(McpIntegrationEntity, 'i')
    .where(`i.organisation_id = :organisationId AND i.status = 'active'`, { organisationId });
  if (workspaceId === null) return query;
  const workspace = 'SELECT :workspaceId::uuid AS workspace_id';
  return query.andWhere(`EXISTS (SELECT FROM (${workspace}) s WHERE ${MCP_AVAILABLE})`, { workspaceId });
}

/** Returns the number of active workspaces that may use each integration, by its id. */
export async function countMcpWorkspaces(
  manager: EntityManager,
  integrations: readonly Pick<McpIntegrationEntity, 'id'>[],
): Promise<ReadonlyMap<string, number>> {
  if (integrations.length === 0) return new Map();
  const rows = await manager.query<{ id: string; count: number }[]>(
    `SELECT i.id, count(s.workspace_id)::int AS count
       FROM mcp_integrations i
       LEFT JOIN (SELECT id AS workspace_id, organisation_id FROM workspaces WHERE status = 'active') s
         ON s.organisation_id = i.organisation_id AND ${MCP_AVAILABLE}
      WHERE i.id = ANY($1)
      GROUP BY i.id`,
    [integrations.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Returns the servers of an integration that are not archived. */
export const liveMcpServers = (
  manager: EntityManager,
  { id }: Pick<McpIntegrationEntity, 'id'>,
): Promise<McpServerEntity[]> =>
  manager.findBy(McpServerEntity, { integrationId: id, status: Not('archived') });

/** Returns the active MCP integrations that use a secret reference. */
export const mcpIntegrationsUsing = (
  manager: EntityManager,
  referenceId: string,
): Promise<Pick<McpIntegrationEntity, 'id' | 'name' | 'slug'>[]> =>
  manager
    .createQueryBuilder(McpIntegrationEntity, 'i')
    .select(['i.id', 'i.name', 'i.slug'])
    .where(`i.status = 'active' AND i.secret_mappings IS NOT NULL`)
    .andWhere('i.secret_mappings @> :probe::jsonb', {
      probe: JSON.stringify([{ secret_reference_id: referenceId }]),
    })
    .getMany();
