import { CollectionEntity, PromptEntity } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import type { CollectionDetailsResponse } from './collections.dto';

const NOTHING: CollectionDetailsResponse = {
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

/** Returns a function that counts the contents of each collection. */
export async function detailsOf(
  manager: EntityManager,
  rows: readonly { readonly id: string }[],
): Promise<(id: string) => CollectionDetailsResponse> {
  const ids = rows.map(({ id }) => id);
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
