import {
  SecuritySettingsResponse,
  SecuritySettingsDto,
  WorkspaceOverridesResponse,
  WorkspaceOverridesDto,
} from '../../platform/tenant-settings/security-settings.dto';
import {
  ExportSettingsResponse,
  ExportSettingsDto,
} from '../../platform/tenant-settings/export-settings.dto';
import { DataPlaneSecurityDto } from '../../platform/tenant-settings/data-plane-security.dto';
import {
  UserKeySettingsResponse,
  UserKeySettingsDto,
} from '../../platform/tenant-settings/user-key-settings.dto';
import {
  ResponseField,
  BitField,
  BooleanField,
  EnumField,
  IntegerField,
  NameField,
  NestedField,
  RowResponse,
  TextField,
} from '@gw/web';
import { SESSION_SECONDS_MAX, SESSION_SECONDS_MIN } from '../../platform/auth/session-life';

export class UpdateOrganisationDto {
  @NameField({ optional: true }) name?: string;
}

export class OrganisationSettingsDto extends UserKeySettingsDto {
  @BitField({
    optional: true,
    nullable: true,
    description: '1 (default): bodies are logged. 0: only metrics.',
  })
  debug_log?: 0 | 1 | null;
  @EnumField(['standard', 'strict'], {
    optional: true,
    nullable: true,
    description:
      'strict: requests that cannot be recorded are refused with 503, in all workspaces. standard (default): they are served and counted.',
  })
  audit?: 'standard' | 'strict' | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'Whether new members of the default workspace get a user key.',
  })
  default_workspace_user_api_key_auto_create?: boolean | null;
}

export class SessionSettingsDto {
  @IntegerField({
    optional: true,
    nullable: true,
    min: SESSION_SECONDS_MIN,
    max: SESSION_SECONDS_MAX,
    description:
      'Maximum lifetime of user sessions in seconds. Default: 30 days. A shorter value also shortens existing sessions.',
  })
  max_session_ttl?: number | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'True: users who log in by password need a second factor; users without one may only add it. Can be changed only in a session with a second factor.',
  })
  require_mfa?: boolean | null;
}

export class ScimSettingsDto {
  @TextField({
    optional: true,
    nullable: true,
    max: 64,
    description: 'Prefix of group names that give a role in a workspace. Default: ws-.',
    example: 'ws-',
  })
  workspace_name_prefix?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 64,
    description: 'Text between workspace and role in such group names. Default: -role-.',
    example: '-role-',
  })
  workspace_role_separator?: string | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'True (default): creating a user over SCIM who already exists makes the user managed by the identity provider.',
  })
  adopt_existing?: boolean | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'True: adding a deactivated user to a group activates the user.',
  })
  group_based_user_provisioning?: boolean | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'True: users whom the identity provider manages can be changed and removed only there.',
  })
  manage_organisation?: boolean | null;
}

export class OauthSettingsDto {
  @EnumField(['any', 'documents', 'registered'], {
    optional: true,
    nullable: true,
    description:
      'Clients to which users may grant access. documents: clients that administrators registered and clients that are documents at URLs. registered: clients that administrators registered and the CLI. Grants of other clients end.',
  })
  clients?: 'any' | 'documents' | 'registered' | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'False: users may not grant access to devices that show a code.',
  })
  device_flow?: boolean | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'True: clients only get tokens that are bound to a key (DPoP). Grants with other tokens end.',
  })
  require_dpop?: boolean | null;
}

