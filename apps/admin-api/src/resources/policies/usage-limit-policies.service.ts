import { UsageLimitPolicyEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, listOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayChangeLimits, assertMayEnd, rankOf } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { assertCountable, midnightOf, nextResetAfter } from '../../platform/limits/limits';
import type {
  CreatedUsageLimitPolicyDto,
  CreateUsageLimitPolicyDto,
  GetUsageLimitPolicyQuery,
  ListUsageLimitPoliciesQuery,
  UpdateUsageLimitPolicyDto,
} from './policies.dto';
import { toUsageLimitPolicy, type UsageLimitPolicyAnswer } from './policies.view';
import { assertOwnOrganisation, findPolicy, listPolicies, recordPolicy, roomFor } from './policy-rows';
import { conditionsOf, groupKeysOf } from './policy-rules';
import { resetValue, valueUsage } from './policy-values';

@Injectable()
export class UsageLimitPoliciesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateUsageLimitPolicyDto): Promise<CreatedUsageLimitPolicyDto> {
    assertOwnOrganisation(caller, input.organisation_id);
    const { name, description = null, type } = input;
    const conditions = conditionsOf('usage', input.conditions);
    const groupBy = groupKeysOf('usage', input.group_by);
    const amounts = amountsOf(type, input.credit_limit, input.alert_threshold ?? null);
    const reset = resetOf(input, UNSET);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const owner = await roomFor(manager, UsageLimitPolicyEntity, caller);
      const { enforcement = null, on_outage: onOutage = null } = input;
      const acts = { enforcement, onOutage };
      const content = { name, description, conditions, groupBy, type, ...amounts, ...reset, ...acts };
      const row = await manager.save(
        manager.create(UsageLimitPolicyEntity, {
          id: uuidv7(),
          ...owner,
          ...content,
          lastResetAt: null,
          status: 'active',
          limitsRank: rankOf(caller),
        }),
      );
      recordPolicy(write, 'create', row, { after: toUsageLimitPolicy(row) });
      return { id: row.id, object: 'policy_usage_limits' };
    });
  }

  async list(
    caller: Principal,
    query: ListUsageLimitPoliciesQuery,
  ): Promise<ListAnswer<UsageLimitPolicyAnswer>> {
    const { manager } = this.dataSource;
    const filters = { type: query.type };
    const [rows, total] = await listPolicies(manager, UsageLimitPolicyEntity, caller, query, filters);
    return listOf([rows.map(toUsageLimitPolicy), total]);
  }

  async get(caller: Principal, id: string, query: GetUsageLimitPolicyQuery): Promise<UsageLimitPolicyAnswer> {
    const { manager } = this.dataSource;
    const row = await findPolicy(manager, UsageLimitPolicyEntity, caller, id, query);
    const policy = toUsageLimitPolicy(row);
    return query.include_usage === true
      ? { ...policy, value_key_usage_map: await valueUsage(manager, row) }
      : policy;
  }

  update(
    caller: Principal,
    id: string,
    input: UpdateUsageLimitPolicyDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findPolicy(manager, UsageLimitPolicyEntity, caller, id, { forUpdate: true });
      assertMayChangeLimits(caller, row.limitsRank);
      assertMatches(ifMatch, row);
      const before = toUsageLimitPolicy(row);
      const { name, description, conditions, credit_limit, alert_threshold } = input;
      if (name !== undefined) row.name = name;
      if (description !== undefined) row.description = description;
      if (conditions !== undefined) row.conditions = conditionsOf('usage', conditions);
      const threshold = alert_threshold === undefined ? row.alertThreshold : alert_threshold;
      Object.assign(row, amountsOf(row.type, credit_limit ?? row.creditLimit, threshold));
      Object.assign(row, resetOf(input, row));
      if (input.enforcement !== undefined) row.enforcement = input.enforcement;
      if (input.on_outage !== undefined) row.onOutage = input.on_outage;
      const reset = input.reset_usage_for_value;
      if (reset !== undefined) await resetValue(manager, row, reset);
      recordPolicy(write, 'update', row, {
        before,
        after: { ...toUsageLimitPolicy(await manager.save(row)), ...(reset === undefined ? {} : { reset }) },
      });
      return {};
    });
  }

  /** Soft. */
  remove(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findPolicy(manager, UsageLimitPolicyEntity, caller, id, { forUpdate: true });
      assertMayEnd(caller, [row], 'The policy');
      assertMatches(ifMatch, row);
      const before = toUsageLimitPolicy(row);
      row.status = 'archived';
      await manager.save(row);
      recordPolicy(write, 'delete', row, { before });
      return {};
    });
  }
}

type Amounts = Pick<UsageLimitPolicyEntity, 'creditLimit' | 'alertThreshold'>;
type Reset = Pick<UsageLimitPolicyEntity, 'periodicReset' | 'periodicResetDays' | 'nextUsageResetAt'>;

const UNSET: Reset = { periodicReset: null, periodicResetDays: null, nextUsageResetAt: null };

/** Throws `validation_failed`: tokens and requests are counted, money is not; the threshold lies below the limit. */
function amountsOf(
  type: UsageLimitPolicyEntity['type'],
  creditLimit: number,
  alertThreshold: number | null,
): Amounts {
  if (type !== 'cost' && !Number.isInteger(creditLimit)) {
    throw invalid('credit_limit', `credit_limit must be a whole number of ${type}`);
  }
  assertCountable(type, creditLimit, 'credit_limit');
  if (alertThreshold !== null && alertThreshold >= creditLimit) {
    throw invalid('alert_threshold', 'alert_threshold must be below credit_limit');
  }
  return { creditLimit, alertThreshold };
}

type ResetInput = Pick<
  UpdateUsageLimitPolicyDto,
  'periodic_reset' | 'periodic_reset_days' | 'next_usage_reset_at'
>;

/**
 * The schedule that `input` makes of `before`: a name given alone replaces days and the other way round, and another period has
 * another next time unless one is given. Throws `validation_failed` when both are given.
 */
function resetOf(input: ResetInput, before: Reset, now = new Date()): Reset {
  const next = input.next_usage_reset_at;
  const schedule = scheduleOf(input, before);
  if (typeof next === 'string') return { ...schedule, nextUsageResetAt: midnightOf(new Date(next)) };
  const { periodicReset: period, periodicResetDays: days } = schedule;
  const isSame = period === before.periodicReset && days === before.periodicResetDays;
  if (isSame && next === undefined) return { ...schedule, nextUsageResetAt: before.nextUsageResetAt };
  return { ...schedule, nextUsageResetAt: nextResetAfter(now, { period, days }) };
}

function scheduleOf(
  { periodic_reset: period, periodic_reset_days: days }: ResetInput,
  before: Reset,
): Omit<Reset, 'nextUsageResetAt'> {
  if (typeof period === 'string' && typeof days === 'number') {
    throw invalid('periodic_reset_days', 'periodic_reset and periodic_reset_days exclude each other');
  }
  if (typeof period === 'string') return { periodicReset: period, periodicResetDays: null };
  if (typeof days === 'number') return { periodicReset: null, periodicResetDays: days };
  return {
    periodicReset: period === undefined ? before.periodicReset : null,
    periodicResetDays: days === undefined ? before.periodicResetDays : null,
  };
}
