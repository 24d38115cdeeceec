import { ResponseField, DateField, EnumField, IntegerField, MapField, NumberField } from '@gw/web';

export const WINDOWS = ['fixed', 'sliding'] as const;
export const ENFORCEMENTS = ['standard', 'strict'] as const;
export const OUTAGE_MODES = ['hold', 'refuse'] as const;

const USED =
  'In its period, by the durable record; USD for cost. In answers to a GET, like the two after it.';
export const BURN_RATE = 'Of the last seven days. Null: nothing was recorded, or not for an hour yet.';
export const FORECAST =
  'When it is used up at that rate. Null: it is unknown, it is used up already, or it lasts until its reset.';

const OPTIONAL = { optional: true, nullable: true } as const;
export const WINDOW = { ...OPTIONAL, description: 'fixed when absent; concurrency has none.' } as const;
export const RATE_ENFORCEMENT = {
  ...OPTIONAL,
  description: 'Of tokens: strict asks for room for all that a request may use. standard when absent.',
} as const;
export const ENFORCEMENT = {
  ...OPTIONAL,
  description:
    'strict never passes the limit: all that a request may cost must fit, and a model without a price is refused. standard, when ' +
    'absent, admits while anything is left.',
} as const;
export const ON_OUTAGE = {
  ...OPTIONAL,
  description:
    'While the counters cannot be reached: hold goes on within a local share, refuse answers 503. When absent, a strict budget ' +
    'refuses and everything else holds.',
} as const;

/** `value` 0 blocks everything. */
export class RateLimitDto {
  @EnumField(['requests', 'tokens', 'concurrency'], {
    example: 'requests',
    description: 'concurrency: requests that are under way at the same time.',
  })
  type!: 'requests' | 'tokens' | 'concurrency';
  @EnumField(['rps', 'rpm', 'rph', 'rpd', 'rpw'], {
    ...OPTIONAL,
    example: 'rpm',
    description: 'Required, but for concurrency, which has none.',
  })
  unit?: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw' | null;
  @IntegerField({ min: 0, max: 1_000_000_000_000, example: 600 }) value!: number;
  @EnumField(WINDOWS, WINDOW) window?: (typeof WINDOWS)[number] | null;
  @EnumField(ENFORCEMENTS, RATE_ENFORCEMENT) enforcement?: (typeof ENFORCEMENTS)[number] | null;
  @EnumField(OUTAGE_MODES, ON_OUTAGE) on_outage?: (typeof OUTAGE_MODES)[number] | null;
}

/** A budget. `periodic_reset` and `periodic_reset_days` exclude each other. */
export class UsageLimitDto {
  @EnumField(['cost', 'tokens'], { optional: true, description: 'cost (the default) is in USD.' })
  type?: 'cost' | 'tokens';
  @NumberField({ min: 1, max: 1_000_000_000_000, example: 100 }) credit_limit!: number;
  @NumberField({ optional: true, nullable: true, min: 1, description: 'Below credit_limit.' })
  alert_threshold?: number | null;
  @EnumField(['weekly', 'monthly'], { optional: true, nullable: true })
  periodic_reset?: 'weekly' | 'monthly' | null;
  @IntegerField({ optional: true, nullable: true, min: 1, max: 365 }) periodic_reset_days?: number | null;
  @DateField({ optional: true, nullable: true, description: 'Normalised to midnight UTC.' })
  next_usage_reset_at?: string | null;
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @EnumField(ENFORCEMENTS, ENFORCEMENT) enforcement?: (typeof ENFORCEMENTS)[number] | null;
  @EnumField(OUTAGE_MODES, ON_OUTAGE) on_outage?: (typeof OUTAGE_MODES)[number] | null;
}

/** A rate limit as answers show it. What was not chosen is absent. */
export class RateLimitResponse {
  @ResponseField.oneOf(['requests', 'tokens', 'concurrency']) readonly type!: string;
  @ResponseField.oneOf(['rps', 'rpm', 'rph', 'rpd', 'rpw'], {
    nullable: true,
    description: 'Null for concurrency.',
  })
  readonly unit!: string | null;
  @ResponseField.integer({ example: 600 }) readonly value!: number;
  @ResponseField.oneOf(WINDOWS, { optional: true }) readonly window?: string;
  @ResponseField.oneOf(ENFORCEMENTS, { optional: true }) readonly enforcement?: string;
  @ResponseField.oneOf(OUTAGE_MODES, { optional: true }) readonly on_outage?: string;
}

/** A budget as answers show it. */
export class UsageLimitResponse {
  @ResponseField.oneOf(['cost', 'tokens', 'requests']) readonly type!: string;
  @ResponseField.number({ description: 'USD for cost.', example: 100 }) readonly credit_limit!: number;
  @ResponseField.number({ nullable: true, example: 80 }) readonly alert_threshold!: number | null;
  @ResponseField.oneOf(['weekly', 'monthly'], { nullable: true }) readonly periodic_reset!: string | null;
  @ResponseField.integer({ nullable: true, example: null }) readonly periodic_reset_days!: number | null;
  @ResponseField.time({ nullable: true }) readonly next_usage_reset_at!: string | null;
  @ResponseField.oneOf(['active', 'exhausted']) readonly status!: string;
  @ResponseField.number({ optional: true, description: USED, example: 12.5 }) readonly current_usage?: number;
  @ResponseField.number({ optional: true, nullable: true, description: BURN_RATE, example: 1.25 })
  readonly burn_rate_per_day?: number | null;
  @ResponseField.time({ optional: true, nullable: true, description: FORECAST })
  readonly forecast_exhausted_at?: string | null;
  @ResponseField.map({ optional: true, nullable: true }) readonly metadata?: Record<string, string> | null;
  @ResponseField.oneOf(ENFORCEMENTS, { optional: true }) readonly enforcement?: string;
  @ResponseField.oneOf(OUTAGE_MODES, { optional: true }) readonly on_outage?: string;
}
