import type { StoredRotationPolicy } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';
import { invalid } from '@gw/web';
import { nextOf, nextResetAfter, type Schedule } from '../limits/limits';
import { TRANSITION_MS_MIN, type RotationPolicyDto } from './api-keys.dto';

/** The shortest length of each period, in milliseconds. */
const PERIOD_MS = { weekly: 7 * DAY_MS, monthly: 28 * DAY_MS } as const;
const PATH = 'rotation_policy';

/**
 * Checks a rotation policy beyond its decorators and returns its stored form. Throws
 * `validation_failed`.
 */
export function toRotationPolicy(input: RotationPolicyDto, now = new Date()): StoredRotationPolicy {
  const schedule = {
    period: input.rotation_period ?? null,
    days: input.rotation_period_days ?? null,
    next: input.next_rotation_at ?? null,
  };
  const next = nextOf(schedule, ['rotation_period', 'rotation_period_days'], PATH, now);
  if (next === null) {
    throw invalid(PATH, 'one of rotation_period, rotation_period_days and next_rotation_at is required');
  }
  const transition = input.key_transition_period_ms ?? TRANSITION_MS_MIN;
  if (transition >= lengthOf(schedule)) {
    throw invalid(
      `${PATH}.key_transition_period_ms`,
      'key_transition_period_ms must be shorter than the rotation period',
    );
  }
  return {
    rotation_period: schedule.period,
    rotation_period_days: schedule.days,
    next_rotation_at: next,
    key_transition_period_ms: transition,
  };
}

/**
 * Returns the policy after a manual rotation: the period starts again, and the date of a one-time
 * rotation stays.
 */
export function afterRotation(policy: StoredRotationPolicy, now: Date): StoredRotationPolicy {
  const next = nextResetAfter(now, { period: policy.rotation_period, days: policy.rotation_period_days });
  return next === null ? policy : { ...policy, next_rotation_at: next.toISOString() };
}

/** Length of the period in milliseconds; Infinity for a one-time rotation. */
function lengthOf({ period, days }: Schedule): number {
  if (period !== null) return PERIOD_MS[period];
  return days === null ? Infinity : days * DAY_MS;
}
