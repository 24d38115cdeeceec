import type { PolicyCondition } from '@gw/contracts';
import type { RateLimitPolicyEntity, UsageLimitPolicyEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';
import { RATE_TYPES, RATE_UNITS, TARGETS, USAGE_TYPES } from './policies.dto';

class PolicyConditionAnswer implements PolicyCondition {
  @Answer.text({ example: 'metadata.team' })
  readonly key!: string;

  @Answer.any({ optional: true, description: 'A text or a list of texts.', example: 'search' })
  readonly value?: string | readonly string[];

  @Answer.any({ optional: true, description: 'A text or a list of texts.', example: ['batch'] })
  readonly excludes?: string | readonly string[];
}

class PolicyGroupAnswer {
  @Answer.text({ example: 'api_key' })
  readonly key!: string;
}

class PolicyAnswer extends RowAnswer {
  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'Search team' })
  readonly name!: string;

  @Answer.text({ nullable: true, example: null })
  readonly description!: string | null;

  @Answer.list(() => PolicyConditionAnswer)
  readonly conditions!: readonly PolicyConditionAnswer[];

  @Answer.list(() => PolicyGroupAnswer)
  readonly group_by!: readonly PolicyGroupAnswer[];

  @Answer.oneOf(['active', 'archived'])
  readonly status!: 'active' | 'archived';

  @Answer.uuid()
  readonly workspace_id!: string;

  @Answer.uuid()
  readonly organisation_id!: string;
}

export class UsageLimitPolicyAnswer extends PolicyAnswer {
  @Answer.oneOf(USAGE_TYPES)
  readonly type!: string;

  @Answer.number({ description: 'USD for cost.', example: 100 })
  readonly credit_limit!: number;

  @Answer.number({ nullable: true, example: 80 })
  readonly alert_threshold!: number | null;

  @Answer.oneOf(['weekly', 'monthly'], { nullable: true })
  readonly periodic_reset!: string | null;

  @Answer.integer({ nullable: true, example: null })
  readonly periodic_reset_days!: number | null;

  @Answer.time({ nullable: true })
  readonly next_usage_reset_at!: string | null;

  @Answer.time({ nullable: true })
  readonly last_reset_at!: string | null;

  @Answer.kind('policy_usage_limits')
  readonly object!: 'policy_usage_limits';
}

export class RateLimitPolicyAnswer extends PolicyAnswer {
  @Answer.oneOf(TARGETS)
  readonly target!: string;

  @Answer.oneOf(RATE_TYPES)
  readonly type!: string;

  @Answer.oneOf(RATE_UNITS)
  readonly unit!: string;

  @Answer.integer({ example: 600 })
  readonly value!: number;

  @Answer.kind('policy_rate_limits')
  readonly object!: 'policy_rate_limits';
}

/** One of the values that a policy counts apart. */
export class PolicyEntityAnswer {
  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'metadata.team:search' })
  readonly value_key!: string;

  @Answer.number({ description: 'USD for cost.', example: 12.5 })
  readonly current_usage!: number;

  @Answer.oneOf(['active', 'exhausted'])
  readonly status!: 'active' | 'exhausted';
}

const shared = (row: UsageLimitPolicyEntity | RateLimitPolicyEntity): PolicyAnswer => ({
  id: row.id,
  name: row.name,
  description: row.description,
  conditions: row.conditions,
  group_by: row.groupBy.map((key) => ({ key })),
  status: row.status,
  workspace_id: row.workspaceId,
  organisation_id: row.organisationId,
  ...rowFields(row),
});

export const toUsageLimitPolicy = (row: UsageLimitPolicyEntity): UsageLimitPolicyAnswer => ({
  ...shared(row),
  type: row.type,
  credit_limit: row.creditLimit,
  alert_threshold: row.alertThreshold,
  periodic_reset: row.periodicReset,
  periodic_reset_days: row.periodicResetDays,
  next_usage_reset_at: row.nextUsageResetAt?.toISOString() ?? null,
  last_reset_at: row.lastResetAt?.toISOString() ?? null,
  object: 'policy_usage_limits',
});

export const toRateLimitPolicy = (row: RateLimitPolicyEntity): RateLimitPolicyAnswer => ({
  ...shared(row),
  target: row.target,
  type: row.type,
  unit: row.unit,
  value: row.value,
  object: 'policy_rate_limits',
});
