import { McpHealthEntity, McpIntegrationEntity } from '@gw/entities';
import { MINUTE_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';

/** The time that one call of the job may take, after which another one takes the checks over. */
const LEASE = '2 minutes';

export type HealthColumns = Pick<
  McpIntegrationEntity,
  'healthState' | 'healthError' | 'healthMs' | 'healthCheckedAt' | 'healthFailures' | 'nextHealthAt'
> & { readonly healthSince: Date };

/** Leases integrations whose check is due, longest overdue first. `isUsed`: a workspace has an active server of the integration. */
export async function dueHealthChecks(
  manager: EntityManager,
  max: number,
): Promise<readonly { readonly id: string; readonly isUsed: boolean }[]> {
  const [rows] = await manager.query<[{ id: string; isUsed: boolean }[], number]>(
    `UPDATE mcp_integrations i SET next_health_at = now() + $2::interval
      WHERE i.id IN (SELECT id FROM mcp_integrations
                      WHERE status = 'active' AND next_health_at <= now()
                      ORDER BY next_health_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING i.id, EXISTS (SELECT 1 FROM mcp_servers s
        WHERE s.integration_id = i.id AND s.status = 'active') AS "isUsed"`,
    [max, LEASE],
  );
  return rows;
}

/** Makes a leased check due again, whose turn then comes after those that waited longer. */
export async function releaseHealthCheck(manager: EntityManager, id: string): Promise<void> {
  await manager.query('UPDATE mcp_integrations SET next_health_at = now() WHERE id = $1', [id]);
}

/**
 * Saves the result of a check. The version stays, since users do not edit these columns. Returns false when the address has
 * changed or the integration is no longer active.
 */
export async function saveHealth(
  manager: EntityManager,
  { id, url }: Pick<McpIntegrationEntity, 'id' | 'url'>,
  columns: HealthColumns,
): Promise<boolean> {
  const { affected } = await manager
    .createQueryBuilder()
    .update(McpIntegrationEntity)
    .set({
      ...(columns as QueryDeepPartialEntity<McpIntegrationEntity>),
      version: () => 'version',
      lastUpdatedAt: () => 'last_updated_at',
    })
    .where({ id, url, status: 'active' })
    .execute();
  if (affected !== 1) return false;
  const { healthCheckedAt: at, healthState: state, healthMs: ms } = columns;
  const minute = new Date(Math.floor((at ?? new Date()).getTime() / MINUTE_MS) * MINUTE_MS);
  await manager.upsert(McpHealthEntity, { integrationId: id, minute, state, ms }, [
    'integrationId',
    'minute',
  ]);
  return true;
}
