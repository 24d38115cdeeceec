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
import { BY_NAME, searchable } from '../resource/list-order';

/** Minimum time that an old secret remains valid after a rotation: half an hour. */
export const TRANSITION_MS_MIN = 1_800_000;
const TRANSITION_MS_MAX = 365 * DAY_MS;

export class ApiKeyDefaultsDto {
  @MapField({ optional: true, nullable: true }) metadata?: Record<string, string> | null;
  @ReferenceField({ optional: true, nullable: true, description: 'Id or slug of a config of the workspace.' })
  config_id?: string | null;
  @BooleanField({ optional: true, description: 'When false, requests may not name another config.' })
  allow_config_override?: boolean;
}

/**
 * At least one of the three schedule members is required; `rotation_period` and
 * `rotation_period_days` are mutually exclusive.
 */
export class RotationPolicyDto {
  @EnumField(['weekly', 'monthly'], { optional: true, nullable: true })
  rotation_period?: 'weekly' | 'monthly' | null;
  @IntegerField({ optional: true, nullable: true, min: 1, max: 365 }) rotation_period_days?: number | null;
  @DateField({ optional: true, nullable: true, description: 'Rounded down to midnight UTC.' })
  next_rotation_at?: string | null;
  @IntegerField({ optional: true, min: TRANSITION_MS_MIN, max: TRANSITION_MS_MAX })
  key_transition_period_ms?: number;
}

/** All given members apply. */
export class KeyMcpDto {
  @TextListField({ optional: true, nullable: true, minItems: 1, maxItems: 100, example: ['github'] })
  servers?: string[] | null;
  @TextListField({
    ...{ optional: true, nullable: true, minItems: 1, maxItems: 500 },
    description: '`server/tool`, or `server/*` for all of a server.',
    example: ['github/search_issues'],
  })
  tools?: string[] | null;
  @BooleanField({
    optional: true,
    description: 'True: of the tools, only those whose approved definition has `readOnlyHint`.',
  })
  read_only?: boolean;
}

class ApiKeyFieldsDto {
  @TextField({ optional: true, nullable: true, min: 0, max: 1024 }) description?: string | null;
  @NestedListField(() => RateLimitDto, { optional: true, nullable: true, maxItems: 10 })
  rate_limits?: RateLimitDto[] | null;
  @NestedField(() => UsageLimitDto, { optional: true, nullable: true }) usage_limits?: UsageLimitDto | null;
  @NestedField(() => ApiKeyDefaultsDto, { optional: true, nullable: true })
  defaults?: ApiKeyDefaultsDto | null;
  @NestedField(() => KeyMcpDto, {
    ...{ optional: true, nullable: true },
    description: 'Restricts the key to MCP servers, by their slugs, and to their tools. It gives no access.',
  })
  mcp?: KeyMcpDto | null;
  @EmailListField({ optional: true, nullable: true, maxItems: 50 }) alert_emails?: string[] | null;
  @DateField({ optional: true, nullable: true }) expires_at?: string | null;
  @NestedField(() => RotationPolicyDto, { optional: true, nullable: true })
  rotation_policy?: RotationPolicyDto | null;
}

export class CreateApiKeyDto extends ApiKeyFieldsDto {
  @NameField({ example: 'search-production' }) name!: string;
  @TextListField({ minItems: 1, maxItems: 300, example: ['completions.write', 'logs.list'] })
  scopes!: string[];
  @UuidField({ optional: true, description: 'Id of the user of a user key; default: the caller.' })
  user_id?: string;
}

/** `workspace_id` names the workspace for a caller that is not limited to one. */
export class CreateApiKeyBody extends CreateApiKeyDto {
  @ReferenceField({
    optional: true,
    nullable: true,
    description: 'Workspace of a workspace key; UUID or slug.',
  })
  workspace_id?: string | null;
}

export class UpdateApiKeyDto extends ApiKeyFieldsDto {
  @NameField({ optional: true }) name?: string;
  @TextListField({ optional: true, minItems: 1, maxItems: 300 }) scopes?: string[];
  @BooleanField({ optional: true, description: 'True resets the usage to zero.' }) reset_usage?: boolean;
}

export class RotateApiKeyDto {
  @IntegerField({
    optional: true,
    min: TRANSITION_MS_MIN,
    max: TRANSITION_MS_MAX,
    description:
      'How long the old secret remains valid, in milliseconds. Cannot be sent with revoke_previous.',
  })
  key_transition_period_ms?: number;
  @BooleanField({
    optional: true,
    description:
      'When true, all earlier secrets stop working immediately, including one that is still in transition. Use it for a leaked secret.',
  })
  revoke_previous?: boolean;
}

export class ListApiKeysQuery extends searchable(pageOf({ size: 50 }), [...BY_NAME, 'expires_at'], 'name') {
  @ReferenceField({
    optional: true,
    description: 'UUID or slug. A workspace key can only name its own workspace.',
  })
  workspace_id?: string;
  @QueryEnumListField(['active', 'exhausted', 'expired']) status?: ('active' | 'exhausted' | 'expired')[];
  @QueryUuidListField({ max: 100, description: 'Returns only the keys with these ids.' }) ids?: string[];
}
