import { Answer, DateField, EnumField, IntegerField, MapField, NumberField } from '@gw/web';

/** `value` 0 blocks everything. */
export class RateLimitDto {
  @EnumField(['requests', 'tokens'], { example: 'requests' })
  type!: 'requests' | 'tokens';

  @EnumField(['rps', 'rpm', 'rph', 'rpd', 'rpw'], { example: 'rpm' })
  unit!: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw';

  @IntegerField({ min: 0, max: 1_000_000_000_000, example: 600 })
  value!: number;
}

/** A budget. `periodic_reset` and `periodic_reset_days` exclude each other. */
export class UsageLimitDto {
  @EnumField(['cost', 'tokens'], { optional: true, description: 'cost (the default) is in USD.' })
  type?: 'cost' | 'tokens';

  @NumberField({ min: 1, max: 1_000_000_000_000, example: 100 })
  credit_limit!: number;

  @NumberField({ optional: true, nullable: true, min: 1, description: 'Below credit_limit.' })
  alert_threshold?: number | null;

  @EnumField(['weekly', 'monthly'], { optional: true, nullable: true })
  periodic_reset?: 'weekly' | 'monthly' | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 365 })
  periodic_reset_days?: number | null;

  @DateField({ optional: true, nullable: true, description: 'Normalised to midnight UTC.' })
  next_usage_reset_at?: string | null;

  @MapField({ optional: true, nullable: true })
  metadata?: Record<string, string> | null;
}

/** A budget as answers show it. */
export class UsageLimitAnswer {
  @Answer.oneOf(['cost', 'tokens', 'requests'])
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

  @Answer.oneOf(['active', 'exhausted'])
  readonly status!: string;

  @Answer.map({ optional: true, nullable: true })
  readonly metadata?: Record<string, string> | null;
}
