import {
  BitField,
  EnumField,
  NameField,
  ObjectField,
  pageOf,
  partialOf,
  pickOf,
  ReferenceField,
  SlugField,
} from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { searchable } from '../../platform/resource/list-order';
import { IncludeUsedBy } from '../../platform/rows/used-by.queries';
import { ConfigResponse } from './configs.view';

const EXAMPLE = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@openai-prod' }, { provider: '@anthropic-prod' }],
  retry: { attempts: 3 },
};

/** Declares a member of responses that requests may send back; it has no effect. */
const AsRead = (set: string): PropertyDecorator =>
  applyDecorators(
    Allow(),
    ApiProperty({
      required: false,
      type: Object,
      description: `Ignored, so that a response can be sent back. Use ${set} to change it.`,
    }),
  );

const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;

class ConfigFields {
  @NameField({ example: 'Fallback to Anthropic' }) name!: string;
  @ObjectField({ description: 'New content. An update with it creates a new version.', example: EXAMPLE })
  config!: Record<string, unknown>;
  @BitField({
    optional: true,
    description:
      '1: the config applies to requests of the workspace that name no config, and replaces the current default.',
  })
  isDefault?: 0 | 1;
  @AsRead('isDefault') is_default?: unknown;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class CreateConfigDto extends ConfigFields {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'fallback' })
  slug?: string;
}

export class UpdateConfigDto extends partialOf(ConfigFields) {
  @EnumField(['active', 'archived'], {
    optional: true,
    description: 'archived has the same effect as DELETE, and needs its scope.',
  })
  status?: 'active' | 'archived';
}

export class ListConfigsQuery extends searchable(pageOf({ size: 100 })) {
  @IncludeUsedBy() include_used_by?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ConfigVersionsQuery extends pageOf({ size: 100 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class CreatedConfigResponse extends pickOf(ConfigResponse, 'id', 'version_id', 'slug', 'object') {}

/** Response of an update with the id of the version that is now current. */
export class UpdatedConfigDto extends pickOf(ConfigResponse, 'version_id') {}
