import { DAY_MS } from '@gw/kernel';
import {
  BooleanField,
  DateField,
  EmailListField,
  EnumField,
  IntegerField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  pageOf,
  QueryEnumListField,
  QueryUuidListField,
  ReferenceField,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';
import { RateLimitDto, UsageLimitDto } from '../limits/limits.dto';

/** Half an hour: the shortest time that an old secret keeps working after a rotation. */
export const TRANSITION_MS_MIN = 1_800_000;
const TRANSITION_MS_MAX = 365 * DAY_MS;

export class ApiKeyDefaultsDto {
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug of a config of the workspace.' })
  config_id?: string | null;
  @BooleanField({ optional: true, description: 'False: requests may name no other config.' })
  allow_config_override?: boolean;
}

/** At least one of the three; `rotation_period` and `rotation_period_days` exclude each other. */
export class RotationPolicyDto {
  @EnumField(['weekly', 'monthly'], { optional: true, nullable: true })
  rotation_period?: 'weekly' | 'monthly' | null;
  @IntegerField({ optional: true, nullable: true, min: 1, max: 365 }) rotation_period_days?: number | null;
  @DateField({ optional: true, nullable: true, description: 'Normalised to midnight UTC.' })
  next_rotation_at?: string | null;
  @IntegerField({ optional: true, min: TRANSITION_MS_MIN, max: TRANSITION_MS_MAX })
  key_transition_period_ms?: number;
}

class ApiKeyFieldsDto {
  @TextField({ optional: true, nullable: true, min: 0, max: 1024 }) description?: string | null;
  @NestedListField(() => RateLimitDto, { optional: true, nullable: true, maxItems: 10 })
  rate_limits?: RateLimitDto[] | null;
  @NestedField(() => UsageLimitDto, { optional: true, nullable: true }) usage_limits?: UsageLimitDto | null;
  @NestedField(() => ApiKeyDefaultsDto, { optional: true, nullable: true })
  defaults?: ApiKeyDefaultsDto | null;
  @EmailListField({ optional: true, nullable: true, maxItems: 50 }) alert_emails?: string[] | null;
  @DateField({ optional: true, nullable: true }) expires_at?: string | null;
  @NestedField(() => RotationPolicyDto, { optional: true, nullable: true })
  rotation_policy?: RotationPolicyDto | null;
}

export class CreateApiKeyDto extends ApiKeyFieldsDto {
  @NameField({ example: 'search-production' }) name!: string;
  @TextListField({ minItems: 1, maxItems: 300, example: ['completions.write', 'logs.list'] })
  scopes!: string[];
  @UuidField({ optional: true, description: 'The user of a user key; the caller when absent.' })
  user_id?: string;
}

/** Where the caller is not locked to a workspace, `workspace_id` (UUID or slug) names it. */
export class CreateApiKeyBody extends CreateApiKeyDto {
  @ReferenceField({ optional: true, nullable: true, description: 'Of a workspace key; UUID or slug.' })
  workspace_id?: string | null;
}

export class UpdateApiKeyDto extends ApiKeyFieldsDto {
  @NameField({ optional: true }) name?: string;
  @TextListField({ optional: true, minItems: 1, maxItems: 300 }) scopes?: string[];
  @BooleanField({ optional: true, description: 'True sets the usage to zero.' }) reset_usage?: boolean;
}

export class RotateApiKeyDto {
  @IntegerField({
    optional: true,
    min: TRANSITION_MS_MIN,
    max: TRANSITION_MS_MAX,
    description: 'How long the old secret keeps working. Excludes revoke_previous.',
  })
  key_transition_period_ms?: number;
  @BooleanField({
    optional: true,
    description:
      'True: every secret before the new one ends at once, also one that an earlier rotation left in transition. For a secret that has leaked.',
  })
  revoke_previous?: boolean;
}

export class ListApiKeysQuery extends pageOf({ size: 50 }) {
  @ReferenceField({ optional: true, description: 'UUID or slug; a workspace key is locked to its own.' })
  workspace_id?: string;
  @QueryEnumListField(['active', 'exhausted', 'expired']) status?: ('active' | 'exhausted' | 'expired')[];
  @QueryUuidListField({ max: 100, description: 'Looks up these keys only.' }) ids?: string[];
}
