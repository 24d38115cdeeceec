import { McpHealthEntity, McpIntegrationEntity } from '@gw/entities';
import { MINUTE_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';

export type HealthColumns = Pick<
  McpIntegrationEntity,
  'healthState' | 'healthError' | 'healthMs' | 'healthCheckedAt' | 'healthFailures' | 'nextHealthAt'
> & { readonly healthSince: Date };

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
