import { policyRateLimit, RateLimitPolicyEntity } from '@gw/entities';
import { assign, columnsOf, pickOf } from '@gw/web';
import { toStoredRateLimit } from '../../platform/limits/limits';
import type { RateLimitDto } from '../../platform/limits/limits.dto';
import {
  RateLimitFields,
  type CreateRateLimitPolicyDto,
  type UpdateRateLimitPolicyDto,
} from './policies.dto';
import { policyResource, type PolicyDefinition } from './policies.service';
import { toRateLimitPolicy, type RateLimitPolicyResponse } from './policies.view';
import { conditionsOf, groupKeysOf } from './policy-rules';

/** Fields that are stored unchanged. */
const PLAIN = pickOf(RateLimitFields, 'name', 'description');

export const RATE_LIMITS = {
  ...policyResource,
  entity: RateLimitPolicyEntity,
  view: toRateLimitPolicy,
  object: 'policy_rate_limits',
  columns: (input) => {
    const { target = 'llm', conditions, group_by: groupBy = [] } = input;
    return {
      ...limitOf(input),
      ...columnsOf(PLAIN, input),
      target,
      conditions: conditionsOf(target, conditions),
      groupBy: groupKeysOf(target, groupBy),
    };
  },
  change: (row, input) => {
    assign(PLAIN, row, input);
    if (input.conditions !== undefined) row.conditions = conditionsOf(row.target, input.conditions);
    Object.assign(row, limitOf({ ...policyRateLimit(row), ...presentOf(input) }));
  },
} as const satisfies PolicyDefinition<
  RateLimitPolicyEntity,
  CreateRateLimitPolicyDto,
  UpdateRateLimitPolicyDto,
  RateLimitPolicyResponse
>;

type Limit = Pick<RateLimitPolicyEntity, 'type' | 'unit' | 'value' | 'window' | 'enforcement' | 'onOutage'>;

/**
 * Returns the columns of a limit. Throws `validation_failed` for members that do not fit together.
 */
function limitOf(input: RateLimitDto): Limit {
  const { type, unit, value, window, enforcement, on_outage: onOutage } = toStoredRateLimit(input, '');
  return {
    type,
    unit: unit as Limit['unit'],
    value,
    window: window ?? null,
    enforcement: enforcement ?? null,
    onOutage: onOutage ?? null,
  };
}

const LIMIT_FIELDS = ['unit', 'value', 'window', 'enforcement', 'on_outage'] as const;

/** Returns the members of the limit that a request contains; null clears a member. */
const presentOf = (input: UpdateRateLimitPolicyDto): Partial<RateLimitDto> =>
  Object.fromEntries(
    LIMIT_FIELDS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );
