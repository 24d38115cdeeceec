import { CollectionEntity, PromptEntity, WorkspaceEntity } from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { FOR_UPDATE } from '../unit-of-work/writes';
import { byReference, type TenantWhere } from '../auth/tenancy';
import { slugOf } from '../common/text';
import type { CollectionDetailsAnswer } from '../../resources/collections/collections.view';

type Owner = Required<TenantWhere>;

export const collectionSlug = (name: string): string => `co-${slugOf(name, 6)}-${randomHex(3)}`;

/** The workspace's default collection, made when it is first asked for. */
export async function defaultCollection(manager: EntityManager, owner: Owner): Promise<CollectionEntity> {
  const where = { ...owner, isDefault: true };
  const known = await manager.findOneBy(CollectionEntity, where);
  if (known) return known;
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

/** By id or slug, among those of one workspace. A 400 that names `param` when there is none. */
export async function collectionNamed(
  manager: EntityManager,
  owner: Owner,
  reference: string,
  param: string,
): Promise<CollectionEntity> {
  const row = await manager.findOneBy(CollectionEntity, {
    ...owner,
    ...byReference(reference),
    status: 'active',
  });
  if (!row) throw invalid(param, `${param} names no collection of the workspace`);
  return row;
}

/** Throws when the collection would stand within itself. The workspace's row serialises two moves of its collections. */
export async function assertNoCycle(
  manager: EntityManager,
  row: CollectionEntity,
  parent: CollectionEntity,
): Promise<void> {
  await manager.findOne(WorkspaceEntity, { where: { id: row.workspaceId }, lock: FOR_UPDATE });
  const [{ within } = { within: false }] = await manager.query<{ within: boolean }[]>(
    `WITH RECURSIVE above (id, parent_id) AS (
       SELECT id, parent_id FROM collections WHERE id = $1
       UNION
       SELECT c.id, c.parent_id FROM collections c JOIN above ON c.id = above.parent_id
     )
     SELECT EXISTS (SELECT 1 FROM above WHERE id = $2) AS within`,
    [parent.id, row.id],
  );
  if (within) throw invalid('parent_collection_id', 'a collection cannot stand within itself');
}

const NOTHING: CollectionDetailsAnswer = {
  child_collections_count: 0,
  prompts_count: 0,
  child_collections_last_updated_at: null,
  prompts_last_updated_at: null,
};

interface Count {
  readonly id: string;
  readonly count: string;
  readonly last: Date;
}

/** What is in each of the collections. */
export async function detailsOf(
  manager: EntityManager,
  ids: readonly string[],
): Promise<(id: string) => CollectionDetailsAnswer> {
  const children = await countsOf(manager, CollectionEntity, 'parentId', ids);
  const prompts = await countsOf(manager, PromptEntity, 'collectionId', ids);
  return (id) => {
    const [child, prompt] = [children.get(id), prompts.get(id)];
    return {
      ...NOTHING,
      ...(child
        ? {
            child_collections_count: Number(child.count),
            child_collections_last_updated_at: child.last.toISOString(),
          }
        : {}),
      ...(prompt
        ? { prompts_count: Number(prompt.count), prompts_last_updated_at: prompt.last.toISOString() }
        : {}),
    };
  };
}

async function countsOf(
  manager: EntityManager,
  entity: typeof CollectionEntity | typeof PromptEntity,
  column: 'parentId' | 'collectionId',
  ids: readonly string[],
): Promise<Map<string, Count>> {
  if (ids.length === 0) return new Map();
  const counts = await manager
    .createQueryBuilder<CollectionEntity | PromptEntity>(entity, 'item')
    .select(`item.${column}`, 'id')
    .addSelect('count(*)', 'count')
    .addSelect('max(item.lastUpdatedAt)', 'last')
    .where({ [column]: In([...ids]), status: 'active' })
    .groupBy(`item.${column}`)
    .getRawMany<Count>();
  return new Map(counts.map((count) => [count.id, count]));
}
