import { ResponseField, DateField, EnumField, IntegerField, MapField, NumberField } from '@gw/web';

export const WINDOWS = ['fixed', 'sliding'] as const;
export const ENFORCEMENTS = ['standard', 'strict'] as const;
export const OUTAGE_MODES = ['hold', 'refuse'] as const;
/**
 * Maximum limit in USD: the largest amount that a counter in units of 1e-8 USD represents exactly.
 */
export const USD_MAX = 90_000_000;
export const CREDIT_LIMIT = `USD for cost, at most ${USD_MAX.toLocaleString('en-US')}`;

const USED =
  'Usage in the current period, from the durable record; USD for cost. This and the next two members are in responses to GET.';
export const BURN_RATE =
  'Average usage per day over the last seven days. Null when nothing was recorded, or the first record is less than an hour old.';
export const FORECAST =
  'When the budget will be used up at this rate. Null when unknown, already used up, or not before its next reset.';

const OPTIONAL = { optional: true, nullable: true } as const;
export const WINDOW = { ...OPTIONAL, description: 'Default: fixed. concurrency has no window.' } as const;
export const RATE_ENFORCEMENT = {
  ...OPTIONAL,
  description:
    'For token limits only. strict admits a request only if its maximum token usage fits. Default: standard.',
} as const;
export const ENFORCEMENT = {
  ...OPTIONAL,
  description:
    'strict never exceeds the limit: it admits a request only if its maximum cost fits, and refuses models without a price. standard,' +
    ' the default, admits requests while any budget is left.',
} as const;
export const ON_OUTAGE = {
  ...OPTIONAL,
  description:
    'Behaviour while the counters are unavailable: hold continues within a local share, refuse responds with 503. Default: refuse for a strict budget, hold for all others.',
} as const;

/** A rate limit. `value` 0 blocks all requests. */
export class RateLimitDto {
  @EnumField(['requests', 'tokens', 'concurrency'], {
    example: 'requests',
    description: 'concurrency limits the number of requests in flight.',
  })
  type!: 'requests' | 'tokens' | 'concurrency';
  @EnumField(['rps', 'rpm', 'rph', 'rpd', 'rpw'], {
    ...OPTIONAL,
    example: 'rpm',
    description: 'Time unit of the limit. Required, except for concurrency, which has none.',
  })
  unit?: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw' | null;
  @IntegerField({ min: 0, max: 1_000_000_000_000, example: 600 }) value!: number;
  @EnumField(WINDOWS, WINDOW) window?: (typeof WINDOWS)[number] | null;
  @EnumField(ENFORCEMENTS, RATE_ENFORCEMENT) enforcement?: (typeof ENFORCEMENTS)[number] | null;
  @EnumField(OUTAGE_MODES, ON_OUTAGE) on_outage?: (typeof OUTAGE_MODES)[number] | null;
}

/** A budget. `periodic_reset` and `periodic_reset_days` are mutually exclusive. */
export class UsageLimitDto {
  @EnumField(['cost', 'tokens'], {
    optional: true,
    description: 'What the budget counts. Default: cost, which is in USD.',
  })
  type?: 'cost' | 'tokens';
  @NumberField({ min: 1, max: 1_000_000_000_000, description: `${CREDIT_LIMIT}.`, example: 100 })
  credit_limit!: number;
  @NumberField({ optional: true, nullable: true, min: 1, description: 'Must be below credit_limit.' })
  alert_threshold?: number | null;
  @EnumField(['weekly', 'monthly'], { optional: true, nullable: true })
  periodic_reset?: 'weekly' | 'monthly' | null;
  @IntegerField({ optional: true, nullable: true, min: 1, max: 365 }) periodic_reset_days?: number | null;
  @DateField({ optional: true, nullable: true, description: 'Rounded down to midnight UTC.' })
  next_usage_reset_at?: string | null;
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @EnumField(ENFORCEMENTS, ENFORCEMENT) enforcement?: (typeof ENFORCEMENTS)[number] | null;
  @EnumField(OUTAGE_MODES, ON_OUTAGE) on_outage?: (typeof OUTAGE_MODES)[number] | null;
}

/** A rate limit as responses show it. Options that were not set are absent. */
export class RateLimitResponse {
  @ResponseField.oneOf(['requests', 'tokens', 'concurrency']) readonly type!: string;
  @ResponseField.oneOf(['rps', 'rpm', 'rph', 'rpd', 'rpw'], {
    nullable: true,
    description: 'Time unit of the limit; null for concurrency.',
  })
  readonly unit!: string | null;
  @ResponseField.integer({ example: 600 }) readonly value!: number;
  @ResponseField.oneOf(WINDOWS, { optional: true }) readonly window?: string;
  @ResponseField.oneOf(ENFORCEMENTS, { optional: true }) readonly enforcement?: string;
  @ResponseField.oneOf(OUTAGE_MODES, { optional: true }) readonly on_outage?: string;
}

/** A budget as responses show it. */
export class UsageLimitResponse {
  @ResponseField.oneOf(['cost', 'tokens', 'requests']) readonly type!: string;
  @ResponseField.number({ description: 'In USD for a cost budget.', example: 100 })
  readonly credit_limit!: number;
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
