import { DateField, EnumField, IntegerField, MapField, NumberField } from '@gw/web';

/** `value` 0 blocks everything. */
export class RateLimitDto {
  @EnumField(['requests', 'tokens'])
  type!: 'requests' | 'tokens';

  @EnumField(['rps', 'rpm', 'rph', 'rpd', 'rpw'])
  unit!: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw';

  @IntegerField({ min: 0, max: 1_000_000_000_000 })
  value!: number;
}

/** A budget. `periodic_reset` and `periodic_reset_days` exclude each other. */
export class UsageLimitDto {
  @EnumField(['cost', 'tokens'], { optional: true, description: 'cost (the default) is in USD.' })
  type?: 'cost' | 'tokens';

  @NumberField({ min: 1, max: 1_000_000_000_000 })
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
