import type { ProviderEntity, ProviderStatus, StoredRateLimit } from '@gw/entities';
import { ResponseField, RowResponse, rowFields } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitResponse, UsageLimitResponse } from '../../platform/limits/limits.dto';

export class ProviderResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.text({ description: 'Slug of the integration.' }) readonly integration_id!: string;
  @ResponseField.text({ nullable: true, example: 'For the search team' }) readonly note!: string | null;
  @ResponseField.oneOf(['active', 'exhausted', 'expired', 'archived']) readonly status!: ProviderStatus;
  @ResponseField.one(() => UsageLimitResponse, { nullable: true })
  readonly usage_limits!: ShownUsageLimit | null;
  @ResponseField.list(() => RateLimitResponse, { nullable: true })
  readonly rate_limits!: readonly StoredRateLimit[] | null;
  @ResponseField.nothing() readonly reset_usage!: null;
  @ResponseField.time({ nullable: true }) readonly expires_at!: string | null;
  @ResponseField.time({ nullable: true }) readonly last_reset_at!: string | null;
  @ResponseField.map({ nullable: true }) readonly tags!: Readonly<Record<string, string>> | null;
  @ResponseField.kind('provider') readonly object!: 'provider';
}

/** A provider past its time is expired from that moment, also before a worker has said so in the row. */
export const statusOf = (row: Pick<ProviderEntity, 'status' | 'expiresAt'>): ProviderStatus =>
  row.status !== 'archived' && row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()
    ? 'expired'
    : row.status;

export const toProvider = (row: ProviderEntity, integrationSlug: string): ProviderResponse => ({
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
  ...rowFields(row),
  object: 'provider',
});

/** Whose budgets are shown of a provider, or of a virtual key. */
export const limitOwnerOf = ({ organisationId, id, lastResetAt }: ProviderEntity): LimitOwner => ({
  ...{ organisationId, scope: 'provider', id, lastResetAt },
});
