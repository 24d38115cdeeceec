import { ExportSettingsResponse } from '../../platform/tenant-settings/export-settings.dto';
import type { SecuritySettings } from '@gw/auth-scopes';
import type { StoredRateLimit, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { ResponseField, contentTag, RowResponse, rowFields } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitResponse, UsageLimitResponse } from '../../platform/limits/limits.dto';
import { SecuritySettingsResponse } from '../../platform/tenant-settings/security-settings.dto';
import { userKeySettingsResponse } from '../../platform/tenant-settings/user-key-settings';
import { UserKeySettingsResponse } from '../../platform/tenant-settings/user-key-settings.dto';
import { displayName, type NameFormat } from './workspace-names';

class WorkspaceDefaultsResponse {
  @ResponseField.map({ nullable: true }) readonly metadata!: Readonly<Record<string, string>> | null;
  @ResponseField.texts({ description: 'Slugs.', example: ['pg-3f9a1c'] })
  readonly input_guardrails!: readonly string[];
  @ResponseField.texts({ description: 'Slugs.', example: ['pg-3f9a1c'] })
  readonly output_guardrails!: readonly string[];
  @ResponseField.text({ nullable: true, description: 'Slug of the config.', example: 'pc-fallba-3f9a1c' })
  readonly user_api_key_config!: string | null;
  @ResponseField.kind('workspace-defaults') readonly object!: 'workspace-defaults';
}

class WorkspaceSettingsResponse extends UserKeySettingsResponse {
  @ResponseField.bit({ nullable: true, description: 'Null: as the organisation says.' })
  readonly debug_log!: 0 | 1 | null;
  @ResponseField.oneOf(['standard', 'strict'], {
    nullable: true,
    description: 'Null: as the organisation says.',
  })
  readonly audit!: string | null;
}

class WorkspaceSecurityResponse {
  @ResponseField.boolean({
    nullable: true,
    description: 'Null: as the organisation says, which may block it for all.',
  })
  readonly block_inline_config!: boolean | null;
}

/** A user of a workspace. */
export class MemberResponse {
  @ResponseField.kind('workspace-user') readonly object!: 'workspace-user';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.text({ example: 'Ada' }) readonly first_name!: string;
  @ResponseField.text({ example: 'Lovelace' }) readonly last_name!: string;
  @ResponseField.oneOf(['owner', 'admin', 'member']) readonly org_role!: string;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: WorkspaceUserEntity['role'];
  @ResponseField.oneOf(['active']) readonly status!: 'active';
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
  @ResponseField.etag() readonly etag!: string;
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
  @ResponseField.one(() => SecuritySettingsResponse, { optional: true, description: 'Those in force.' })
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

/** `slugs`: by id, of the config and the guardrails that the defaults name. */
export function toWorkspace(
  row: WorkspaceEntity,
  slugs: ReadonlyMap<string, string>,
  format: NameFormat = 'display',
  security: SecuritySettings | null = null,
): WorkspaceResponse {
  return {
    id: row.id,
    slug: row.slug,
    name: displayName(row, format),
    icon: row.icon,
    description: row.description,
    organisation_id: row.organisationId,
    status: row.status,
    is_default: row.isDefault ? 1 : 0,
    defaults: {
      metadata: row.defaults.metadata ?? null,
      input_guardrails: slugsOf(row.defaults.input_guardrails, slugs),
      output_guardrails: slugsOf(row.defaults.output_guardrails, slugs),
      user_api_key_config: slugs.get(row.defaults.user_api_key_config ?? '') ?? null,
      object: 'workspace-defaults',
    },
    settings: {
      debug_log: row.settings.debug_log ?? null,
      audit: row.settings.audit ?? null,
      ...userKeySettingsResponse(row.settings),
    },
    ...(security === null ? {} : { security_settings: security }),
    data_plane_security_settings: {
      block_inline_config: row.dataPlaneSecuritySettings.block_inline_config ?? null,
    },
    export_settings: { deniedFields: row.exportSettings.deniedFields ?? null },
    usage_limits: row.usageLimits,
    rate_limits: row.rateLimits,
    created_by: row.createdBy,
    creation_source: row.creationSource,
    ...rowFields(row),
    object: 'workspace',
  };
}

export const limitOwnerOf = ({ organisationId, id, lastResetAt }: WorkspaceEntity): LimitOwner => ({
  ...{ organisationId, scope: 'workspace', id, lastResetAt },
});

const slugsOf = (ids: readonly string[] = [], slugs: ReadonlyMap<string, string>): readonly string[] =>
  ids.flatMap((id) => slugs.get(id) ?? []);

/** The row of the join of a membership with its user. */
export interface MemberRow {
  readonly userId: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly organisationRole: string;
  readonly role: WorkspaceUserEntity['role'];
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

export function toMember(row: MemberRow): MemberResponse {
  const { email, firstName, lastName, organisationRole, role } = row;
  return {
    object: 'workspace-user',
    id: row.userId,
    email,
    first_name: firstName,
    last_name: lastName,
    org_role: organisationRole,
    role,
    status: 'active',
    workspace_id: row.workspaceId,
    created_at: row.createdAt.toISOString(),
    last_updated_at: row.lastUpdatedAt.toISOString(),
    etag: contentTag([row.workspaceId, row.userId, email, firstName, lastName, organisationRole, role]),
  };
}
