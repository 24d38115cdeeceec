import {
  BitField,
  BooleanField,
  EnumField,
  IntegerField,
  NameField,
  ObjectField,
  ObjectListField,
  omitOf,
  pageOf,
  partialOf,
  QueryBooleanField,
  ReferenceField,
  SlugField,
  TextField,
  TextListField,
  TextOrObjectField,
  UuidField,
} from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';

const TEMPLATE_MAX = 524_288;
const WORKSPACE = {
  optional: true,
  description: 'Id or slug of the workspace. Required with a credential of the whole organisation.',
} as const;
const VERSION = { min: 1, max: 1_000_000, example: 2 } as const;

/** Fields that prompts and partials share. */
class TemplateFields {
  @NameField({ example: 'Greeting' }) name!: string;
  @SlugField({
    optional: true,
    description: 'Unique in the organisation and never reused; derived from the name when absent.',
    example: 'greeting',
  })
  slug?: string;
  @TextField({ optional: true, nullable: true, max: 2000 }) version_description?: string | null;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class CreatePromptDto extends TemplateFields {
  @ReferenceField({ description: 'Id or slug of a collection.', example: 'co-suppor-3f9a1c' })
  collection_id!: string;
  @TextField({
    max: TEMPLATE_MAX,
    description: 'A Mustache template: a JSON array of messages, or plain text.',
    example: '[{"role":"user","content":"Hello {{name}}"}]',
  })
  string!: string;
  @ObjectField({
    description:
      'Request parameters. Members with the name of a template variable, and members of `variables`, are default values of variables.',
    example: { max_completion_tokens: 256 },
  })
  parameters!: Record<string, unknown>;
  @TextField({ pattern: /^@?[\w.-]+$/, description: 'Slug of a provider.', example: 'openai-prod' })
  virtual_key!: string;
  @TextField({ optional: true, nullable: true, example: 'gpt-4o' }) model?: string | null;
  @ObjectListField({ optional: true, nullable: true, maxItems: 256 }) functions?: object[] | null;
  @ObjectListField({ optional: true, nullable: true, maxItems: 256 }) tools?: object[] | null;
  @TextOrObjectField({ optional: true, nullable: true }) tool_choice?: string | object | null;
  @ObjectField({ optional: true, nullable: true }) template_metadata?: Record<string, unknown> | null;
  @ObjectField({ optional: true, nullable: true, description: 'Alias of template_metadata.' })
  prompt_metadata?: Record<string, unknown> | null;
  @BitField({
    optional: true,
    description: '1: the whole text is one template, and its result is parsed as JSON.',
  })
  is_raw_template?: 0 | 1;
}

/** Fields that are stored with each version of a prompt. */
export const VERSION_FIELDS = [
  'string',
  'parameters',
  'model',
  'virtual_key',
  'functions',
  'tools',
  'tool_choice',
  'version_description',
  'template_metadata',
  'prompt_metadata',
  'is_raw_template',
] as const satisfies readonly (keyof CreatePromptDto)[];

const ARCHIVED = {
  optional: true,
  description: 'archived has the same effect as DELETE, and needs its scope.',
} as const;

export class UpdatePromptDto extends partialOf(omitOf(CreatePromptDto, 'slug')) {
  @BooleanField({ optional: true, description: 'When true, string, parameters and model may be absent.' })
  patch?: boolean;
  @EnumField(['active', 'archived'], ARCHIVED) status?: 'active' | 'archived';
}

export class CreatePartialDto extends TemplateFields {
  @TextField({ max: TEMPLATE_MAX, description: 'A Mustache template.', example: 'Answer {{tone}}.' })
  string!: string;
  @ReferenceField({
    optional: true,
    description: 'Id or slug of the collection. Default: the default collection.',
  })
  collection_id?: string;
}

export class UpdatePartialDto extends partialOf(omitOf(TemplateFields, 'slug')) {
  @TextField({ optional: true, max: TEMPLATE_MAX, description: 'New template. It creates a new version.' })
  string?: string;
  @ReferenceField({ optional: true, description: 'Id or slug of a collection.' }) collection_id?: string;
  @TextField({ optional: true, nullable: true, max: 2000, description: 'Alias of version_description.' })
  description?: string | null;
  @EnumField(['active', 'archived'], ARCHIVED) status?: 'active' | 'archived';
}

export class ListPromptsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true, description: 'Id or slug of a collection.' }) collection_id?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
  @NameField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
  @UuidField({ optional: true }) id?: string;
  @EnumField(['shared'], {
    optional: true,
    description: 'Lists prompts that other workspaces share with this one.',
  })
  type?: 'shared';
  @QueryBooleanField({ description: 'Adds the workspaces with which each prompt is shared.' })
  show_prompt_share?: boolean;
}

export class ListVersionsQuery extends pageOf({ size: 100 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class GetPromptQuery {
  @TextField({ optional: true, description: 'Version number, label or latest.', example: '2' })
  version?: string;
}

export class PublishDto {
  @IntegerField(VERSION) version!: number;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class LabelVersionDto {
  @UuidField({
    nullable: true,
    description: 'Null removes all labels from the version. Other fields of a version cannot be changed.',
    example: '01a20000-0000-7000-8000-000000000001',
  })
  label_id!: string | null;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ShareDto {
  @EnumField(['organisation', 'workspaces'], { example: 'workspaces' })
  access!: 'organisation' | 'workspaces';
  @TextListField({
    optional: true,
    maxItems: 1000,
    description: 'Ids or slugs of workspaces; required with access workspaces.',
  })
  workspace_ids?: string[];
  @BooleanField({ optional: true, description: 'Also shares the included partials with the same audience.' })
  include_partials?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UnshareDto {
  @TextListField({
    optional: true,
    maxItems: 1000,
    description: 'Ids or slugs of workspaces. Default: all workspaces.',
  })
  workspace_ids?: string[];
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ForkDto {
  @ReferenceField({
    description: 'Id or slug of the workspace that gets the copy.',
    example: 'ws-search-3f9a1c',
  })
  workspace_id!: string;
  @ReferenceField({
    optional: true,
    description: 'Id or slug of the collection. Default: the default collection.',
  })
  collection_id?: string;
  @NameField({ optional: true }) name?: string;
  @IntegerField({
    ...VERSION,
    optional: true,
    description: 'Version to copy. Default: the published version.',
  })
  version?: number;
}

export class CreatedPromptResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'pp-greeting-3f9a1c' }) slug!: string;
  @ApiProperty({ format: 'uuid' }) version_id!: string;
  @ApiProperty({ enum: ['prompt', 'partial'] }) object!: 'prompt' | 'partial';
}

export class UpdatedPromptResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'pp-greeting-3f9a1c' }) slug!: string;
  @ApiProperty({ format: 'uuid', description: 'Id of the latest version.' }) prompt_version_id!: string;
}

export class UpdatedPartialDto {
  @ApiProperty({ format: 'uuid', description: 'Id of the latest version.' })
  prompt_partial_version_id!: string;
}

export class SharedDto {
  @ApiProperty({ enum: ['workspace', 'workspaces', 'organisation'], example: 'workspaces' })
  access!: 'workspace' | 'workspaces' | 'organisation';
  @ApiProperty({ type: 'array', items: { type: 'string', format: 'uuid' }, example: [] })
  workspace_ids!: string[];
  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    example: [],
    description: 'Slugs of included partials that the audience cannot use.',
  })
  unshared_partials!: string[];
}
