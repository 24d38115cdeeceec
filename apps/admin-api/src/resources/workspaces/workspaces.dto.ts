import { LOSS_MODES, type LossMode } from '@gw/kernel';
import {
  BitField,
  BooleanField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  pageOf,
  QueryEnumListField,
  ReferenceField,
  SlugField,
  TextField,
  TextListField,
  EnumField,
} from '@gw/web';
import { RateLimitDto, UsageLimitDto } from '../../platform/limits/limits.dto';
import { ExportSettingsDto } from '../../platform/tenant-settings/export-settings.dto';
import { SecuritySettingsDto } from '../../platform/tenant-settings/security-settings.dto';
import { FirstMembersField, type NewMemberDto } from './workspace-members.dto';
import { UserKeySettingsDto } from '../../platform/tenant-settings/user-key-settings.dto';
import { DataPlaneSecurityDto } from '../../platform/tenant-settings/data-plane-security.dto';

const GUARDRAILS = {
  optional: true,
  nullable: true,
  maxItems: 50,
  description:
    'Ids or slugs of guardrails of the workspace or its organisation, in the order in which they run.',
} as const;

export class WorkspaceDefaultsDto {
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug of a config of the workspace.' })
  user_api_key_config?: string | null;
  @TextListField(GUARDRAILS) input_guardrails?: string[] | null;
  @TextListField(GUARDRAILS) output_guardrails?: string[] | null;
}

export class WorkspaceSettingsDto extends UserKeySettingsDto {
  @BitField({
    optional: true,
    nullable: true,
    description: '1: request and response bodies are logged. 0: only metrics are logged.',
  })
  debug_log?: 0 | 1 | null;
  @EnumField(['standard', 'strict'], {
    optional: true,
    nullable: true,
    description:
      'strict: the gateway rejects requests that it cannot record with 503. standard: the setting of the organisation applies, which may be strict for all workspaces.',
  })
  audit?: 'standard' | 'strict' | null;
  @EnumField(LOSS_MODES, {
    optional: true,
    nullable: true,
    description:
      'Treatment of a request that a provider of another dialect cannot express, unless a config or target sets it. strict (default): 400. adapt: parameters are dropped or changed to the nearest value.',
  })
  translation_loss?: LossMode | null;
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'true: requests may carry x-portkey-* headers instead of x-gw-* headers.',
  })
  portkey_headers?: boolean | null;
}

class WorkspaceFieldsDto {
  @TextField({ optional: true, nullable: true, min: 0, max: 500 }) description?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    min: 0,
    max: 32,
    pattern: /^[^\p{Cc}\u2028\u2029]*$/u,
    description: 'An emoji. An empty string removes it.',
  })
  icon?: string | null;
  @NestedField(() => WorkspaceDefaultsDto, { optional: true, nullable: true })
  defaults?: WorkspaceDefaultsDto | null;
  @NestedListField(() => UsageLimitDto, { optional: true, nullable: true, maxItems: 1 })
  usage_limits?: UsageLimitDto[] | null;
  @NestedListField(() => RateLimitDto, { optional: true, nullable: true, maxItems: 10 })
  rate_limits?: RateLimitDto[] | null;
}

export class CreateWorkspaceDto extends WorkspaceFieldsDto {
  @NameField({ max: 128, example: 'Search team' }) name!: string;
  @SlugField({ optional: true, description: 'Default: derived from the name.' }) slug?: string;
  @FirstMembersField() users?: (string | NewMemberDto)[];
}

export class UpdateWorkspaceDto extends WorkspaceFieldsDto {
  @NameField({ optional: true, max: 128 }) name?: string;
  @BooleanField({ optional: true, description: 'True resets the usage to zero.' })
  reset_usage?: boolean;
  @NestedField(() => WorkspaceSettingsDto, { optional: true }) settings?: WorkspaceSettingsDto;
  @NestedField(() => SecuritySettingsDto, {
    optional: true,
    description:
      'Send all settings. A setting may differ from the organisation only if the organisation lets workspaces override its category.',
  })
  security_settings?: SecuritySettingsDto;
  @NestedField(() => DataPlaneSecurityDto, { optional: true })
  data_plane_security_settings?: DataPlaneSecurityDto;
  @NestedField(() => ExportSettingsDto, { optional: true }) export_settings?: ExportSettingsDto;
}

export class DeleteWorkspaceDto {
  @NameField({ max: 200, description: 'Must equal the name of the workspace.', example: 'Search team' })
  name!: string;
  @BooleanField({ optional: true, description: 'True: also archives the resources of the workspace.' })
  force_delete?: boolean;
}

export class ListWorkspacesQuery extends pageOf({ size: 50 }) {
  @TextField({ optional: true, description: 'Text that the name must contain, case-sensitive.' })
  name?: string;
  @NameField({ optional: true }) exact_name?: string;
  @QueryEnumListField(['active', 'archived']) status?: ('active' | 'archived')[];
  @EnumField(['display', 'plain'], { optional: true }) name_format?: 'display' | 'plain';
}

export class GetWorkspaceQuery {
  @EnumField(['display', 'plain'], { optional: true }) name_format?: 'display' | 'plain';
}
