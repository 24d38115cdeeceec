import type { CollectionEntity } from '@gw/entities';
import {
  Answer,
  answerOf,
  NameField,
  pageOf,
  partialOf,
  pickOf,
  plainListAnswerOf,
  ReferenceField,
  RowAnswer,
  SlugField,
  viewOf,
} from '@gw/web';

const WORKSPACE = {
  optional: true,
  description: 'Needed with a credential of the whole organisation.',
} as const;

/** What callers write of a collection. */
export class CollectionFields {
  @NameField({ example: 'Support' }) name!: string;
  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug; null: none.' })
  parent_collection_id?: string | null;
}

export class CreateCollectionDto extends CollectionFields {
  @SlugField({
    optional: true,
    description: 'Unique in the organisation, for ever; made of the name when absent.',
    example: 'support',
  })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateCollectionDto extends partialOf(CollectionFields) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListCollectionsQuery extends pageOf({ size: 100 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
  @NameField({ optional: true, description: 'Part of the name or slug.' }) search?: string;
}

export class CollectionDetailsAnswer {
  @Answer.integer({ example: 0 }) readonly child_collections_count!: number;
  @Answer.integer({ description: 'Prompts and partials.', example: 1 }) readonly prompts_count!: number;
  @Answer.time({ nullable: true }) readonly child_collections_last_updated_at!: string | null;
  @Answer.time({ nullable: true }) readonly prompts_last_updated_at!: string | null;
}

export class CollectionAnswer extends answerOf(pickOf(CollectionFields, 'name'), RowAnswer) {
  @Answer.uuid() readonly id!: string;
  @Answer.uuid() readonly workspace_id!: string;
  @Answer.text({ example: 'co-suppor-3f9a1c' }) readonly slug!: string;
  @Answer.uuid({ nullable: true }) readonly parent_collection_id!: string | null;
  @Answer.boolean() readonly is_default!: boolean;
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
}

export class CreatedCollectionDto extends pickOf(CollectionAnswer, 'id', 'slug') {}

export class CollectionItemAnswer extends CollectionAnswer {
  @Answer.one(() => CollectionDetailsAnswer) readonly collection_details!: CollectionDetailsAnswer;
}

export class CollectionListAnswer extends plainListAnswerOf(CollectionItemAnswer) {}

export class ChildCollectionAnswer extends pickOf(
  CollectionItemAnswer,
  'id',
  'last_updated_at',
  'collection_details',
) {
  @Answer.text({ example: 'Refunds' }) readonly name!: string;
}

export class CollectionWithChildrenAnswer extends CollectionAnswer {
  @Answer.list(() => ChildCollectionAnswer) readonly child_collections!: ChildCollectionAnswer[];
}

export const toCollection = (row: CollectionEntity): CollectionAnswer =>
  viewOf(CollectionAnswer, row, { parent_collection_id: row.parentId });
