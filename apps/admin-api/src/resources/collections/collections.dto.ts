import type { CollectionEntity } from '@gw/entities';
import {
  ResponseField,
  responseOf,
  NameField,
  pageOf,
  partialOf,
  pickOf,
  plainListResponseOf,
  ReferenceField,
  RowResponse,
  SlugField,
  viewOf,
} from '@gw/web';

const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;

/** Fields of a collection that callers can write. */
export class CollectionFields {
  @NameField({ example: 'Support' }) name!: string;
  @ReferenceField({
    optional: true,
    nullable: true,
    description: 'Id or slug of the parent collection; null for none.',
  })
  parent_collection_id?: string | null;
}

export class CreateCollectionDto extends CollectionFields {
  @SlugField({
    optional: true,
    description: 'Unique in the organisation and never reused; derived from the name when absent.',
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
  @NameField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CollectionDetailsResponse {
  @ResponseField.integer({ example: 0 }) readonly child_collections_count!: number;
  @ResponseField.integer({ description: 'Number of prompts and partials.', example: 1 })
  readonly prompts_count!: number;
  @ResponseField.time({ nullable: true }) readonly child_collections_last_updated_at!: string | null;
  @ResponseField.time({ nullable: true }) readonly prompts_last_updated_at!: string | null;
}

export class CollectionResponse extends responseOf(pickOf(CollectionFields, 'name'), RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ example: 'co-suppor-3f9a1c' }) readonly slug!: string;
  @ResponseField.uuid({ nullable: true }) readonly parent_collection_id!: string | null;
  @ResponseField.boolean() readonly is_default!: boolean;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
}

export class CreatedCollectionResponse extends pickOf(CollectionResponse, 'id', 'slug') {}

export class CollectionItemResponse extends CollectionResponse {
  @ResponseField.one(() => CollectionDetailsResponse) readonly collection_details!: CollectionDetailsResponse;
}

export class CollectionListResponse extends plainListResponseOf(CollectionItemResponse) {}

export class ChildCollectionResponse extends pickOf(
  CollectionItemResponse,
  'id',
  'last_updated_at',
  'collection_details',
) {
  @ResponseField.text({ example: 'Refunds' }) readonly name!: string;
}

export class CollectionWithChildrenResponse extends CollectionResponse {
  @ResponseField.list(() => ChildCollectionResponse) readonly child_collections!: ChildCollectionResponse[];
}

export const toCollection = (row: CollectionEntity): CollectionResponse =>
  viewOf(CollectionResponse, row, { parent_collection_id: row.parentId });
