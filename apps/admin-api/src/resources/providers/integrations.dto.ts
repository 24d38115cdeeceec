import {
  BooleanField,
  EnumField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  ObjectField,
  pageOf,
  QueryEnumListField,
  ReferenceField,
  SlugField,
  TextField,
} from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';
import { SecretMappingDto } from '../../platform/credentials/secret-mappings';
import { RateLimitDto, UsageLimitDto } from '../../platform/limits/limits.dto';

const KEY = { max: 8_192, description: 'The provider’s API key. Never shown again.' } as const;
const TAGS = { optional: true, nullable: true, valueMax: 255, example: { team: 'search' } } as const;

export class CreateIntegrationDto {
  @NameField({ example: 'OpenAI production' }) name!: string;
  @SlugField({ optional: true, description: 'Made of the name when absent.', example: 'openai-prod' })
  slug?: string;
  @TextField({ max: 64, description: 'An id of the provider catalogue.', example: 'openai' })
  ai_provider_id!: string;
  @TextField({ optional: true, ...KEY, example: 'sk-…' }) key?: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @ReferenceField({ optional: true, description: 'Present: only this workspace has the integration.' })
  workspace_id?: string;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Fields of the provider, as the catalogue lists them, and `custom_host`, `custom_headers`.',
    example: { openai_project: 'proj_1' },
  })
  configurations?: Record<string, unknown> | null;
  @BooleanField({
    optional: true,
    description: 'Workspace integrations: make a provider of it. True when absent.',
  })
  create_default_provider?: boolean;
  @SlugField({ optional: true, description: 'Slug of that provider.' }) default_provider_slug?: string;
  @NestedListField(() => SecretMappingDto, { optional: true, nullable: true })
  secret_mappings?: SecretMappingDto[] | null;
  @ObjectField({ optional: true, nullable: true, example: { multiplier: { default: 1.1 } } })
  pricing_adjustments?: Record<string, unknown> | null;
  @MapField(TAGS) tags?: Record<string, string> | null;
  @BooleanField({ optional: true, description: 'False: only models that are enabled. True when absent.' })
  allow_all_models?: boolean;
}

export class UpdateIntegrationDto {
  @EnumField(['active', 'archived'], {
    optional: true,
    description: 'archived: as DELETE, and alone in the body.',
  })
  status?: 'active' | 'archived';
  @NameField({ optional: true, example: 'OpenAI production' }) name?: string;
  @TextField({ optional: true, nullable: true, ...KEY }) key?: string | null;
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Laid over the saved fields: an absent one stays, null clears one.',
    example: { openai_project: null },
  })
  configurations?: Record<string, unknown> | null;
  @NestedListField(() => SecretMappingDto, { optional: true, nullable: true })
  secret_mappings?: SecretMappingDto[] | null;
  @ObjectField({ optional: true, nullable: true }) pricing_adjustments?: Record<string, unknown> | null;
  @MapField(TAGS) tags?: Record<string, string> | null;
  @BooleanField({ optional: true }) allow_all_models?: boolean;
}

export class ListIntegrationsQuery extends pageOf({ size: 100 }) {
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryEnumListField(['workspace', 'organisation', 'all'], { description: 'all when absent.' })
  type?: ('workspace' | 'organisation' | 'all')[];
  @TextField({ optional: true, max: 4_096, description: 'JSON object of texts: every tag must match.' })
  tags?: string;
  @TextField({ optional: true, description: 'Part of the name or slug.' }) search?: string;
}

export class IntegrationModelDto {
  @TextField({ example: 'my-llama' }) slug!: string;
  @TextField({ optional: true, nullable: true }) name?: string | null;
  @BooleanField({ optional: true, description: 'True when absent.' }) enabled?: boolean;
  @BooleanField({ optional: true, nullable: true }) is_custom?: boolean | null;
  @BooleanField({ optional: true, nullable: true }) is_finetune?: boolean | null;
  @TextField({ optional: true, nullable: true, example: 'llama-3.1-8b' }) base_model_slug?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'Headers of this model; win over the integration’s.',
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
    description: 'US cents for one token.',
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
    description: 'The integration’s key again: needed where the address of a model changes.',
  })
  key?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'Fields of the integration, such as its secrets, which are needed where the address of a model changes.',
  })
  configurations?: Record<string, unknown> | null;
  @BooleanField({ optional: true, description: 'True: models that the list leaves out lose their row.' })
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

export class IntegrationWorkspaceDto extends WorkspaceAccessDto {
  @ReferenceField({ description: 'Id or slug of the workspace.' }) id!: string;
  @BooleanField({ optional: true }) reset_usage?: boolean;
  @BooleanField({ optional: true }) create_default_provider?: boolean;
  @SlugField({ optional: true }) default_provider_slug?: string;
}

export class UpdateIntegrationWorkspacesDto {
  @NestedListField(() => IntegrationWorkspaceDto, { optional: true, maxItems: 1_000 })
  workspaces?: IntegrationWorkspaceDto[];
  @NestedField(() => WorkspaceAccessDto, { optional: true, nullable: true })
  global_workspace_access?: WorkspaceAccessDto | null;
  @BooleanField({
    optional: true,
    description: 'True: workspaces that the list leaves out lose their access.',
  })
  override_existing_workspace_access?: boolean;
  @BooleanField({
    optional: true,
    description: 'A workspace that gains access gets a provider. True when absent.',
  })
  create_default_provider?: boolean;
  @SlugField({ optional: true, description: 'Slug of those providers; the integration’s when absent.' })
  default_provider_slug?: string;
}

export class CreatedIntegrationDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'openai-prod' }) slug!: string;
}
