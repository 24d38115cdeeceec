import {
  ApiKeySecretEntity,
  type ApiKeyEntity,
  type StoredMcpAccess,
  type StoredRateLimit,
  type StoredRotationPolicy,
} from '@gw/entities';
import { ResponseField, RowResponse, viewOf } from '@gw/web';
import { In, type EntityManager } from 'typeorm';
import { configSlugsOf } from '../rows/config-references';
import type { LimitOwner, ShownUsageLimit } from '../limits/limit-usage';
import { RateLimitResponse, UsageLimitResponse } from '../limits/limits.dto';

class ApiKeyDefaultsResponse {
  @ResponseField.map({ nullable: true }) readonly metadata!: Readonly<Record<string, string>> | null;
  @ResponseField.text({ nullable: true, description: 'Slug of the config.', example: 'pc-fallba-3f9a1c' })
  readonly config_id!: string | null;
  @ResponseField.boolean() readonly allow_config_override!: boolean;
}

class KeyMcpResponse implements StoredMcpAccess {
  @ResponseField.texts({ nullable: true, example: ['github'] }) readonly servers!: readonly string[] | null;
  @ResponseField.texts({ nullable: true, example: ['github/search_issues'] })
  readonly tools!: readonly string[] | null;
  @ResponseField.boolean() readonly read_only!: boolean;
}

class RotationPolicyResponse implements StoredRotationPolicy {
  @ResponseField.oneOf(['weekly', 'monthly'], { nullable: true })
  readonly rotation_period!: 'weekly' | 'monthly' | null;
  @ResponseField.integer({ nullable: true, example: null }) readonly rotation_period_days!: number | null;
  @ResponseField.time({ nullable: true }) readonly next_rotation_at!: string | null;
  @ResponseField.integer({ example: 1_800_000 }) readonly key_transition_period_ms!: number;
  @ResponseField.text({ example: 'ACTIVE' }) readonly status!: string;
  @ResponseField.time({ nullable: true }) readonly last_rotated_at!: string | null;
}

export class ApiKeyResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({
    description: 'The first two and last three characters of the secret.',
    example: 'tg*****3Ax',
  })
  readonly key!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ nullable: true, example: 'Used by the search service' }) readonly description!:
    string | null;
  @ResponseField.oneOf(['organisation-service', 'workspace-service', 'workspace-user'])
  readonly type!: ApiKeyEntity['type'];
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.uuid({ nullable: true }) readonly user_id!: string | null;
  @ResponseField.oneOf(['active', 'exhausted', 'expired', 'archived'])
  readonly status!: ApiKeyEntity['status'];
  @ResponseField.oneOf(['ui', 'api', 'auto']) readonly creation_mode!: ApiKeyEntity['creationMode'];
  @ResponseField.texts({ example: ['completions.write'] }) readonly scopes!: readonly string[];
  @ResponseField.list(() => RateLimitResponse) readonly rate_limits!: readonly StoredRateLimit[];
  @ResponseField.one(() => UsageLimitResponse, { nullable: true })
  readonly usage_limits!: ShownUsageLimit | null;
  @ResponseField.time({ nullable: true }) readonly next_usage_reset_at!: string | null;
  @ResponseField.time({ nullable: true }) readonly last_reset_at!: string | null;
  @ResponseField.nothing() readonly reset_usage!: null;
  @ResponseField.one(() => ApiKeyDefaultsResponse) readonly defaults!: ApiKeyDefaultsResponse;
  @ResponseField.bit() readonly allow_config_override!: 0 | 1;
  @ResponseField.one(() => KeyMcpResponse, {
    nullable: true,
    description: 'MCP servers and tools to which the key is restricted; null for no restriction.',
  })
  readonly mcp!: StoredMcpAccess | null;
  @ResponseField.uuid({ nullable: true }) readonly api_key_defaults_id!: string | null;
  @ResponseField.texts({ nullable: true, example: ['ops@example.com'] })
  readonly alert_emails!: readonly string[] | null;
  @ResponseField.time({ nullable: true }) readonly expires_at!: string | null;
  @ResponseField.bit() readonly expiry_enforced!: 0 | 1;
  @ResponseField.one(() => RotationPolicyResponse, { nullable: true })
  readonly rotation_policy!: RotationPolicyResponse | null;
  @ResponseField.kind('api-key') readonly object!: 'api-key';
}

export class CreatedApiKey {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({
    description: 'The secret. It is shown only in this response.',
    example: 'tg*****3Ax',
  })
  readonly key!: string;
  @ResponseField.kind('api-key') readonly object!: 'api-key';
}

export class RotatedApiKey {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'tg*****3Ax' }) readonly key!: string;
  @ResponseField.time({
    nullable: true,
    description: 'When the old secret stops working; null when it already has.',
  })
  readonly key_transition_expires_at!: string | null;
}

/**
 * Returns an API key as a response shows it, with the slug of its default config in place of the
 * config's id.
 */
export const toApiKey = (row: ApiKeyEntity, masked: string, configSlug: string | null): ApiKeyResponse =>
  viewOf(ApiKeyResponse, row, {
    key: masked,
    rate_limits: row.rateLimits ?? [],
    next_usage_reset_at: row.usageLimits?.next_usage_reset_at ?? null,
    reset_usage: null,
    defaults: {
      metadata: row.defaultMetadata,
      config_id: configSlug,
      allow_config_override: row.allowConfigOverride,
    },
    allow_config_override: row.allowConfigOverride ? 1 : 0,
    api_key_defaults_id: null,
    expiry_enforced: row.expiresAt === null ? 0 : 1,
    rotation_policy: row.rotationPolicy && {
      ...row.rotationPolicy,
      status: 'ACTIVE',
      last_rotated_at: row.lastRotatedAt?.toISOString() ?? null,
    },
    object: 'api-key',
  });

/** Returns the responses of keys, with their masked secrets and the slugs of their configs. */
export async function apiKeyViews(
  manager: EntityManager,
  rows: readonly ApiKeyEntity[],
): Promise<ApiKeyResponse[]> {
  const apiKeyId = In(rows.map(({ id }) => id));
  const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId, state: 'current' });
  const masked = new Map(secrets.map((secret) => [secret.apiKeyId, secret.masked]));
  const slugs = await configSlugsOf(
    manager,
    rows.map(({ defaultConfigId }) => defaultConfigId),
  );
  return rows.map((row) =>
    toApiKey(row, masked.get(row.id) ?? '', slugs.get(row.defaultConfigId ?? '') ?? null),
  );
}

export const limitOwnerOf = ({ organisationId, id, lastResetAt }: ApiKeyEntity): LimitOwner => ({
  ...{ organisationId, scope: 'api_key', id, lastResetAt },
});
