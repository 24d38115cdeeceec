import { UsageLimitPolicyEntity, UsageLimitPolicyValueEntity } from '@gw/entities';
import { assertMatches, listOf, windowOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayChangeLimits } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found, isUuid } from '../../platform/auth/tenancy';
import { escapeLike } from '../../platform/common/text';
import { UNUSED, usageOf } from '../../platform/limits/limit-usage';
import type { ListPolicyEntitiesQuery } from './policies.dto';
import { toUsageLimitPolicy, type PolicyEntityAnswer } from './policies.view';
import { findPolicy, recordPolicy } from './policy-rows';
import { valueBucket } from './policy-values';

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
    const usage = await usageOf(
      manager,
      policy.organisationId,
      rows.map((row) => valueBucket(policy, row)),
    );
    const answers = rows.map(({ id, valueKey, status: shown }, at) => ({
      id,
      value_key: valueKey,
      ...(usage[at] ?? UNUSED),
      status: shown,
    }));
    return listOf([answers, total]);
  }

  /** What it has used until now does not count any more. */
  reset(caller: Principal, policyId: string, valueId: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const policy = await findPolicy(manager, UsageLimitPolicyEntity, caller, policyId, { forUpdate: true });
      assertMatches(ifMatch, policy);
      assertMayChangeLimits(caller, policy.limitsRank);
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
