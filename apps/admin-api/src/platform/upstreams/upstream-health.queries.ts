import type { UpstreamCheck, UpstreamIntegration } from '@gw/entities';
import { DAY_MS, MINUTE_MS } from '@gw/kernel';
import { MoreThan, type EntityManager, type FindManyOptions } from 'typeorm';
import { setInternalColumns } from './upstream-sync.queries';

export type HealthColumns = Pick<
  UpstreamIntegration,
  'healthState' | 'healthError' | 'healthMs' | 'healthCheckedAt' | 'healthFailures' | 'nextHealthAt'
> & { readonly healthSince: Date };

/** Entities of one kind of upstream. */
export interface HealthTables<R extends UpstreamIntegration> {
  readonly entity: new () => R;
  readonly checks: new () => UpstreamCheck;
}

/** Returns the checks of the last 24 hours, oldest first, at most one for each minute. */
export const healthStrip = (
  manager: EntityManager,
  checks: new () => UpstreamCheck,
  integrationId: string,
): Promise<UpstreamCheck[]> => {
  const options: FindManyOptions<UpstreamCheck> = {
    where: { integrationId, minute: MoreThan(new Date(Date.now() - DAY_MS)) },
    order: { minute: 'ASC' },
  };
  return manager.find(checks, options);
};

/**
 * Saves the result of a check. Returns false when the address has changed in the meantime or the
 * integration is no longer active.
 */
export async function saveHealth<R extends UpstreamIntegration>(
  manager: EntityManager,
  { entity, checks }: HealthTables<R>,
  { id, url }: Pick<UpstreamIntegration, 'id' | 'url'>,
  columns: HealthColumns,
): Promise<boolean> {
  const at = { id, url, status: 'active' } as const;
  if (!(await setInternalColumns<UpstreamIntegration>(manager, entity, at, columns))) return false;
  const { healthCheckedAt: checkedAt, healthState: state, healthMs: ms } = columns;
  const minute = new Date(Math.floor((checkedAt ?? new Date()).getTime() / MINUTE_MS) * MINUTE_MS);
  await manager.upsert(checks, { integrationId: id, minute, state, ms }, ['integrationId', 'minute']);
  return true;
}
