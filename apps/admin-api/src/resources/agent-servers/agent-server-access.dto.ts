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
  @TextField({ max: 2_048, description: '`id` of the skill in the card.', example: 'book-flight' })
  id!: string;
  @BooleanField() enabled!: boolean;
}

export class UpdateAgentServerSkillsDto {
  @NestedListField(() => AgentServerSwitchDto, { minItems: 1, maxItems: 1_000 })
  skills!: AgentServerSwitchDto[];
}

/** The texts come from the agent, as they were approved. */
export class AgentServerSkillResponse extends AgentSkillTexts {
  @ResponseField.boolean({ description: 'Whether callers of this agent see it.' })
  readonly enabled!: boolean;
  @ResponseField.boolean({ description: 'False: the integration does not offer it to any workspace.' })
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
    description: 'Ids of skills in the card, or beginnings of ids before a final `*`.',
    example: ['book-*'],
  })
  skills!: string[];
  @EnumField(ALLOW_DENY, { description: 'A denial wins over all that allow.', example: 'allow' })
  effect!: AllowDeny;
}

export class UpdateAgentAccessRulesDto {
  @NestedListField(() => AgentAccessRuleDto, { maxItems: 500, description: 'All rules of the agent.' })
  rules!: AgentAccessRuleDto[];
  @EnumField(ALLOW_DENY, {
    optional: true,
    description: 'What happens to skills that no rule allows. If absent, unchanged.',
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
    description: 'server_unknown: the workspace may not use the integration.',
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
  @ResponseField.text({ description: '`id` of the skill in the card.', example: 'book-flight' })
  readonly id!: string;
  @ResponseField.uuid({ description: 'Id of the skill at Tollgate, which stays when its texts change.' })
  readonly skill_id!: string;
}

export class AgentEffectiveResponse {
  @ResponseField.list(() => AgentEffectiveSkillResponse) readonly data!: AgentEffectiveSkillResponse[];
  @ResponseField.one(() => AgentEffectResponse, { description: 'Of messages that name no skill.' })
  readonly without_skill!: AgentEffectResponse;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}
