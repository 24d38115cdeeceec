import type { UpstreamCapability, UpstreamIntegration } from '@gw/entities';
import { In, IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { nameDigestOf, type UpstreamSnapshot } from './capability-changes';

/**
 * Maximum number of capabilities that an integration keeps after its upstream has stopped listing
 * them.
 */
const GONE_MAX = 1_000;

/** Tables of one kind of upstream. */
export interface UpstreamTables {
  readonly integrations: 'mcp_integrations' | 'agent_integrations';
  readonly capabilities: 'mcp_capabilities' | 'agent_skills';
  /** Table of the capabilities that servers have switched off. */
  readonly switches: 'mcp_server_capabilities' | 'agent_server_skills';
  /** SQL condition for integrations whose upstream can change; absent when all can. */
  readonly canChange?: string;
}

/**
 * Sets columns that users do not edit. Leaves the row's version unchanged, so that users' etags
 * remain valid. Returns whether an integration matched `where`.
 */
export async function setInternalColumns<R extends UpstreamIntegration>(
  manager: EntityManager,
  entity: new () => R,
  where: Pick<UpstreamIntegration, 'id' | 'url'> & Partial<Pick<UpstreamIntegration, 'status' | 'version'>>,
  columns: NoInfer<Partial<R>>,
): Promise<boolean> {
  const { affected } = await manager
    .createQueryBuilder()
    .update(entity as new () => UpstreamIntegration)
    .set({
      ...(columns as QueryDeepPartialEntity<UpstreamIntegration>),
      version: () => 'version',
      lastUpdatedAt: () => 'last_updated_at',
    })
    .where(where)
    .execute();
  return affected === 1;
}

/**
 * Saves the result of a reading. Changes nothing if the integration now has another URL, because
 * the result belongs to the old one.
 */
export async function saveSync<R extends UpstreamIntegration>(
  manager: EntityManager,
  entity: new () => R,
  { id, url }: Pick<UpstreamIntegration, 'id' | 'url'>,
  columns: NoInfer<Partial<R>>,
): Promise<void> {
  await setInternalColumns(manager, entity, { id, url }, columns);
}

/**
 * Saves the failure of a reading. Changes nothing if a user has changed the integration since: the
 * failure may be that of an earlier credential, and the next reading is due already.
 */
export async function saveFailure<R extends UpstreamIntegration>(
  manager: EntityManager,
  entity: new () => R,
  { id, url, version }: Pick<UpstreamIntegration, 'id' | 'url' | 'version'>,
  columns: NoInfer<Partial<R>>,
): Promise<void> {
  await setInternalColumns(manager, entity, { id, url, version }, columns);
}

/**
 * Returns the saved rows to compare with a snapshot: those listed last time, and earlier ones whose
 * names occur in the snapshot again.
 */
export async function savedCapabilities<R extends UpstreamCapability>(
  manager: EntityManager,
  entity: new () => R,
  integrationId: string,
  { capabilities }: Pick<UpstreamSnapshot, 'capabilities'>,
): Promise<R[]> {
  const nameDigest = In(capabilities.map(({ name }) => nameDigestOf(name)));
  return manager.findBy(entity, [
    { integrationId, goneAt: IsNull() },
    { integrationId, goneAt: Not(IsNull()), nameDigest },
  ] as FindOptionsWhere<UpstreamCapability>[] as FindOptionsWhere<R>[]);
}

/** Deletes the capabilities that have been unlisted for longest, beyond 1,000. */
export async function removeOldCapabilities(
  manager: EntityManager,
  { capabilities, switches }: Pick<UpstreamTables, 'capabilities' | 'switches'>,
  integrationId: string,
): Promise<void> {
  const rows = await manager.query<{ id: string }[]>(
    `SELECT id FROM ${capabilities} WHERE integration_id = $1 AND gone_at IS NOT NULL
      ORDER BY gone_at DESC, id DESC OFFSET $2`,
    [integrationId, GONE_MAX],
  );
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await manager.query(`DELETE FROM ${switches} WHERE capability_id = ANY($1)`, [ids]);
  await manager.query(`DELETE FROM ${capabilities} WHERE id = ANY($1)`, [ids]);
}
