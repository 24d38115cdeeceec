import {
  BooleanField,
  NameField,
  NestedListField,
  ObjectField,
  pageOf,
  ReferenceField,
  SlugField,
  TextField,
} from '@gw/web';
import { searchable } from '../../platform/resource/list-order';
import { IncludeUsedBy } from '../../platform/rows/used-by.queries';
import { ApiProperty } from '@nestjs/swagger';
import { SecretMappingDto } from '../../platform/credentials/secret-mappings';
import { BY_LIFE, ProviderFieldsDto, WORKSPACE } from './providers.dto';

const KEY = {
  max: 8_192,
  description: 'The provider’s API key. Responses show only a mask.',
  example: 'sk-…',
} as const;

export class DeploymentDto {
  @TextField({ max: 30, example: '2024-10-21' }) apiVersion!: string;
  @TextField({ example: 'gpt-4o-eu' }) deploymentName!: string;
  @TextField({ optional: true }) alias?: string;
  @BooleanField({ optional: true }) is_default?: boolean;
}

/**
 * Provider fields under the names of the virtual-key routes; `mapping.ts` maps them to the
 * catalogue.
 */
export class VirtualKeyFieldsDto extends ProviderFieldsDto {
  @TextField({
    optional: true,
    nullable: true,
    max: 30,
    description: 'With deploymentName: the only deployment, unless deploymentConfig is given.',
  })
  apiVersion?: string | null;
  @TextField({ optional: true, nullable: true }) resourceName?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    description: 'With apiVersion: the only deployment, unless deploymentConfig is given.',
  })
  deploymentName?: string | null;
  @NestedListField(() => DeploymentDto, { optional: true, nullable: true })
  deploymentConfig?: DeploymentDto[] | null;
  @TextField({ optional: true, nullable: true }) azureAuthMode?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) azureEntraTenantId?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) azureEntraClientId?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) azureEntraClientSecret?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) azureManagedClientId?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) openaiOrganization?: string | null;
  @TextField({ optional: true, nullable: true, max: 2_048 }) openaiProject?: string | null;
  @TextField({ optional: true, nullable: true, max: 4_096, example: 'https://llm.example.org/v1' })
  custom_host?: string | null;
  @ObjectField({ optional: true, nullable: true, example: { 'x-team': 'search' } })
  custom_headers?: Record<string, unknown> | null;
  @NestedListField(() => SecretMappingDto, {
    optional: true,
    nullable: true,
    description: 'Possible targets are `key` and `model_config.<field>`.',
  })
  secret_mappings?: SecretMappingDto[] | null;
}

export class CreateVirtualKeyDto extends VirtualKeyFieldsDto {
  @NameField({ example: 'OpenAI production' }) name!: string;
  @SlugField({ optional: true, description: 'Default: derived from the name.' }) slug?: string;
  @TextField({ max: 64, description: 'Id of a provider in the catalogue.', example: 'openai' })
  provider!: string;
  @TextField({ optional: true, ...KEY }) key?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateVirtualKeyDto extends VirtualKeyFieldsDto {
  @NameField({ optional: true }) name?: string;
  @TextField({ optional: true, nullable: true, ...KEY }) key?: string | null;
  @BooleanField({ optional: true, description: 'True resets the usage to zero.' })
  reset_usage?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListVirtualKeysQuery extends searchable(pageOf({ size: 50 }), BY_LIFE) {
  @IncludeUsedBy() include_used_by?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

class CreatedVirtualKeyDataResponse {
  @ApiProperty({ example: 'openai-production-3f9a1c' }) slug!: string;
}

export class CreatedVirtualKeyResponse {
  @ApiProperty({ enum: [true] }) success!: true;
  @ApiProperty({ type: CreatedVirtualKeyDataResponse }) data!: CreatedVirtualKeyDataResponse;
}
