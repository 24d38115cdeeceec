import { ResponseField, BooleanField, customField, IntegerField, TextListField } from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';

const COUNT_MAX = 10_000;
/** Ten years, in seconds. */
const SECONDS_MAX = 315_360_000;
const DAYS_MAX = 365;
const PERIODS: Readonly<Record<string, number>> = { weekly: 7, monthly: 30, '': 0 };

/**
 * Returns the days of a rotation period: 1 to 365, `weekly` or `monthly`; 0 for an empty string,
 * which means none. Null for any other value.
 */
export function rotationDays(value: unknown): number | null {
  if (typeof value === 'string') return Object.hasOwn(PERIODS, value) ? (PERIODS[value] ?? null) : null;
  const isDays = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= DAYS_MAX;
  return isDays ? value : null;
}

const RotationPeriodField = (): PropertyDecorator =>
  customField(
    {
      optional: true,
      nullable: true,
      description: '1 to 365 days, weekly or monthly; empty or null for no rotation.',
      example: 30,
    },
    {
      anyOf: [
        { type: 'integer', minimum: 1, maximum: DAYS_MAX },
        { type: 'string', enum: Object.keys(PERIODS) },
      ],
    },
    ValidateBy({
      name: 'isRotationPeriod',
      validator: {
        validate: (value: unknown) => rotationDays(value) !== null,
        defaultMessage: () => '$property must be 1 to 365 days, weekly, monthly or empty',
      },
    }),
  );

/**
 * Changes of the settings for user keys. Absent members stay as they are; null resets a setting.
 */
export class UserKeySettingsDto {
  @IntegerField({
    optional: true,
    nullable: true,
    min: -1,
    max: COUNT_MAX,
    description: 'Maximum keys per user; -1 for no limit.',
  })
  user_api_key_count?: number | null;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    max: SECONDS_MAX,
    description: 'Default lifetime in seconds; 0 for none.',
  })
  user_api_key_ttl?: number | null;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    max: SECONDS_MAX,
    description: 'Maximum lifetime in seconds; 0 for none.',
  })
  user_api_key_max_ttl?: number | null;
  @RotationPeriodField() user_api_key_rotation_period?: number | string | null;
  @BooleanField({ optional: true, nullable: true, description: 'Whether new members get a user key.' })
  user_api_key_auto_create?: boolean | null;
  @TextListField({
    optional: true,
    nullable: true,
    maxItems: 300,
    description: 'Scopes of automatically created keys; empty for the default scopes.',
  })
  user_api_key_auto_create_scopes?: string[] | null;
}

/** Settings for user keys. Null in a workspace means that the organisation's setting applies. */
export class UserKeySettingsResponse {
  @ResponseField.integer({ nullable: true, example: -1 }) readonly user_api_key_count!: number | null;
  @ResponseField.integer({
    nullable: true,
    description: 'Default lifetime in seconds; 0 for none.',
    example: 0,
  })
  readonly user_api_key_ttl!: number | null;
  @ResponseField.integer({
    nullable: true,
    description: 'Maximum lifetime in seconds; 0 for none.',
    example: 0,
  })
  readonly user_api_key_max_ttl!: number | null;
  @ApiProperty({
    anyOf: [
      { type: 'integer', minimum: 1, maximum: DAYS_MAX },
      { type: 'string', enum: [''] },
    ],
    nullable: true,
    description: 'Rotation period in days; an empty string for none, as in requests.',
    example: 30,
  })
  readonly user_api_key_rotation_period!: number | '' | null;
  @ResponseField.boolean({ nullable: true }) readonly user_api_key_auto_create!: boolean | null;
  @ResponseField.texts({ nullable: true, example: ['completions.write'] })
  readonly user_api_key_auto_create_scopes!: readonly string[] | null;
}
