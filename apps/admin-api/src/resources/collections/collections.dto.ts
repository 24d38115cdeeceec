import { NameField, pageOf, ReferenceField, SlugField } from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';

const WORKSPACE = {
  optional: true,
  description: 'Needed with a credential of the whole organisation.',
} as const;

export class CreateCollectionDto {
  @NameField({ example: 'Support' })
  name!: string;

  @SlugField({
    optional: true,
    description: 'Unique in the organisation, for ever; made of the name when absent.',
    example: 'support',
  })
  slug?: string;

  @ReferenceField(WORKSPACE)
  workspace_id?: string;

  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug; null: none.' })
  parent_collection_id?: string | null;
}

export class UpdateCollectionDto {
  @NameField({ optional: true, example: 'Support' })
  name?: string;

  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug; null: none.' })
  parent_collection_id?: string | null;

  @ReferenceField(WORKSPACE)
  workspace_id?: string;
}

export class ListCollectionsQuery extends pageOf({ size: 100 }) {
  @ReferenceField(WORKSPACE)
  workspace_id?: string;

  @NameField({ optional: true, description: 'Part of the name or slug.' })
  search?: string;
}

export class CreatedCollectionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'co-suppor-3f9a1c' })
  slug!: string;
}
