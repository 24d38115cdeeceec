import type { RateLimitRule } from '@gw/contracts';
import type { ApiKeyEntity, StoredRotationPolicy, StoredUsageLimit } from '@gw/entities';
import { etagOf } from '@gw/web';

export interface ApiKeyAnswer {
  readonly id: string;
  /** First two and last three characters. */
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: ApiKeyEntity['type'];
  readonly organisation_id: string;
  readonly workspace_id: string | null;
  readonly user_id: string | null;
  readonly status: ApiKeyEntity['status'];
  readonly creation_mode: ApiKeyEntity['creationMode'];
  readonly scopes: readonly string[];
  readonly rate_limits: readonly RateLimitRule[];
  readonly usage_limits: StoredUsageLimit | null;
  readonly next_usage_reset_at: string | null;
  readonly last_reset_at: string | null;
  readonly reset_usage: null;
  readonly defaults: {
    readonly metadata: Readonly<Record<string, string>> | null;
    readonly config_id: string | null;
    readonly allow_config_override: boolean;
  };
  readonly allow_config_override: 0 | 1;
  readonly api_key_defaults_id: string | null;
  readonly alert_emails: readonly string[] | null;
  readonly expires_at: string | null;
  readonly expiry_enforced: 0 | 1;
  readonly rotation_policy:
    (StoredRotationPolicy & { status: string; last_rotated_at: string | null }) | null;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly object: 'api-key';
  readonly etag: string;
}

/** An entity's key column holds the id of the default config; answers carry its slug. */
export function toApiKey(row: ApiKeyEntity, masked: string, configSlug: string | null): ApiKeyAnswer {
  return {
    id: row.id,
    key: masked,
    name: row.name,
    description: row.description,
    type: row.type,
    organisation_id: row.organisationId,
    workspace_id: row.workspaceId,
    user_id: row.userId,
    status: row.status,
    creation_mode: row.creationMode,
    scopes: row.scopes,
    rate_limits: row.rateLimits ?? [],
    usage_limits: row.usageLimits,
    next_usage_reset_at: row.usageLimits?.next_usage_reset_at ?? null,
    last_reset_at: textOf(row.lastResetAt),
    reset_usage: null,
    defaults: {
      metadata: row.defaultMetadata,
      config_id: configSlug,
      allow_config_override: row.allowConfigOverride,
    },
    allow_config_override: row.allowConfigOverride ? 1 : 0,
    api_key_defaults_id: null,
    alert_emails: row.alertEmails,
    expires_at: textOf(row.expiresAt),
    expiry_enforced: row.expiresAt === null ? 0 : 1,
    rotation_policy: row.rotationPolicy && {
      ...row.rotationPolicy,
      status: 'ACTIVE',
      last_rotated_at: textOf(row.lastRotatedAt),
    },
    created_at: row.createdAt.toISOString(),
    last_updated_at: row.lastUpdatedAt.toISOString(),
    object: 'api-key',
    etag: etagOf(row),
  };
}

const textOf = (date: Date | null): string | null => date?.toISOString() ?? null;
