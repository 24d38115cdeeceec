import { ConfigEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { byReference } from '../auth/tenancy';
import { FOR_REFERENCE } from '../unit-of-work/writes';

/**
 * Returns the id of the active config of the workspace with this id or slug. Locks the config until
 * the commit, so that it cannot be deleted before the row that names it is saved. Throws
 * `validation_failed` naming `path`.
 */
export async function configIdOf(
  manager: EntityManager,
  workspaceId: string,
  reference: string,
  path: string,
): Promise<string> {
  const row = await manager.findOne(ConfigEntity, {
    where: { ...byReference(reference), workspaceId, status: 'active' },
    select: { id: true },
    lock: FOR_REFERENCE,
  });
  if (!row) throw invalid(path, `${path} is not a config of this workspace`);
  return row.id;
}

/** Returns slugs by id, for responses; ids without a row are left out. */
export async function configSlugsOf(
  manager: EntityManager,
  ids: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))];
  if (wanted.length === 0) return new Map();
  const rows = await manager.find(ConfigEntity, {
    where: { id: In(wanted) },
    select: { id: true, slug: true },
  });
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
