import { CollectionEntity, WorkspaceEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { FOR_CHANGE, FOR_REFERENCE } from '../unit-of-work/writes';
import { byReference, type TenantWhere } from '../auth/tenancy';
import { slugOf } from '../common/text';

type Owner = Required<TenantWhere>;

export const collectionSlug = (name: string): string => `co-${slugOf(name, 6)}-${randomHex(3)}`;

/** Returns the workspace's default collection; creates it at the first call. */
export async function defaultCollection(manager: EntityManager, owner: Owner): Promise<CollectionEntity> {
  const where = { ...owner, isDefault: true };
  const existing = await manager.findOneBy(CollectionEntity, where);
  if (existing) return existing;
  const name = 'Default';
  await manager
    .createQueryBuilder()
    .insert()
    .into(CollectionEntity)
    .values({ id: uuidv7(), ...owner, name, slug: collectionSlug(name), isDefault: true })
    .orIgnore()
    .execute();
  return manager.findOneByOrFail(CollectionEntity, where);
}

/**
 * Returns the collection with this id or slug in the workspace. Throws 400 naming `param` when
 * there is none.
 */
export async function collectionNamed(
  manager: EntityManager,
  owner: Owner,
  reference: string,
  param: string,
  options: { readonly lock?: typeof FOR_REFERENCE } = {},
): Promise<CollectionEntity> {
  const where = { ...owner, ...byReference(reference), status: 'active' } as const;
  const row = await manager.findOne(CollectionEntity, { where, ...options });
  if (!row) throw invalid(param, `${param} is not a collection of the workspace`);
  return row;
}

/**
 * Returns the collection as `collectionNamed` does, for a row that will be in it. The collection
 * cannot be deleted before the transaction ends.
 */
export const heldCollection = (
  manager: EntityManager,
  owner: Owner,
  reference: string,
  param: string,
): Promise<CollectionEntity> => collectionNamed(manager, owner, reference, param, { lock: FOR_REFERENCE });

/**
 * Throws `validation_failed` when the collection would contain itself. A lock on the workspace's
 * row serialises concurrent moves.
 */
export async function assertNoCycle(
  manager: EntityManager,
  row: CollectionEntity,
  parent: CollectionEntity,
): Promise<void> {
  await manager.findOne(WorkspaceEntity, { where: { id: row.workspaceId }, lock: FOR_CHANGE });
  const [{ within } = { within: false }] = await manager.query<{ within: boolean }[]>(
    `WITH RECURSIVE above (id, parent_id) AS (
       SELECT id, parent_id FROM collections WHERE id = $1
       UNION
       SELECT c.id, c.parent_id FROM collections c JOIN above ON c.id = above.parent_id
     )
     SELECT EXISTS (SELECT 1 FROM above WHERE id = $2) AS within`,
    [parent.id, row.id],
  );
  if (within)
    throw invalid('parent_collection_id', 'a collection cannot contain itself; choose another parent');
}
