import type { PolicyCondition } from '@gw/contracts';
import type { RateLimitPolicyEntity, UsageLimitPolicyEntity } from '@gw/entities';
import { ResponseField, responseOf, pickOf, RowResponse, viewOf } from '@gw/web';
import type { LimitUsage } from '../../platform/limits/limit-usage';
import { BURN_RATE, ENFORCEMENTS, FORECAST, OUTAGE_MODES, WINDOWS } from '../../platform/limits/limits.dto';
import {
  RATE_TYPES,
  RATE_UNITS,
  RateLimitFields,
  TARGETS,
  USAGE_TYPES,
  UsageLimitFields,
} from './policies.dto';

class PolicyConditionResponse implements PolicyCondition {
  @ResponseField.text({ example: 'metadata.team' }) readonly key!: string;
  @ResponseField.any({ optional: true, description: 'A string or a list of strings.', example: 'search' })
  readonly value?: string | readonly string[];
  @ResponseField.any({ optional: true, description: 'A string or a list of strings.', example: ['batch'] })
  readonly excludes?: string | readonly string[];
}

class PolicyGroupResponse {
  @ResponseField.text({ example: 'api_key' }) readonly key!: string;
}

const DESCRIBED = { description: 'Behaviour while the counters are unavailable.' } as const;

class PolicyResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ nullable: true, example: null }) readonly description!: string | null;
  @ResponseField.list(() => PolicyConditionResponse) readonly conditions!: readonly PolicyConditionResponse[];
  @ResponseField.list(() => PolicyGroupResponse) readonly group_by!: readonly PolicyGroupResponse[];
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.oneOf(OUTAGE_MODES, DESCRIBED) readonly on_outage!: string;
}

const ShownUsageLimit = responseOf(
  pickOf(UsageLimitFields, 'alert_threshold', 'periodic_reset', 'periodic_reset_days', 'next_usage_reset_at'),
  PolicyResponse,
);

export class UsageLimitPolicyResponse extends ShownUsageLimit {
  @ResponseField.oneOf(USAGE_TYPES) readonly type!: string;
  @ResponseField.number({ description: 'In USD for a cost budget.', example: 100 })
  readonly credit_limit!: number;
  @ResponseField.time({ nullable: true }) readonly last_reset_at!: string | null;
  @ResponseField.oneOf(ENFORCEMENTS, { description: 'strict never exceeds the limit.' })
  readonly enforcement!: string;
  @ResponseField.json({
    optional: true,
    description:
      'Usage by value key, with include_usage: { current_usage, burn_rate_per_day, forecast_exhausted_at, status,' +
      ' is_threshold_alerts_sent, is_exhausted_alerts_sent }.',
    example: {},
  })
  readonly value_key_usage_map?: Readonly<Record<string, PolicyValueUsage>>;
  @ResponseField.kind('policy_usage_limits') readonly object!: 'policy_usage_limits';
}

/** Usage and alerts of one value of a policy. */
export interface PolicyValueUsage extends LimitUsage {
  readonly status: 'active' | 'exhausted';
  readonly is_threshold_alerts_sent: boolean;
  readonly is_exhausted_alerts_sent: boolean;
}

export class RateLimitPolicyResponse extends responseOf(pickOf(RateLimitFields, 'value'), PolicyResponse) {
  @ResponseField.oneOf(TARGETS) readonly target!: string;
  @ResponseField.oneOf(RATE_TYPES) readonly type!: string;
  @ResponseField.oneOf(RATE_UNITS, {
    nullable: true,
    description: 'Time unit of the limit; null for concurrency.',
  })
  readonly unit!: string | null;
  @ResponseField.oneOf(WINDOWS, {
    nullable: true,
    description: 'How the window of the limit moves; null for concurrency.',
  })
  readonly window!: string | null;
  @ResponseField.oneOf(ENFORCEMENTS, {
    nullable: true,
    description: 'Only for tokens; null for types that are always strict.',
  })
  readonly enforcement!: string | null;
  @ResponseField.kind('policy_rate_limits') readonly object!: 'policy_rate_limits';
}

export class CreatedUsageLimitPolicyResponse extends pickOf(UsageLimitPolicyResponse, 'id', 'object') {}
export class CreatedRateLimitPolicyResponse extends pickOf(RateLimitPolicyResponse, 'id', 'object') {}

/** One value that a policy counts separately. */
export class PolicyValueResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'metadata.team:search' }) readonly value_key!: string;
  @ResponseField.number({ description: 'In USD for a cost budget.', example: 12.5 })
  readonly current_usage!: number;
  @ResponseField.number({ nullable: true, description: BURN_RATE, example: 1.25 })
  readonly burn_rate_per_day!: number | null;
  @ResponseField.time({ nullable: true, description: FORECAST }) readonly forecast_exhausted_at!:
    string | null;
  @ResponseField.oneOf(['active', 'exhausted']) readonly status!: 'active' | 'exhausted';
}

const groupsOf = (keys: readonly string[]): PolicyGroupResponse[] => keys.map((key) => ({ key }));

export const toUsageLimitPolicy = (row: UsageLimitPolicyEntity): UsageLimitPolicyResponse =>
  viewOf(UsageLimitPolicyResponse, row, {
    group_by: groupsOf(row.groupBy),
    enforcement: row.enforcement ?? 'standard',
    on_outage: row.onOutage ?? (row.enforcement === 'strict' ? 'refuse' : 'hold'),
    object: 'policy_usage_limits',
  });

export const toRateLimitPolicy = (row: RateLimitPolicyEntity): RateLimitPolicyResponse =>
  viewOf(RateLimitPolicyResponse, row, {
    group_by: groupsOf(row.groupBy),
    window: row.type === 'concurrency' ? null : (row.window ?? 'fixed'),
    enforcement: row.type === 'tokens' ? (row.enforcement ?? 'standard') : null,
    on_outage: row.onOutage ?? 'hold',
    object: 'policy_rate_limits',
  });
