import { BooleanField, EnumField, NestedListField, TextField } from '@gw/web';
import { UpstreamPage } from '../../platform/upstreams/upstream-page';

export const SKILL_TYPES = ['skill', 'agent', 'extended'] as const;

export class AgentSkillsQuery extends UpstreamPage {}

export class AgentSkillChangesQuery extends UpstreamPage {}

const ID = { max: 2_048, description: 'The `id` of the skill on the card.', example: 'book-flight' } as const;

class AgentSkillSwitchDto {
  @TextField(ID) id!: string;
  @BooleanField() enabled!: boolean;
}

export class UpdateAgentSkillsDto {
  @NestedListField(() => AgentSkillSwitchDto, { minItems: 1, maxItems: 1_000 })
  skills!: AgentSkillSwitchDto[];
}

class AgentSkillDecisionItemDto {
  @EnumField(SKILL_TYPES, {
    optional: true,
    example: 'skill',
    description:
      'Default: skill. agent stands for the card without its skills and has the id @agent; extended stands for the extended card without its skills and has the id @extended.',
  })
  type?: (typeof SKILL_TYPES)[number];
  @TextField(ID) id!: string;
  @TextField({
    pattern: /^[0-9a-f]{64}$/,
    description: 'Digest of the definition that the administrator reviewed.',
    example: 'a'.repeat(64),
  })
  digest!: string;
}

export class AgentSkillDecisionDto {
  @NestedListField(() => AgentSkillDecisionItemDto, { minItems: 1, maxItems: 1_000 })
  items!: AgentSkillDecisionItemDto[];
  @TextField({ optional: true, nullable: true, max: 1_024, description: 'Comment for the audit log.' })
  reason?: string | null;
}
