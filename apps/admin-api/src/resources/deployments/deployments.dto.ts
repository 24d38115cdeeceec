import {
  BitField,
  BooleanField,
  EnumField,
  MapField,
  NameField,
  NestedField,
  ObjectField,
  pageOf,
  QueryEnumListField,
  QueryTextListField,
  SlugField,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';

export const SOURCE_TYPES = ['api', 'ui', 'helm', 'terraform'] as const;
export const DEPLOYMENT_TYPES = ['production', 'non_production'] as const;

const URL = {
  optional: true,
  nullable: true,
  max: 2_048,
  example: 'https://gateway.example.org/v1',
} as const;
const TAGS = { optional: true, nullable: true, valueMax: 255, example: { region: 'eu' } } as const;
const WORKSPACES = { optional: true, maxItems: 1_000, description: 'Ids or slugs.' } as const;

export class RegistryCredentialsDto {
  @TextField({ example: 'puller' }) username!: string;
  @TextField({ max: 2_048, description: 'Never shown again.', example: 'secret' }) password!: string;
}

/** Laid over what is saved: what is absent stays, null clears. Lists and maps are added to, unless the call replaces them. */
export class DeploymentAuthSettingsDto {
  @TextField(URL) gateway_base_url?: string | null;
  @TextField(URL) mcp_gateway_base_url?: string | null;
  @TextField(URL) private_link_endpoint?: string | null;
  @BitField({ optional: true }) use_private_link_proxy?: 0 | 1;
  @BitField({ optional: true }) is_dataservice_hosted?: 0 | 1;
  @BitField({ optional: true }) is_playground_proxy_allowed?: 0 | 1;
  @BooleanField({ optional: true, description: 'True: it is for all workspaces.' })
  allow_all_workspaces?: boolean;
  @TextListField(WORKSPACES) workspaces_allowed?: string[];
  @TextListField(WORKSPACES) remove_workspaces_allowed?: string[];
  @TextListField({ optional: true, maxItems: 1_000, itemMax: 1_024 }) jwt_subs_allowed?: string[];
  @TextListField({ optional: true, maxItems: 1_000, itemMax: 1_024 }) remove_subs_allowed?: string[];
  @MapField({ optional: true, maxEntries: 1_000, keyMax: 1_024, valueMax: 255 })
  jwt_sub_workspace_mapping?: Record<string, string>;
}

export class CreateDeploymentDto {
  @NameField({ example: 'Production EU' }) name!: string;
  @SlugField({ optional: true, description: 'Made of the name when absent.', example: 'production-eu' })
  slug?: string;
  @EnumField(DEPLOYMENT_TYPES, { optional: true, description: 'production when absent.' })
  type?: 'production' | 'non_production';
  @ObjectField({ optional: true, nullable: true, description: 'Kept as it is.' })
  deployment_config?: Record<string, unknown> | null;
  @BitField({ optional: true, description: '1: the one that takes over from the default of before.' })
  is_default?: 0 | 1;
  @NestedField(() => DeploymentAuthSettingsDto, { optional: true }) auth_settings?: DeploymentAuthSettingsDto;
  @MapField(TAGS) tags?: Record<string, string> | null;
  @NestedField(() => RegistryCredentialsDto, { optional: true }) credentials?: RegistryCredentialsDto;
  @EnumField(SOURCE_TYPES, {
    optional: true,
    description: 'By what it was made; api when absent. Never changes.',
  })
  source_type?: 'api' | 'ui' | 'helm' | 'terraform';
  @UuidField({ optional: true, description: 'The caller’s own.' }) organisation_id?: string;
}

export class UpdateDeploymentDto {
  @NameField({ optional: true }) name?: string;
  @EnumField(DEPLOYMENT_TYPES, { optional: true }) type?: 'production' | 'non_production';
  @EnumField(['active', 'archived'], { optional: true }) status?: 'active' | 'archived';
  @ObjectField({ optional: true, nullable: true }) deployment_config?: Record<string, unknown> | null;
  @BitField({ optional: true }) is_default?: 0 | 1;
  @BooleanField({
    optional: true,
    description: 'True: the answer has a new `client_auth`, the old one ends.',
  })
  rotate_auth?: boolean;
  @BooleanField({
    optional: true,
    description: 'True: lists and maps of `auth_settings` replace the saved ones.',
  })
  override_existing?: boolean;
  @NestedField(() => DeploymentAuthSettingsDto, { optional: true }) auth_settings?: DeploymentAuthSettingsDto;
  @MapField(TAGS) tags?: Record<string, string> | null;
  @NestedField(() => RegistryCredentialsDto, { optional: true, nullable: true })
  credentials?: RegistryCredentialsDto | null;
}

export class ListDeploymentsQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @QueryEnumListField(['active', 'archived'], { description: 'active when absent.' })
  status?: ('active' | 'archived')[];
  @EnumField(DEPLOYMENT_TYPES, { optional: true }) type?: 'production' | 'non_production';
  @EnumField(SOURCE_TYPES, { optional: true }) source_type?: string;
  @QueryTextListField({ max: 100, description: 'Those that are for one of these workspaces.' })
  workspace_slug?: string[];
  @TextField({ optional: true, description: 'Part of the name or slug.' }) search?: string;
  @TextField({ optional: true, max: 4_096, description: 'JSON object of texts: every tag must match.' })
  tags?: string;
  @UuidField({ optional: true, description: 'The caller’s own.' }) organisation_id?: string;
}
