import {
  BitField,
  BooleanField,
  EnumField,
  MapField,
  NameField,
  NestedField,
  ObjectField,
  pageOf,
  partialOf,
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
const WORKSPACES = {
  optional: true,
  maxItems: 1_000,
  description: 'Ids or slugs of the workspaces.',
} as const;
const SUBJECTS = { optional: true, maxItems: 1_000, itemMax: 1_024 } as const;
const ORGANISATION = {
  optional: true,
  description: 'Must be the organisation of the credential.',
} as const;

export class RegistryCredentialsDto {
  @TextField({ example: 'puller' }) username!: string;
  @TextField({ max: 2_048, description: 'Secret; responses show only a mask.', example: 'secret' })
  password!: string;
}

/**
 * Changes of the saved settings: an absent field stays, null clears it. Items of lists and maps are
 * added to the saved ones, unless `override_existing` is true.
 */
export class DeploymentAuthSettingsDto {
  @TextField(URL) gateway_base_url?: string | null;
  @TextField(URL) mcp_gateway_base_url?: string | null;
  @TextField(URL) private_link_endpoint?: string | null;
  @BitField({ optional: true }) use_private_link_proxy?: 0 | 1;
  @BitField({ optional: true }) is_dataservice_hosted?: 0 | 1;
  @BitField({ optional: true }) is_playground_proxy_allowed?: 0 | 1;
  @BooleanField({ optional: true, description: 'True: the deployment serves all workspaces.' })
  allow_all_workspaces?: boolean;
  @TextListField(WORKSPACES) workspaces_allowed?: string[];
  @TextListField(WORKSPACES) remove_workspaces_allowed?: string[];
  @TextListField(SUBJECTS) jwt_subs_allowed?: string[];
  @TextListField(SUBJECTS) remove_subs_allowed?: string[];
  @MapField({ optional: true, maxEntries: 1_000, keyMax: 1_024, valueMax: 255 })
  jwt_sub_workspace_mapping?: Record<string, string>;
}

/** Fields that are stored in columns of the same name. */
export class PlainFields {
  @NameField({ example: 'Production EU' }) name!: string;
  @EnumField(DEPLOYMENT_TYPES, { optional: true, description: 'Default on creation: production.' })
  type?: 'production' | 'non_production';
  @ObjectField({ optional: true, nullable: true, description: 'Free-form data, stored unchanged.' })
  deployment_config?: Record<string, unknown> | null;
  @MapField({ optional: true, nullable: true, valueMax: 255, example: { region: 'eu' } })
  tags?: Record<string, string> | null;
}

class DeploymentFields extends PlainFields {
  @BitField({ optional: true, description: '1: this deployment replaces the current default.' })
  is_default?: 0 | 1;
  @NestedField(() => DeploymentAuthSettingsDto, { optional: true }) auth_settings?: DeploymentAuthSettingsDto;
}

export class CreateDeploymentDto extends DeploymentFields {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'production-eu' })
  slug?: string;
  @NestedField(() => RegistryCredentialsDto, { optional: true }) credentials?: RegistryCredentialsDto;
  @EnumField(SOURCE_TYPES, {
    optional: true,
    description: 'Tool that creates the deployment. Default: api. Cannot be changed later.',
  })
  source_type?: 'api' | 'ui' | 'helm' | 'terraform';
  @UuidField(ORGANISATION) organisation_id?: string;
}

export class UpdateDeploymentDto extends partialOf(DeploymentFields) {
  @EnumField(['active', 'archived'], {
    optional: true,
    description: 'archived has the same effect as DELETE, and needs its scope.',
  })
  status?: 'active' | 'archived';
  @BooleanField({
    optional: true,
    description: 'True: the response contains a new `client_auth`, and the old one becomes invalid.',
  })
  rotate_auth?: boolean;
  @BooleanField({
    optional: true,
    description: 'True: lists and maps of `auth_settings` replace the saved ones.',
  })
  override_existing?: boolean;
  @NestedField(() => RegistryCredentialsDto, { optional: true, nullable: true })
  credentials?: RegistryCredentialsDto | null;
}

export class ListDeploymentsQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @QueryEnumListField(['active', 'archived'], { description: 'Default: active.' })
  status?: ('active' | 'archived')[];
  @EnumField(DEPLOYMENT_TYPES, { optional: true }) type?: 'production' | 'non_production';
  @EnumField(SOURCE_TYPES, { optional: true }) source_type?: (typeof SOURCE_TYPES)[number];
  @QueryTextListField({ max: 100, description: 'Returns deployments for at least one of these workspaces.' })
  workspace_slug?: string[];
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
  @TextField({
    optional: true,
    max: 4_096,
    description: 'A JSON object of strings. Each of its tags must match.',
  })
  tags?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
}
