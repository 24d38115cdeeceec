import type { PolicyCondition } from '@gw/contracts';
import type { RateLimitPolicyEntity, UsageLimitPolicyEntity } from '@gw/entities';
import { Answer, answerOf, pickOf, RowAnswer, viewOf } from '@gw/web';
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

class PolicyConditionAnswer implements PolicyCondition {
  @Answer.text({ example: 'metadata.team' }) readonly key!: string;
  @Answer.any({ optional: true, description: 'A text or a list of texts.', example: 'search' })
  readonly value?: string | readonly string[];
  @Answer.any({ optional: true, description: 'A text or a list of texts.', example: ['batch'] })
  readonly excludes?: string | readonly string[];
}

class PolicyGroupAnswer {
  @Answer.text({ example: 'api_key' }) readonly key!: string;
}

const DESCRIBED = { description: 'What it does while the counters cannot be reached.' } as const;

class PolicyAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.text({ nullable: true, example: null }) readonly description!: string | null;
  @Answer.list(() => PolicyConditionAnswer) readonly conditions!: readonly PolicyConditionAnswer[];
  @Answer.list(() => PolicyGroupAnswer) readonly group_by!: readonly PolicyGroupAnswer[];
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @Answer.uuid() readonly workspace_id!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.oneOf(OUTAGE_MODES, DESCRIBED) readonly on_outage!: string;
}

const ShownUsageLimit = answerOf(
  pickOf(UsageLimitFields, 'alert_threshold', 'periodic_reset', 'periodic_reset_days', 'next_usage_reset_at'),
  PolicyAnswer,
);

export class UsageLimitPolicyAnswer extends ShownUsageLimit {
  @Answer.oneOf(USAGE_TYPES) readonly type!: string;
  @Answer.number({ description: 'USD for cost.', example: 100 }) readonly credit_limit!: number;
  @Answer.time({ nullable: true }) readonly last_reset_at!: string | null;
  @Answer.oneOf(ENFORCEMENTS, { description: 'strict never passes the limit.' })
  readonly enforcement!: string;
  @Answer.json({
    optional: true,
    description:
      'By value key: { current_usage, burn_rate_per_day, forecast_exhausted_at, status, is_threshold_alerts_sent, ' +
      'is_exhausted_alerts_sent }. With include_usage.',
    example: {},
  })
  readonly value_key_usage_map?: Readonly<Record<string, PolicyValueUsage>>;
  @Answer.kind('policy_usage_limits') readonly object!: 'policy_usage_limits';
}

/** Usage of one value of a policy. */
export interface PolicyValueUsage extends LimitUsage {
  readonly status: 'active' | 'exhausted';
  readonly is_threshold_alerts_sent: boolean;
  readonly is_exhausted_alerts_sent: boolean;
}

export class RateLimitPolicyAnswer extends answerOf(pickOf(RateLimitFields, 'value'), PolicyAnswer) {
  @Answer.oneOf(TARGETS) readonly target!: string;
  @Answer.oneOf(RATE_TYPES) readonly type!: string;
  @Answer.oneOf(RATE_UNITS, { nullable: true, description: 'Null for concurrency.' })
  readonly unit!: string | null;
  @Answer.oneOf(WINDOWS, { nullable: true, description: 'Null for concurrency.' })
  readonly window!: string | null;
  @Answer.oneOf(ENFORCEMENTS, { nullable: true, description: 'Of tokens; null for what is never passed.' })
  readonly enforcement!: string | null;
  @Answer.kind('policy_rate_limits') readonly object!: 'policy_rate_limits';
}

export class CreatedUsageLimitPolicyDto extends pickOf(UsageLimitPolicyAnswer, 'id', 'object') {}
export class CreatedRateLimitPolicyDto extends pickOf(RateLimitPolicyAnswer, 'id', 'object') {}

/** One of the values that a policy counts apart. */
export class PolicyEntityAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'metadata.team:search' }) readonly value_key!: string;
  @Answer.number({ description: 'USD for cost.', example: 12.5 }) readonly current_usage!: number;
  @Answer.number({ nullable: true, description: BURN_RATE, example: 1.25 })
  readonly burn_rate_per_day!: number | null;
  @Answer.time({ nullable: true, description: FORECAST }) readonly forecast_exhausted_at!: string | null;
  @Answer.oneOf(['active', 'exhausted']) readonly status!: 'active' | 'exhausted';
}

const groupsOf = (keys: readonly string[]): PolicyGroupAnswer[] => keys.map((key) => ({ key }));

export const toUsageLimitPolicy = (row: UsageLimitPolicyEntity): UsageLimitPolicyAnswer =>
  viewOf(UsageLimitPolicyAnswer, row, {
    group_by: groupsOf(row.groupBy),
    enforcement: row.enforcement ?? 'standard',
    on_outage: row.onOutage ?? (row.enforcement === 'strict' ? 'refuse' : 'hold'),
    object: 'policy_usage_limits',
  });

export const toRateLimitPolicy = (row: RateLimitPolicyEntity): RateLimitPolicyAnswer =>
  viewOf(RateLimitPolicyAnswer, row, {
    group_by: groupsOf(row.groupBy),
    window: row.type === 'concurrency' ? null : (row.window ?? 'fixed'),
    enforcement: row.type === 'tokens' ? (row.enforcement ?? 'standard') : null,
    on_outage: row.onOutage ?? 'hold',
    object: 'policy_rate_limits',
  });
