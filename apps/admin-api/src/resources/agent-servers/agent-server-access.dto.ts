import {
  BooleanField,
  EnumField,
  NestedField,
  NestedListField,
  ResponseField,
  TextField,
  TextListField,
} from '@gw/web';
import { AgentSkillTexts } from '../../platform/agents/agent-skill-texts';
import { RuleSubjectDto, RuleSubjectResponse } from '../../platform/upstreams/access-rules';
import { REASONS, VERDICTS } from '../../platform/upstreams/effective-access';
import { UpstreamPage } from '../../platform/upstreams/upstream-page';
import { ALLOW_DENY, MemberAccessResponse, type AllowDeny } from '../../platform/upstreams/user-access.dto';

export class AgentServerSkillsQuery extends UpstreamPage {}

class AgentServerSwitchDto {
  @TextField({ max: 2_048, description: 'The `id` of the skill on the card.', example: 'book-flight' })
  id!: string;
  @BooleanField() enabled!: boolean;
}

export class UpdateAgentServerSkillsDto {
  @NestedListField(() => AgentServerSwitchDto, { minItems: 1, maxItems: 1_000 })
  skills!: AgentServerSwitchDto[];
}

/** A skill with the texts from the agent that were approved. */
export class AgentServerSkillResponse extends AgentSkillTexts {
  @ResponseField.boolean({ description: 'Whether the skill is visible to callers of this agent.' })
  readonly enabled!: boolean;
  @ResponseField.boolean({ description: 'False: the integration offers the skill to no workspace.' })
  readonly integration_enabled!: boolean;
}

export class AgentServerSkillsResponse {
  @ResponseField.list(() => AgentServerSkillResponse) readonly data!: AgentServerSkillResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

export class AgentUserAccessResponse {
  @ResponseField.list(() => MemberAccessResponse) readonly data!: MemberAccessResponse[];
  @ResponseField.oneOf(ALLOW_DENY) readonly default_user_access!: AllowDeny;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class AgentAccessRuleDto {
  @NestedField(() => RuleSubjectDto) subject!: RuleSubjectDto;
  @TextListField({
    minItems: 1,
    maxItems: 100,
    description: 'Ids of skills on the card, or prefixes of ids followed by `*`.',
    example: ['book-*'],
  })
  skills!: string[];
  @EnumField(ALLOW_DENY, {
    description: 'A rule that denies takes precedence over all rules that allow.',
    example: 'allow',
  })
  effect!: AllowDeny;
}

export class UpdateAgentAccessRulesDto {
  @NestedListField(() => AgentAccessRuleDto, {
    maxItems: 500,
    description: "The complete list of the agent's rules; it replaces the existing rules.",
  })
  rules!: AgentAccessRuleDto[];
  @EnumField(ALLOW_DENY, {
    optional: true,
    description: 'Effect on skills that no rule allows. Absent: unchanged.',
  })
  default?: AllowDeny;
}

class AgentAccessRuleResponse {
  @ResponseField.one(() => RuleSubjectResponse) readonly subject!: RuleSubjectResponse;
  @ResponseField.texts({ example: ['book-*'] }) readonly skills!: readonly string[];
  @ResponseField.oneOf(ALLOW_DENY) readonly effect!: string;
}

export class AgentAccessRulesResponse {
  @ResponseField.list(() => AgentAccessRuleResponse) readonly rules!: readonly AgentAccessRuleResponse[];
  @ResponseField.oneOf(ALLOW_DENY) readonly default!: AllowDeny;
}

export class AgentEffectResponse {
  @ResponseField.oneOf(VERDICTS, {
    description: 'Why the verdict is as it is. server_unknown: the workspace may not use the integration.',
  })
  readonly verdict!: string;
  @ResponseField.oneOf(REASONS) readonly reason!: (typeof REASONS)[number];
  @ResponseField.one(() => AgentAccessRuleResponse, {
    nullable: true,
    description: 'The rule that decided; null unless the reason is rule.',
  })
  readonly rule!: AgentAccessRuleResponse | null;
}

class AgentEffectiveSkillResponse extends AgentEffectResponse {
  @ResponseField.text({ description: 'The `id` of the skill on the card.', example: 'book-flight' })
  readonly id!: string;
  @ResponseField.uuid({
    description: 'Id of the skill in Tollgate. It stays the same when the texts of the skill change.',
  })
  readonly skill_id!: string;
}

export class AgentEffectiveResponse {
  @ResponseField.list(() => AgentEffectiveSkillResponse) readonly data!: AgentEffectiveSkillResponse[];
  @ResponseField.one(() => AgentEffectResponse, { description: 'Verdict on messages that name no skill.' })
  readonly without_skill!: AgentEffectResponse;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}
