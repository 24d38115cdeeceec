import { UsageLimitPolicyValueEntity, type UsageLimitPolicyEntity } from '@gw/entities';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike } from 'typeorm';
import { findRow, patchRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { found, isUuid } from '../../platform/auth/tenancy';
import { escapeLike } from '../../platform/common/text';
import { UNUSED, usageOf } from '../../platform/limits/limit-usage';
import type { GetUsageLimitPolicyQuery, ListPolicyValuesQuery } from './policies.dto';
import type { PolicyValueResponse, UsageLimitPolicyResponse } from './policies.view';
import { USAGE_LIMITS } from './usage-limit-policies';
import { valueBucket, valueUsage } from './policy-values';

/** Lists and resets the values that a usage-limit policy counts separately. */
@Injectable()
export class PolicyValuesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /** Returns the policy, with the usage of its values if the query requests it. */
  async responseOf(
    row: UsageLimitPolicyEntity,
    query: GetUsageLimitPolicyQuery,
  ): Promise<UsageLimitPolicyResponse> {
    const policy = USAGE_LIMITS.view(row);
    return query.include_usage === true
      ? { ...policy, value_key_usage_map: await valueUsage(this.dataSource.manager, row) }
      : policy;
  }

  async list(
    at: ResourceReference,
    query: ListPolicyValuesQuery,
  ): Promise<ListResponse<PolicyValueResponse>> {
    const { manager } = this.dataSource;
    const policy = await findRow(manager, USAGE_LIMITS, at);
    const { status: wanted, search } = query;
    const [rows, total] = await manager.findAndCount(UsageLimitPolicyValueEntity, {
      where: {
        policyId: policy.id,
        ...(wanted === undefined ? {} : { status: wanted }),
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
    const responses = rows.map(({ id, valueKey, status }, index) => ({
      id,
      value_key: valueKey,
      ...(usage[index] ?? UNUSED),
      status,
    }));
    return listOf([responses, total]);
  }

  /** Resets the usage of one value to zero. */
  reset(at: ResourceReference, valueId: string): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, USAGE_LIMITS, at, async ({ id: policyId }) => {
        const { manager } = write;
        const where = { policyId, id: found(isUuid(valueId) ? valueId.toLowerCase() : null) };
        const { id, valueKey } = found(await manager.findOneBy(UsageLimitPolicyValueEntity, where));
        const lastResetAt = new Date();
        await manager.update(UsageLimitPolicyValueEntity, { id }, { lastResetAt, status: 'active' });
        return { reset: { value_key: valueKey, at: lastResetAt.toISOString() } };
      }),
    );
  }
}
