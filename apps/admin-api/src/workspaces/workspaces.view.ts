import type { StoredUsageLimit, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import type { RateLimitRule } from '@gw/contracts';
import { etagOf } from '@gw/web';

export interface WorkspaceAnswer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly icon: string | null;
  readonly description: string | null;
  readonly organisation_id: string;
  readonly status: string;
  readonly is_default: 0 | 1;
  readonly defaults: object;
  readonly settings: object;
  readonly usage_limits: readonly StoredUsageLimit[] | null;
  readonly rate_limits: readonly RateLimitRule[] | null;
  readonly created_by: string | null;
  readonly creation_source: string;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly object: 'workspace';
  readonly etag: string;
  readonly users?: readonly object[];
}

/** `display` puts the icon before the name. */
export type NameFormat = 'display' | 'plain';

export const displayName = (row: Pick<WorkspaceEntity, 'name' | 'icon'>, format: NameFormat): string =>
  row.icon !== null && format === 'display' ? `${row.icon} ${row.name}` : row.name;

/** `configSlug`: the slug of `defaults.user_api_key_config`, which is stored by its id. */
export function toWorkspace(
  row: WorkspaceEntity,
  configSlug: string | null,
  format: NameFormat = 'display',
): WorkspaceAnswer {
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
      input_guardrails: [],
      output_guardrails: [],
      user_api_key_config: configSlug,
      object: 'workspace-defaults',
    },
    settings: { debug_log: row.settings.debug_log ?? null },
    usage_limits: row.usageLimits,
    rate_limits: row.rateLimits,
    created_by: row.createdBy,
    creation_source: row.creationSource,
    created_at: row.createdAt.toISOString(),
    last_updated_at: row.lastUpdatedAt.toISOString(),
    object: 'workspace',
    etag: etagOf(row),
  };
}

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

export const toMember = (row: MemberRow): object => ({
  object: 'workspace-user',
  id: row.userId,
  email: row.email,
  first_name: row.firstName,
  last_name: row.lastName,
  org_role: row.organisationRole,
  role: row.role,
  status: 'active',
  workspace_id: row.workspaceId,
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
});
