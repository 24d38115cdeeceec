import { UsageLimitPolicyEntity } from '@gw/entities';
import { assign, columnsOf, invalid, pickOf } from '@gw/web';
import { assertCountable, midnightOf, nextResetAfter } from '../../platform/limits/limits';
import {
  UsageLimitFields,
  type CreateUsageLimitPolicyDto,
  type UpdateUsageLimitPolicyDto,
} from './policies.dto';
import { policyResource, type PolicyDefinition } from './policies.service';
import { toUsageLimitPolicy, type UsageLimitPolicyResponse } from './policies.view';
import { conditionsOf, groupKeysOf } from './policy-rules';
import { resetValue } from './policy-values';

/** Fields that are stored unchanged. */
const PLAIN = pickOf(UsageLimitFields, 'name', 'description', 'enforcement', 'on_outage');

export const USAGE_LIMITS = {
  ...policyResource,
  entity: UsageLimitPolicyEntity,
  view: toUsageLimitPolicy,
  object: 'policy_usage_limits',
  columns: (input) => ({
    ...columnsOf(PLAIN, input),
    conditions: conditionsOf('usage', input.conditions),
    groupBy: groupKeysOf('usage', input.group_by),
    type: input.type,
    ...amountsOf(input.type, input.credit_limit, input.alert_threshold ?? null),
    ...resetOf(input, UNSET),
    lastResetAt: null,
  }),
  change: async (row, input, manager) => {
    const { conditions, credit_limit, alert_threshold, reset_usage_for_value: reset } = input;
    assign(PLAIN, row, input);
    if (conditions !== undefined) row.conditions = conditionsOf('usage', conditions);
    const threshold = alert_threshold === undefined ? row.alertThreshold : alert_threshold;
    Object.assign(row, amountsOf(row.type, credit_limit ?? row.creditLimit, threshold), resetOf(input, row));
    if (reset === undefined) return;
    await resetValue(manager, row, reset);
    return { reset };
  },
} as const satisfies PolicyDefinition<
  UsageLimitPolicyEntity,
  CreateUsageLimitPolicyDto,
  UpdateUsageLimitPolicyDto,
  UsageLimitPolicyResponse
>;

type Amounts = Pick<UsageLimitPolicyEntity, 'creditLimit' | 'alertThreshold'>;
type Reset = Pick<UsageLimitPolicyEntity, 'periodicReset' | 'periodicResetDays' | 'nextUsageResetAt'>;

const UNSET: Reset = { periodicReset: null, periodicResetDays: null, nextUsageResetAt: null };

/**
 * Throws `validation_failed` for fractional tokens or requests, and for a threshold that is not
 * below the limit.
 */
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
 * Returns the reset schedule after an update. A named period sent alone replaces days, and vice
 * versa. A new period also gets a new next reset, unless the request contains one. Throws
 * `validation_failed` when both are sent.
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
    throw invalid(
      'periodic_reset_days',
      'periodic_reset and periodic_reset_days are mutually exclusive; send one of them',
    );
  }
  if (typeof period === 'string') return { periodicReset: period, periodicResetDays: null };
  if (typeof days === 'number') return { periodicReset: null, periodicResetDays: days };
  return {
    periodicReset: period === undefined ? before.periodicReset : null,
    periodicResetDays: days === undefined ? before.periodicResetDays : null,
  };
}
