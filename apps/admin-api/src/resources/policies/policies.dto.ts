import {
  DateField,
  EnumField,
  IntegerField,
  NameField,
  NestedListField,
  NumberField,
  pageOf,
  partialOf,
  QueryBooleanField,
  ReferenceField,
  Strict,
  TextField,
  TextOrListField,
  UuidField,
} from '@gw/web';
import {
  CREDIT_LIMIT,
  ENFORCEMENT,
  ENFORCEMENTS,
  ON_OUTAGE,
  OUTAGE_MODES,
  RATE_ENFORCEMENT,
  WINDOW,
  WINDOWS,
} from '../../platform/limits/limits.dto';

const KEY = {
  description:
    'api_key, metadata.<key>, virtual_key, provider, config, prompt, model, endpoint_type, workspace_id, ' +
    'organisation_id, user_id, client_id, mcp_server, mcp_tool, mcp_annotation, agent or agent_skill. ' +
    'Which keys are allowed depends on the kind of policy.',
  example: 'metadata.team',
} as const;
const DESCRIPTION = { optional: true, nullable: true, min: 0, max: 500 } as const;
const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;
const ORGANISATION = {
  optional: true,
  description: 'Must be the caller’s own organisation; 404 otherwise.',
} as const;
const CONDITIONS = {
  minItems: 1,
  maxItems: 20,
  description: 'All conditions must match.',
  example: [{ key: 'metadata.team', value: 'search' }],
} as const;
const GROUP_BY = { maxItems: 10, description: 'Each combination of values is counted separately.' } as const;
const AMOUNT_MAX = 1_000_000_000_000;
const AMOUNT = {
  min: 0.01,
  max: AMOUNT_MAX,
  description: `${CREDIT_LIMIT}; an integer otherwise.`,
  example: 100,
} as const;
const THRESHOLD = {
  optional: true,
  nullable: true,
  min: 0.01,
  max: AMOUNT_MAX,
  description: 'Must be below credit_limit.',
  example: 80,
} as const;
const DAYS = { optional: true, nullable: true, min: 1, max: 365, example: null } as const;
const RESET = {
  optional: true,
  nullable: true,
  description: 'Cannot be sent with periodic_reset_days. Null for no reset.',
} as const;
const NEXT = { optional: true, nullable: true, description: 'Rounded down to midnight UTC.' } as const;

const OF_STATUS = { optional: true, description: 'Default: active.' } as const;
const STATUSES = ['active', 'archived'] as const;
export const USAGE_TYPES = ['cost', 'tokens', 'requests'] as const;
export const RATE_TYPES = ['requests', 'tokens', 'concurrency'] as const;
export const RATE_UNITS = ['rpm', 'rph', 'rpd', 'rpw'] as const;
export const TARGETS = ['llm', 'mcp_tools'] as const;

/** A condition of a policy. At least one of `value` and `excludes` is required. */
export class PolicyConditionDto {
  @TextField(KEY) key!: string;
  @TextOrListField({
    optional: true,
    description: 'Matches any of these values; `*` matches any present value.',
  })
  value?: string | string[];
  @TextOrListField({ optional: true, description: 'Matches none of these values.' }) excludes?:
    string | string[];
}

export class PolicyGroupDto {
  @TextField(KEY) key!: string;
}

type OutageMode = (typeof OUTAGE_MODES)[number];
type Enforcement = (typeof ENFORCEMENTS)[number];