/** Partial update: absent members stay, null resets a setting. */
export class UpdateOrganisationSettingsDto {
  @NestedField(() => OrganisationSettingsDto, { optional: true }) settings?: OrganisationSettingsDto;
  @NestedField(() => DataPlaneSecurityDto, { optional: true })
  data_plane_security_settings?: DataPlaneSecurityDto;
  @NestedField(() => ExportSettingsDto, { optional: true }) export_settings?: ExportSettingsDto;
  @NestedField(() => SecuritySettingsDto, { optional: true }) security_settings?: SecuritySettingsDto;
  @NestedField(() => SessionSettingsDto, { optional: true }) session_settings?: SessionSettingsDto;
  @NestedField(() => ScimSettingsDto, { optional: true }) scim_settings?: ScimSettingsDto;
  @NestedField(() => OauthSettingsDto, { optional: true }) oauth_settings?: OauthSettingsDto;
  @NestedField(() => WorkspaceOverridesDto, {
    optional: true,
    description:
      "Categories that workspaces may override. Removing a category deletes the workspaces' own settings of that category.",
  })
  workspace_overrides?: WorkspaceOverridesDto;
}

class RetentionResponse {
  @ResponseField.integer({ description: 'Retention in days; for display only.', example: 90 })
  readonly logs_days!: number;
  @ResponseField.integer({ description: 'Retention in days; for display only.', example: 365 })
  readonly metrics_days!: number;
}

export class OrganisationResponse extends RowResponse {
  @ResponseField.kind('organisation') readonly object!: 'organisation';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Acme' }) readonly name!: string;
  @ResponseField.text({ example: 'acme' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
  @ResponseField.one(() => RetentionResponse) readonly retention!: RetentionResponse;
}

class SettingsInForce extends UserKeySettingsResponse {
  @ResponseField.bit() readonly debug_log!: 0 | 1;
  @ResponseField.oneOf(['standard', 'strict']) readonly audit!: string;
  @ResponseField.boolean() readonly default_workspace_user_api_key_auto_create!: boolean;
}

class SecurityInForce {
  @ResponseField.boolean({
    description: 'Also true when the installation blocks inline configs for all organisations.',
  })
  readonly block_inline_config!: boolean;
}

class SessionSettingsResponse {
  @ResponseField.integer({ description: 'Lifetime in seconds.', example: SESSION_SECONDS_MAX })
  readonly max_session_ttl!: number;
  @ResponseField.boolean() readonly require_mfa!: boolean;
}

class ScimSettingsResponse {
  @ResponseField.boolean({
    description:
      'Set by the installation. True: workspace memberships are derived from the groups of each user; member lists of groups are ignored.',
  })
  readonly membership_user_mode!: boolean;
  @ResponseField.text({ example: 'ws-' }) readonly workspace_name_prefix!: string;
  @ResponseField.text({ example: '-role-' }) readonly workspace_role_separator!: string;
  @ResponseField.boolean() readonly adopt_existing!: boolean;
  @ResponseField.boolean() readonly group_based_user_provisioning!: boolean;
  @ResponseField.boolean() readonly manage_organisation!: boolean;
}

class OauthSettingsResponse {
  @ResponseField.oneOf(['any', 'documents', 'registered']) readonly clients!: string;
  @ResponseField.boolean() readonly device_flow!: boolean;
  @ResponseField.boolean() readonly require_dpop!: boolean;
}

export class OrganisationSettingsResponse {
  @ResponseField.kind('organisation-settings') readonly object!: 'organisation-settings';
  @ResponseField.one(() => SettingsInForce) readonly settings!: SettingsInForce;
  @ResponseField.one(() => SecurityInForce) readonly data_plane_security_settings!: SecurityInForce;
  @ResponseField.one(() => ExportSettingsResponse) readonly export_settings!: ExportSettingsResponse;
  @ResponseField.one(() => SecuritySettingsResponse) readonly security_settings!: SecuritySettingsResponse;
  @ResponseField.one(() => SessionSettingsResponse) readonly session_settings!: SessionSettingsResponse;
  @ResponseField.one(() => ScimSettingsResponse) readonly scim_settings!: ScimSettingsResponse;
  @ResponseField.one(() => OauthSettingsResponse) readonly oauth_settings!: OauthSettingsResponse;
  @ResponseField.one(() => WorkspaceOverridesResponse)
  readonly workspace_overrides!: WorkspaceOverridesResponse;
  @ResponseField.etag() readonly etag!: string;
}
