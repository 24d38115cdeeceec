import {
  balancesOf,
  UsageLimitPolicyEntity,
  UsageLimitPolicyValueEntity,
  usageLimitRule,
} from '@gw/entities';
import { budgetAccount, budgetBucket, periodAt, withReset, type Bucket } from '@gw/limits';
import { listOf, windowOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike, type EntityManager } from 'typeorm';
import { Writes } from '../audit/writes';
import type { Principal } from '../auth/principal';
import { found, isUuid } from '../auth/tenancy';
import { escapeLike } from '../common/text';
import type { ListPolicyEntitiesQuery } from './policies.dto';
import { toUsageLimitPolicy, type PolicyEntityAnswer } from './policies.view';
import { findPolicy, recordPolicy } from './policy-rows';

const UNITS_PER_USD = 100_000_000;

/** The values that a usage-limit policy counts apart: what each has used, and its reset. */
@Injectable()
export class PolicyValuesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(
    caller: Principal,
    policyId: string,
    query: ListPolicyEntitiesQuery,
  ): Promise<ListAnswer<PolicyEntityAnswer>> {
    const { manager } = this.dataSource;
    const policy = await findPolicy(manager, UsageLimitPolicyEntity, caller, policyId);
    const { status, search } = query;
    const [rows, total] = await manager.findAndCount(UsageLimitPolicyValueEntity, {
      where: {
        policyId: policy.id,
        ...(status === undefined ? {} : { status }),
        ...(search === undefined ? {} : { valueKey: ILike(`%${escapeLike(search)}%`) }),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    const used = await usedBy(manager, policy, rows);
    const answers = rows.map(({ id, valueKey, status: shown }, at) => ({
      id,
      value_key: valueKey,
      current_usage: used[at] ?? 0,
      status: shown,
    }));
    return listOf([answers, total]);
  }

  /** What it has used until now does not count any more. */
  reset(caller: Principal, policyId: string, valueId: string): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const policy = await findPolicy(manager, UsageLimitPolicyEntity, caller, policyId, { forUpdate: true });
      const where = { policyId: policy.id, id: found(isUuid(valueId) ? valueId.toLowerCase() : null) };
      const value = found(await manager.findOneBy(UsageLimitPolicyValueEntity, where));
      const lastResetAt = new Date();
      await manager.update(UsageLimitPolicyValueEntity, { id: value.id }, { lastResetAt, status: 'active' });
      const before = toUsageLimitPolicy(policy);
      const after = { ...before, reset: { value_key: value.valueKey, at: lastResetAt.toISOString() } };
      recordPolicy(write, 'update', policy, { before, after });
      return {};
    });
  }
}

/** In USD for cost. */
async function usedBy(
  manager: EntityManager,
  policy: UsageLimitPolicyEntity,
  rows: readonly UsageLimitPolicyValueEntity[],
): Promise<number[]> {
  const { organisationId, type } = policy;
  const asked = rows.map((row) => {
    const bucket = bucketOf(policy, row);
    return { account: budgetAccount(bucket.key), since: periodAt(bucket, Date.now()) };
  });
  const balances = await balancesOf(manager, organisationId, asked);
  return balances.map((balance) => (type === 'cost' ? balance.cost / UNITS_PER_USD : balance[type]));
}

function bucketOf(policy: UsageLimitPolicyEntity, value: UsageLimitPolicyValueEntity): Bucket {
  const rule = usageLimitRule(
    {
      type: policy.type,
      credit_limit: policy.creditLimit,
      alert_threshold: policy.alertThreshold,
      periodic_reset: policy.periodicReset,
      periodic_reset_days: policy.periodicResetDays,
      next_usage_reset_at: policy.nextUsageResetAt?.toISOString() ?? null,
      status: 'active',
    },
    policy.lastResetAt,
  );
  const owner = {
    tenant: policy.organisationId,
    scope: 'policy',
    id: policy.id,
    group: value.valueKey,
  } as const;
  return budgetBucket(owner, withReset(rule, value.lastResetAt?.toISOString()));
}
