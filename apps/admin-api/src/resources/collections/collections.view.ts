import type { CollectionEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';

export class CollectionDetailsAnswer {
  @Answer.integer({ example: 0 })
  readonly child_collections_count!: number;

  @Answer.integer({ description: 'Prompts and partials.', example: 1 })
  readonly prompts_count!: number;

  @Answer.time({ nullable: true })
  readonly child_collections_last_updated_at!: string | null;

  @Answer.time({ nullable: true })
  readonly prompts_last_updated_at!: string | null;
}

export class CollectionAnswer extends RowAnswer {
  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'Support' })
  readonly name!: string;

  @Answer.uuid()
  readonly workspace_id!: string;

  @Answer.text({ example: 'co-suppor-3f9a1c' })
  readonly slug!: string;

  @Answer.uuid({ nullable: true })
  readonly parent_collection_id!: string | null;

  @Answer.boolean()
  readonly is_default!: boolean;

  @Answer.oneOf(['active', 'archived'])
  readonly status!: 'active' | 'archived';
}

export class CollectionItemAnswer extends CollectionAnswer {
  @Answer.one(() => CollectionDetailsAnswer)
  readonly collection_details!: CollectionDetailsAnswer;
}

export class CollectionListAnswer {
  @Answer.list(() => CollectionItemAnswer)
  readonly data!: CollectionItemAnswer[];

  @Answer.integer({ example: 1 })
  readonly total!: number;
}

export class ChildCollectionAnswer {
  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'Refunds' })
  readonly name!: string;

  @Answer.time()
  readonly last_updated_at!: string;

  @Answer.one(() => CollectionDetailsAnswer)
  readonly collection_details!: CollectionDetailsAnswer;
}

export class CollectionWithChildrenAnswer extends CollectionAnswer {
  @Answer.list(() => ChildCollectionAnswer)
  readonly child_collections!: ChildCollectionAnswer[];
}

export const toCollection = (row: CollectionEntity): CollectionAnswer => ({
  id: row.id,
  name: row.name,
  workspace_id: row.workspaceId,
  slug: row.slug,
  parent_collection_id: row.parentId,
  is_default: row.isDefault,
  status: row.status,
  ...rowFields(row),
});