/** Fields of a policy of either kind that callers can write. */
class PolicyFields {
  @NameField({ example: 'Search team' }) name!: string;
  @TextField(DESCRIPTION) description?: string | null;
  @NestedListField(() => PolicyConditionDto, CONDITIONS) conditions!: PolicyConditionDto[];
  @EnumField(OUTAGE_MODES, ON_OUTAGE) on_outage?: OutageMode | null;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UsageLimitFields extends PolicyFields {
  @NumberField(AMOUNT) credit_limit!: number;
  @NumberField(THRESHOLD) alert_threshold?: number | null;
  @EnumField(['weekly', 'monthly'], RESET) periodic_reset?: 'weekly' | 'monthly' | null;
  @IntegerField(DAYS) periodic_reset_days?: number | null;
  @DateField(NEXT) next_usage_reset_at?: string | null;
  @EnumField(ENFORCEMENTS, ENFORCEMENT) enforcement?: Enforcement | null;
}

export class RateLimitFields extends PolicyFields {
  @IntegerField({ min: 1, max: AMOUNT_MAX, example: 600 }) value!: number;
  @EnumField(WINDOWS, WINDOW) window?: (typeof WINDOWS)[number] | null;
  @EnumField(ENFORCEMENTS, RATE_ENFORCEMENT) enforcement?: Enforcement | null;
}

@Strict()
export class CreateUsageLimitPolicyDto extends UsageLimitFields {
  @NestedListField(() => PolicyGroupDto, { ...GROUP_BY, minItems: 1, example: [{ key: 'api_key' }] })
  group_by!: PolicyGroupDto[];
  @EnumField(USAGE_TYPES, { example: 'cost' }) type!: (typeof USAGE_TYPES)[number];
  @UuidField(ORGANISATION) organisation_id?: string;
}

/**
 * Changes of a usage limit policy. Type and grouping cannot be changed. `workspace_id` identifies
 * the workspace of the policy and does not move it.
 */
@Strict()
export class UpdateUsageLimitPolicyDto extends partialOf(UsageLimitFields) {
  @TextField({
    optional: true,
    max: 4_096,
    description: 'Value key whose usage is reset to zero.',
    example: 'api_key:0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  reset_usage_for_value?: string;
}

@Strict()
export class CreateRateLimitPolicyDto extends RateLimitFields {
  @EnumField(TARGETS, {
    optional: true,
    description: 'What the policy limits. Default: llm. mcp_tools: tool calls and messages to agents.',
  })
  target?: (typeof TARGETS)[number];
  @NestedListField(() => PolicyGroupDto, {
    ...GROUP_BY,
    optional: true,
    description: `${GROUP_BY.description} At least one, unless the target is mcp_tools.`,
  })
  group_by?: PolicyGroupDto[];
  @EnumField(RATE_TYPES, {
    example: 'requests',
    description: 'concurrency limits the number of requests in flight.',
  })
  type!: (typeof RATE_TYPES)[number];
  @EnumField(RATE_UNITS, {
    optional: true,
    nullable: true,
    example: 'rpm',
    description: 'Time unit of the limit. Required, except for concurrency, which has none.',
  })
  unit?: (typeof RATE_UNITS)[number] | null;
  @UuidField(ORGANISATION) organisation_id?: string;
}

/**
 * Changes of a rate limit policy. Target, type and grouping cannot be changed. `workspace_id`
 * identifies the workspace of the policy and does not move it.
 */
@Strict()
export class UpdateRateLimitPolicyDto extends partialOf(RateLimitFields) {
  @EnumField(RATE_UNITS, { optional: true }) unit?: (typeof RATE_UNITS)[number];
}

export class ListPoliciesQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @ReferenceField({ optional: true, description: 'Id or slug of a workspace.' }) workspace_id?: string;
  @UuidField(ORGANISATION) organisation_id?: string;
  @TextField({ optional: true, description: 'Text that the name must contain.' }) search?: string;
  @EnumField(STATUSES, OF_STATUS) status?: (typeof STATUSES)[number];
}

export class ListUsageLimitPoliciesQuery extends ListPoliciesQuery {
  @EnumField(USAGE_TYPES, { optional: true }) type?: (typeof USAGE_TYPES)[number];
}

export class ListRateLimitPoliciesQuery extends ListPoliciesQuery {
  @EnumField(RATE_TYPES, { optional: true }) type?: (typeof RATE_TYPES)[number];
  @EnumField(RATE_UNITS, { optional: true }) unit?: (typeof RATE_UNITS)[number];
  @EnumField(TARGETS, { optional: true }) target?: (typeof TARGETS)[number];
}

export class GetPolicyQuery {
  @EnumField(STATUSES, OF_STATUS) status?: (typeof STATUSES)[number];
}

export class GetUsageLimitPolicyQuery extends GetPolicyQuery {
  @QueryBooleanField({
    optional: true,
    description: 'True adds the usage of each value, for at most the newest 1,000 values.',
  })
  include_usage?: boolean;
}

export class ListPolicyValuesQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @EnumField(['active', 'exhausted'], { optional: true }) status?: 'active' | 'exhausted';
  @TextField({ optional: true, description: 'Text that the value key must contain.' }) search?: string;
  @ReferenceField({ optional: true, description: 'Id or slug of a workspace.' }) workspace_id?: string;
}
