import type { ProviderEntity, ProviderStatus, StoredRateLimit } from '@gw/entities';
import { ResponseField, RowResponse, viewOf } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { UsedByResponse } from '../../platform/rows/used-by.queries';
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
  @ResponseField.one(() => UsedByResponse, {
    optional: true,
    description: 'Only present in a list with include_used_by.',
  })
  readonly used_by?: UsedByResponse;
  @ResponseField.kind('provider') readonly object!: 'provider';
}

/**
 * Returns the status; `expired` from the moment of expiry, even before the worker has updated the
 * row.
 */
export const statusOf = (row: Pick<ProviderEntity, 'status' | 'expiresAt'>): ProviderStatus =>
  row.status !== 'archived' && row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()
    ? 'expired'
    : row.status;

export const toProvider = (row: ProviderEntity, integrationSlug: string): ProviderResponse =>
  viewOf(ProviderResponse, row, {
    integration_id: integrationSlug,
    status: statusOf(row),
    reset_usage: null,
    object: 'provider',
  });

/** Returns the owner of the budgets of a provider or virtual key. */
export const limitOwnerOf = ({ organisationId, id, lastResetAt }: ProviderEntity): LimitOwner => ({
  ...{ organisationId, scope: 'provider', id, lastResetAt },
});
