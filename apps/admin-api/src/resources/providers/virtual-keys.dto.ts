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
import { ApiProperty } from '@nestjs/swagger';
import { SecretMappingDto } from '../../platform/credentials/secret-mappings';
import { ProviderFieldsDto } from './providers.dto';

const KEY = {
  max: 8_192,
  description: 'The provider’s API key. Never shown again.',
  example: 'sk-…',
} as const;

export class DeploymentDto {
  @TextField({ max: 30, example: '2024-10-21' }) apiVersion!: string;
  @TextField({ example: 'gpt-4o-eu' }) deploymentName!: string;
  @TextField({ optional: true }) alias?: string;
  @BooleanField({ optional: true }) is_default?: boolean;
}

/** Provider fields in the spelling of these routes; `mapping.ts` says what each represents. */
export class VirtualKeyFieldsDto extends ProviderFieldsDto {
  @TextField({ optional: true, nullable: true, max: 30 }) apiVersion?: string | null;
  @TextField({ optional: true, nullable: true }) resourceName?: string | null;
  @TextField({ optional: true, nullable: true }) deploymentName?: string | null;
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
    description: 'Targets are `key` and `model_config.<field>`.',
  })
  secret_mappings?: SecretMappingDto[] | null;
}

export class CreateVirtualKeyDto extends VirtualKeyFieldsDto {
  @NameField({ example: 'OpenAI production' }) name!: string;
  @SlugField({ optional: true, description: 'Made of the name when absent.' }) slug?: string;
  @TextField({ max: 64, description: 'An id of the provider catalogue.', example: 'openai' })
  provider!: string;
  @TextField({ optional: true, ...KEY }) key?: string;
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class UpdateVirtualKeyDto extends VirtualKeyFieldsDto {
  @NameField({ optional: true }) name?: string;
  @TextField({ optional: true, nullable: true, ...KEY }) key?: string | null;
  @BooleanField({ optional: true, description: 'True: the usage starts at zero again.' })
  reset_usage?: boolean;
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class ListVirtualKeysQuery extends pageOf({ size: 50 }) {
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

class CreatedVirtualKeyDataDto {
  @ApiProperty({ example: 'openai-production-3f9a1c' }) slug!: string;
}

export class CreatedVirtualKeyDto {
  @ApiProperty({ enum: [true] }) success!: true;
  @ApiProperty({ type: CreatedVirtualKeyDataDto }) data!: CreatedVirtualKeyDataDto;
}
