import { ExportSettingsResponse } from '../../platform/tenant-settings/export-settings.dto';
import type { SecuritySettings } from '@gw/auth-scopes';
import type { StoredRateLimit, WorkspaceEntity } from '@gw/entities';
import { LOSS_MODES } from '@gw/kernel';
import { omitOf, ResponseField, RowResponse, viewOf } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitResponse, UsageLimitResponse } from '../../platform/limits/limits.dto';
import { SecuritySettingsResponse } from '../../platform/tenant-settings/security-settings.dto';
import { userKeySettingsResponse } from '../../platform/tenant-settings/user-key-settings';
import { UserKeySettingsResponse } from '../../platform/tenant-settings/user-key-settings.dto';
import { MemberResponse } from './workspace-members.dto';
import { displayName, type NameFormat } from './workspace-names';

class WorkspaceDefaultsResponse {
  @ResponseField.map({ nullable: true }) readonly metadata!: Readonly<Record<string, string>> | null;
  @ResponseField.texts({ description: 'Slugs of the guardrails.', example: ['pg-3f9a1c'] })
  readonly input_guardrails!: readonly string[];
  @ResponseField.texts({ description: 'Slugs of the guardrails.', example: ['pg-3f9a1c'] })
  readonly output_guardrails!: readonly string[];
  @ResponseField.text({ nullable: true, description: 'Slug of the config.', example: 'pc-fallba-3f9a1c' })
  readonly user_api_key_config!: string | null;
  @ResponseField.kind('workspace-defaults') readonly object!: 'workspace-defaults';
}

class WorkspaceSettingsResponse extends UserKeySettingsResponse {
  @ResponseField.bit({ nullable: true, description: 'Null when the setting of the organisation applies.' })
  readonly debug_log!: 0 | 1 | null;
  @ResponseField.oneOf(['standard', 'strict'], {
    nullable: true,
    description: 'Null when the setting of the organisation applies.',
  })
  readonly audit!: string | null;
  @ResponseField.oneOf(LOSS_MODES, { nullable: true, description: 'Null means strict.' })
  readonly translation_loss!: string | null;
  @ResponseField.boolean({ nullable: true, description: 'Null means false.' })
  readonly portkey_headers!: boolean | null;
}

class WorkspaceSecurityResponse {
  @ResponseField.boolean({
    nullable: true,
    description:
      'Null when the setting of the organisation applies. The organisation can block inline configs for all workspaces.',
  })
  readonly block_inline_config!: boolean | null;
}

export class WorkspaceResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ nullable: true, example: '🔍' }) readonly icon!: string | null;
  @ResponseField.text({ nullable: true, example: 'What it is for' }) readonly description!: string | null;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
  @ResponseField.bit() readonly is_default!: 0 | 1;
  @ResponseField.one(() => WorkspaceDefaultsResponse) readonly defaults!: WorkspaceDefaultsResponse;
  @ResponseField.one(() => WorkspaceSettingsResponse) readonly settings!: WorkspaceSettingsResponse;
  @ResponseField.one(() => SecuritySettingsResponse, {
    optional: true,
    description: 'The security settings in force.',
  })
  readonly security_settings?: SecuritySettingsResponse;
  @ResponseField.one(() => WorkspaceSecurityResponse)
  readonly data_plane_security_settings!: WorkspaceSecurityResponse;
  @ResponseField.one(() => ExportSettingsResponse) readonly export_settings!: ExportSettingsResponse;
  @ResponseField.list(() => UsageLimitResponse, { nullable: true })
  readonly usage_limits!: readonly ShownUsageLimit[] | null;
  @ResponseField.list(() => RateLimitResponse, { nullable: true })
  readonly rate_limits!: readonly StoredRateLimit[] | null;
  @ResponseField.text({ nullable: true }) readonly created_by!: string | null;
  @ResponseField.text({ example: 'api' }) readonly creation_source!: string;
  @ResponseField.kind('workspace') readonly object!: 'workspace';
  @ResponseField.list(() => MemberResponse, { optional: true }) readonly users?: readonly MemberResponse[];
}

const WithoutUsers = omitOf(WorkspaceResponse, 'security_settings', 'users');

/** Returns the data plane settings of the workspace; null for the default. */
const ownSettings = ({
  debug_log,
  audit,
  translation_loss,
  portkey_headers,
}: WorkspaceEntity['settings']) => ({
  debug_log: debug_log ?? null,
  audit: audit ?? null,
  translation_loss: translation_loss ?? null,
  portkey_headers: portkey_headers ?? null,
});

/**
 * Returns a workspace as responses show it. `slugs` contains the slugs of the configs and
 * guardrails that the defaults name, by id.
 */
export function toWorkspace(
  row: WorkspaceEntity,
  slugs: ReadonlyMap<string, string>,
  format: NameFormat = 'display',
  security: SecuritySettings | null = null,
): WorkspaceResponse {
  const { defaults, settings } = row;
  const view = viewOf(WithoutUsers, row, {
    name: displayName(row, format),
    is_default: row.isDefault ? 1 : 0,
    defaults: {
      metadata: defaults.metadata ?? null,
      input_guardrails: slugsOf(defaults.input_guardrails, slugs),
      output_guardrails: slugsOf(defaults.output_guardrails, slugs),
      user_api_key_config: slugs.get(defaults.user_api_key_config ?? '') ?? null,
      object: 'workspace-defaults',
    },
    settings: {
      ...ownSettings(settings),
      ...userKeySettingsResponse(settings),
    },
    data_plane_security_settings: {
      block_inline_config: row.dataPlaneSecuritySettings.block_inline_config ?? null,
    },
    export_settings: { deniedFields: row.exportSettings.deniedFields ?? null },
    object: 'workspace',
  });
  return security === null ? view : { ...view, security_settings: security };
}

export const limitOwnerOf = ({ organisationId, id, lastResetAt }: WorkspaceEntity): LimitOwner => ({
  ...{ organisationId, scope: 'workspace', id, lastResetAt },
});

const slugsOf = (ids: readonly string[] = [], slugs: ReadonlyMap<string, string>): readonly string[] =>
  ids.flatMap((id) => slugs.get(id) ?? []);
