import type { RateLimitRule } from '@gw/contracts';
import type { ProviderEntity, ProviderStatus, StoredUsageLimit } from '@gw/entities';
import { etagOf } from '@gw/web';

export interface ProviderAnswer {
  readonly id: string;
  readonly organisation_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly slug: string;
  /** Slug of the integration. */
  readonly integration_id: string;
  readonly note: string | null;
  readonly status: ProviderStatus;
  readonly usage_limits: StoredUsageLimit | null;
  readonly rate_limits: readonly RateLimitRule[] | null;
  readonly reset_usage: null;
  readonly expires_at: string | null;
  readonly last_reset_at: string | null;
  readonly tags: Readonly<Record<string, string>> | null;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly etag: string;
  readonly object: 'provider';
}

/** A provider past its time is expired from that moment, also before a worker has said so in the row. */
export const statusOf = (row: Pick<ProviderEntity, 'status' | 'expiresAt'>): ProviderStatus =>
  row.status !== 'archived' && row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()
    ? 'expired'
    : row.status;

export const toProvider = (row: ProviderEntity, integrationSlug: string): ProviderAnswer => ({
  id: row.id,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  name: row.name,
  slug: row.slug,
  integration_id: integrationSlug,
  note: row.note,
  status: statusOf(row),
  usage_limits: row.usageLimits,
  rate_limits: row.rateLimits,
  reset_usage: null,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_reset_at: row.lastResetAt?.toISOString() ?? null,
  tags: row.tags,
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
  etag: etagOf(row),
  object: 'provider',
});
