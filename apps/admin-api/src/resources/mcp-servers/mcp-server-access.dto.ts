import {
  EnumField,
  NestedField,
  NestedListField,
  ObjectListField,
  pageOf,
  ReferenceField,
  ResponseField,
  TextListField,
  UuidField,
} from '@gw/web';
import { RuleSubjectDto, RuleSubjectResponse } from '../../platform/upstreams/access-rules';
import { REASONS, VERDICTS } from '../../platform/upstreams/effective-access';
import { ALLOW_DENY, MemberAccessResponse, type AllowDeny } from '../../platform/upstreams/user-access.dto';

class McpMemberAccessResponse extends MemberAccessResponse {
  @ResponseField.oneOf(['connected', 'not_connected']) readonly connection_status!:
    'connected' | 'not_connected';
}

export class McpUserAccessResponse {
  @ResponseField.list(() => McpMemberAccessResponse) readonly data!: McpMemberAccessResponse[];
  @ResponseField.oneOf(ALLOW_DENY) readonly default_user_access!: AllowDeny;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

export class McpConnectionsQuery extends pageOf({ size: 100, sizeMax: 500 }) {
  @UuidField({
    optional: true,
    description: "Id of a user. Default: the caller's own user; a service key sees all users.",
  })
  user_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

export class DeleteMcpConnectionQuery {
  @UuidField({
    optional: true,
    description: "Id of a user. Required with a service key. Default: the caller's own user.",
  })
  user_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
}

const CONNECTION_STATES = ['connected', 'needs_scope', 'needs_consent', 'revoked', 'error'] as const;

class McpConnectionResponse {
  @ResponseField.uuid() readonly user_id!: string;
  @ResponseField.boolean() readonly connected!: boolean;
  @ResponseField.oneOf(CONNECTION_STATES, {
    description:
      'needs_scope: the connection is in use, and the server requires more scopes. needs_consent: the user must connect again. error: the server now names another authorization server.',
  })
  readonly status!: (typeof CONNECTION_STATES)[number];
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
}

export class McpConnectionsResponse {
  @ResponseField.list(() => McpConnectionResponse) readonly data!: McpConnectionResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

const EFFECTS = ['allow', 'deny', 'ask'] as const;

class McpAccessRuleDto {
  @NestedField(() => RuleSubjectDto) subject!: RuleSubjectDto;
  @TextListField({
    minItems: 1,
    maxItems: 100,
    description: 'Names of tools, or prefixes of names followed by `*`.',
    example: ['read_*'],
  })
  tools!: string[];
  @EnumField(EFFECTS, {
    description: 'ask: a person must approve each call. deny takes precedence over ask, and ask over allow.',
    example: 'allow',
  })
  effect!: (typeof EFFECTS)[number];
  @ObjectListField({
    optional: true,
    maxItems: 20,
    description: 'Conditions on arguments, each with pointer, op and value; all must be met.',
    example: [{ pointer: '/repo', op: 'prefix', value: 'acme/' }],
  })
  when?: Record<string, unknown>[];
}

export class UpdateMcpAccessRulesDto {
  @NestedListField(() => McpAccessRuleDto, {
    maxItems: 500,
    description: "The complete list of the server's rules; it replaces the existing rules.",
  })
  rules!: McpAccessRuleDto[];
  @EnumField(ALLOW_DENY, {
    optional: true,
    description: 'Effect on tools that no rule allows. Absent: unchanged.',
  })
  default?: AllowDeny;
}

export class McpAccessRuleResponse {
  @ResponseField.one(() => RuleSubjectResponse) readonly subject!: RuleSubjectResponse;
  @ResponseField.texts({ example: ['read_*'] }) readonly tools!: readonly string[];
  @ResponseField.oneOf(EFFECTS) readonly effect!: string;
  @ResponseField.jsons() readonly when!: readonly Readonly<Record<string, unknown>>[];
}

export class McpAccessRulesResponse {
  @ResponseField.list(() => McpAccessRuleResponse) readonly rules!: readonly McpAccessRuleResponse[];
  @ResponseField.oneOf(ALLOW_DENY) readonly default!: AllowDeny;
}

class McpEffectiveToolResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.oneOf(VERDICTS, {
    description: 'Why the verdict is as it is. server_unknown: the workspace may not use the integration.',
  })
  readonly verdict!: string;
  @ResponseField.oneOf(REASONS) readonly reason!: (typeof REASONS)[number];
  @ResponseField.one(() => McpAccessRuleResponse, {
    nullable: true,
    description: 'The rule that decided; null unless the reason is rule.',
  })
  readonly rule!: McpAccessRuleResponse | null;
}

export class McpEffectiveResponse {
  @ResponseField.list(() => McpEffectiveToolResponse) readonly data!: McpEffectiveToolResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}
