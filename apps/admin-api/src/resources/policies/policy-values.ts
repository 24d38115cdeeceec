import { policyUsageRule, UsageLimitPolicyValueEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { alertsRaised } from '@gw/ledger-store';
import { budgetBucket, periodAt, withReset, type Bucket } from '@gw/limits';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { UNUSED, usageOf } from '../../platform/limits/limit-usage';
import type { PolicyValueUsage } from './policies.view';

const VALUES_MAX = 1_000;

/** Returns usage and raised alerts of the newest 1,000 values, by value key. */
export async function valueUsage(
  manager: EntityManager,
  policy: UsageLimitPolicyEntity,
): Promise<Record<string, PolicyValueUsage>> {
  const { organisationId } = policy;
  const rows = await manager.find(UsageLimitPolicyValueEntity, {
    where: { policyId: policy.id },
    order: { createdAt: 'DESC', id: 'DESC' },
    take: VALUES_MAX,
  });
  const buckets = rows.map((row) => valueBucket(policy, row));
  const usage = await usageOf(manager, organisationId, buckets);
  const requested = buckets.map((bucket) => ({ counter: bucket.key, since: periodAt(bucket, Date.now()) }));
  const raised = await alertsRaised(manager, organisationId, requested);
  const reported = (
    bucket: Bucket | undefined,
    kind: 'threshold' | 'exhausted',
    amount: number | null,
  ): boolean =>
    raised.some((alert) => alert.counter === bucket?.key && alert.kind === kind && alert.amount === amount);
  return Object.fromEntries(
    rows.map(({ valueKey, status }, at) => {
      const bucket = buckets[at];
      const value: PolicyValueUsage = {
        ...(usage[at] ?? UNUSED),
        status,
        is_threshold_alerts_sent: reported(bucket, 'threshold', bucket?.alertAt ?? null),
        is_exhausted_alerts_sent: reported(bucket, 'exhausted', bucket?.value ?? null),
      };
      return [valueKey, value];
    }),
  );
}

/**
 * Resets a value by its key. Throws `validation_failed` for a value that the policy has never
 * counted.
 */
export async function resetValue(
  manager: EntityManager,
  { id: policyId }: UsageLimitPolicyEntity,
  valueKey: string,
): Promise<void> {
  const value = await manager.findOneBy(UsageLimitPolicyValueEntity, { policyId, valueKey });
  if (value === null) throw invalid('reset_usage_for_value', 'is not a value that the policy has counted');
  const reset = { lastResetAt: new Date(), status: 'active' } as const;
  await manager.update(UsageLimitPolicyValueEntity, { id: value.id }, reset);
}

/** Returns the counter of a value, with the same key as in gateways and the worker. */
export function valueBucket(policy: UsageLimitPolicyEntity, value: UsageLimitPolicyValueEntity): Bucket {
  const rule = policyUsageRule(policy);
  const owner = {
    tenant: policy.organisationId,
    scope: 'policy',
    id: policy.id,
    group: value.valueKey,
  } as const;
  return budgetBucket(owner, withReset(rule, value.lastResetAt?.toISOString()));
}
