import { BitField, EnumField, NameField, ObjectField, pageOf, ReferenceField, SlugField } from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';

const EXAMPLE = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@openai-prod' }, { provider: '@anthropic-prod' }],
  retry: { attempts: 3 },
};

/** What reads show under this name is taken and dropped, so that an object that was read can be sent back. */
const AsRead = (set: string): PropertyDecorator =>
  applyDecorators(
    Allow(),
    ApiProperty({ required: false, type: Object, description: `As reads show it; dropped. ${set} sets it.` }),
  );

const IS_DEFAULT = {
  optional: true,
  description: '1: holds for requests of the workspace that name no config; the one before it loses this.',
} as const;

export class CreateConfigDto {
  @NameField({ example: 'Fallback to Anthropic' }) name!: string;
  @SlugField({ optional: true, description: 'Made of the name when absent.', example: 'fallback' })
  slug?: string;
  @ObjectField({ example: EXAMPLE }) config!: Record<string, unknown>;
  @BitField(IS_DEFAULT) isDefault?: 0 | 1;
  @AsRead('isDefault') is_default?: unknown;
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class UpdateConfigDto {
  @NameField({ optional: true, example: 'Fallback to Anthropic' }) name?: string;
  @ObjectField({ optional: true, description: 'Makes a new version.', example: EXAMPLE })
  config?: Record<string, unknown>;
  @BitField(IS_DEFAULT) isDefault?: 0 | 1;
  @AsRead('isDefault') is_default?: unknown;
  @EnumField(['active', 'archived'], { optional: true, description: 'archived: as a delete.' })
  status?: 'active' | 'archived';
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class ListConfigsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class CreatedConfigDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) version_id!: string;
  @ApiProperty({ example: 'pc-fallba-3f9a1c' }) slug!: string;
  @ApiProperty({ enum: ['config'] }) object!: 'config';
}

export class UpdatedConfigDto {
  @ApiProperty({ format: 'uuid', description: 'The version that holds now.' }) version_id!: string;
}
