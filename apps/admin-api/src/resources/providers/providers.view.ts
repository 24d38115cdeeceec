import type { ProviderEntity, ProviderStatus, StoredRateLimit } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';
import type { LimitOwner, ShownUsageLimit } from '../../platform/limits/limit-usage';
import { RateLimitAnswer, UsageLimitAnswer } from '../../platform/limits/limits.dto';

export class ProviderAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.uuid() readonly workspace_id!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
  @Answer.text({ description: 'Slug of the integration.' }) readonly integration_id!: string;
  @Answer.text({ nullable: true, example: 'For the search team' }) readonly note!: string | null;
  @Answer.oneOf(['active', 'exhausted', 'expired', 'archived']) readonly status!: ProviderStatus;
  @Answer.one(() => UsageLimitAnswer, { nullable: true }) readonly usage_limits!: ShownUsageLimit | null;
  @Answer.list(() => RateLimitAnswer, { nullable: true })
  readonly rate_limits!: readonly StoredRateLimit[] | null;
  @Answer.nothing() readonly reset_usage!: null;
  @Answer.time({ nullable: true }) readonly expires_at!: string | null;
  @Answer.time({ nullable: true }) readonly last_reset_at!: string | null;
  @Answer.map({ nullable: true }) readonly tags!: Readonly<Record<string, string>> | null;
  @Answer.kind('provider') readonly object!: 'provider';
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
  ...rowFields(row),
  object: 'provider',
});

/** Whose budgets are shown of a provider, or of a virtual key. */
export const limitOwnerOf = ({ organisationId, id, lastResetAt }: ProviderEntity): LimitOwner => ({
  ...{ organisationId, scope: 'provider', id, lastResetAt },
});
