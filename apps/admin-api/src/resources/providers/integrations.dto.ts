import {
  BooleanField,
  EnumField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  ObjectField,
  pageOf,
  partialOf,
  QueryEnumListField,
  ReferenceField,
  SlugField,
  TextField,
} from '@gw/web';
import { searchable } from '../../platform/resource/list-order';
import { ApiProperty } from '@nestjs/swagger';
import { SecretMappingDto } from '../../platform/credentials/secret-mappings';
import { RateLimitDto, UsageLimitDto } from '../../platform/limits/limits.dto';

const KEY = { max: 8_192, description: 'The provider’s API key. Responses show only a mask.' } as const;

/** Fields that are stored in columns of the same name. */
export class PlainFields {
  @NameField({ example: 'OpenAI production' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @ObjectField({ optional: true, nullable: true, example: { multiplier: { default: 1.1 } } })
  pricing_adjustments?: Record<string, unknown> | null;
  @MapField({ optional: true, nullable: true, valueMax: 255, example: { team: 'search' } })
  tags?: Record<string, string> | null;
  @BooleanField({
    optional: true,
    description: 'False: only enabled models may be used. Default on creation: true.',
  })
  allow_all_models?: boolean;
}

class IntegrationFields extends PlainFields {
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'Fields of the provider, as the catalogue lists them, and `custom_host`, `custom_headers`. In an update, an ' +
      'absent field remains unchanged, and null clears a field.',
    example: { openai_project: 'proj_1' },
  })
  configurations?: Record<string, unknown> | null;
  @NestedListField(() => SecretMappingDto, { optional: true, nullable: true })
  secret_mappings?: SecretMappingDto[] | null;
}

export class CreateIntegrationDto extends IntegrationFields {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'openai-prod' })
  slug?: string;
  @TextField({ max: 64, description: 'Id of a provider in the catalogue.', example: 'openai' })
  ai_provider_id!: string;
  @TextField({ optional: true, ...KEY, example: 'sk-…' }) key?: string;
  @ReferenceField({
    optional: true,
    description: 'When present, only this workspace can use the integration.',
  })
  workspace_id?: string;
  @BooleanField({
    optional: true,
    description: 'Whether to create a provider for an integration of a workspace. Default: true.',
  })
  create_default_provider?: boolean;
  @SlugField({ optional: true, description: 'Slug of the created provider.' }) default_provider_slug?: string;
}

export class UpdateIntegrationDto extends partialOf(IntegrationFields) {
  @EnumField(['active', 'archived'], {
    optional: true,
    description: 'archived has the same effect as DELETE. Must be the only member of the body.',
  })
  status?: 'active' | 'archived';
  @TextField({ optional: true, nullable: true, ...KEY }) key?: string | null;
}

export class ListIntegrationsQuery extends searchable(pageOf({ size: 100 })) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryEnumListField(['workspace', 'organisation', 'all'], { description: 'Default: all.' })
  type?: ('workspace' | 'organisation' | 'all')[];
  @TextField({
    optional: true,
    max: 4_096,
    description: 'A JSON object of strings. Each of its tags must match.',
  })
  tags?: string;
}

export class IntegrationModelDto {
  @TextField({ example: 'my-llama' }) slug!: string;
  @TextField({ optional: true, nullable: true }) name?: string | null;
  @BooleanField({ optional: true, description: 'Whether the model may be used. Default: true.' })
  enabled?: boolean;
  @BooleanField({ optional: true, nullable: true }) is_custom?: boolean | null;
  @BooleanField({ optional: true, nullable: true }) is_finetune?: boolean | null;
  @TextField({ optional: true, nullable: true, example: 'llama-3.1-8b' }) base_model_slug?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Headers of this model; they take precedence over those of the integration.',
  })
  custom_headers?: Record<string, unknown> | null;
  @ObjectField({
    optional: true,
    nullable: true,
    example: { custom_host: 'https://llm.example.org/v1', custom_headers: { 'x-team': 'a' } },
  })
  configurations?: Record<string, unknown> | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Prices in US cents per token.',
    example: {
      type: 'static',
      pay_as_you_go: { request_token: { price: 0.0001 }, response_token: { price: 0.0002 } },
    },
  })
  pricing_config?: Record<string, unknown> | null;
}

export class UpdateIntegrationModelsDto {
  @NestedListField(() => IntegrationModelDto, { maxItems: 1_000 }) models!: IntegrationModelDto[];
  @BooleanField({ optional: true }) allow_all_models?: boolean;
  @TextField({
    optional: true,
    nullable: true,
    ...KEY,
    description: 'API key of the integration. Required again if the address of a model changes.',
  })
  key?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'Provider fields of the integration. Its secrets are required again if the address of a model changes.',
  })
  configurations?: Record<string, unknown> | null;
  @BooleanField({
    optional: true,
    description: 'True: deletes the settings of models that are not in the list.',
  })
  override_existing_model_access?: boolean;
}

export class DeleteModelsQuery {
  @TextField({ max: 8_192, description: 'Slugs of custom models, separated by commas.', example: 'my-llama' })
  slugs!: string;
}

export class WorkspaceAccessDto {
  @BooleanField() enabled!: boolean;
  @NestedListField(() => UsageLimitDto, { optional: true, nullable: true, maxItems: 1 })
  usage_limits?: UsageLimitDto[] | null;
  @NestedListField(() => RateLimitDto, { optional: true, nullable: true, maxItems: 10 })
  rate_limits?: RateLimitDto[] | null;
}

/**
 * Access of one workspace, which takes precedence over the global access. Absent limits remain
 * unchanged; at first they are those of the global access.
 */
export class IntegrationWorkspaceDto extends WorkspaceAccessDto {
  @ReferenceField({ description: 'Id or slug of the workspace.' }) id!: string;
  @BooleanField({ optional: true }) reset_usage?: boolean;
  @BooleanField({ optional: true }) create_default_provider?: boolean;
  @SlugField({ optional: true }) default_provider_slug?: string;
}

export class UpdateIntegrationWorkspacesDto {
  @NestedListField(() => IntegrationWorkspaceDto, { optional: true, maxItems: 1_000 })
  workspaces?: IntegrationWorkspaceDto[];
  @NestedField(() => WorkspaceAccessDto, {
    optional: true,
    nullable: true,
    description: 'Access of workspaces without an individual setting. Null: none. Absent: unchanged.',
  })
  global_workspace_access?: WorkspaceAccessDto | null;
  @BooleanField({
    optional: true,
    description:
      'True: workspaces that are not in the list lose their individual setting, so that global_workspace_access applies to them.',
  })
  override_existing_workspace_access?: boolean;
  @BooleanField({
    optional: true,
    description:
      'Whether a workspace in the list that gains access gets a provider. Default: true. Global access creates no providers.',
  })
  create_default_provider?: boolean;
  @SlugField({
    optional: true,
    description: 'Slug of the created providers. Default: the slug of the integration.',
  })
  default_provider_slug?: string;
}

export class CreatedIntegrationResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'openai-prod' }) slug!: string;
}
