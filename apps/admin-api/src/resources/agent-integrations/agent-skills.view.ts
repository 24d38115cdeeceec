import type { AgentSkillEntity } from '@gw/entities';
import { ResponseField } from '@gw/web';
import { FindingResponse, STATES } from '../../platform/upstreams/approval-choices';
import { AgentSkillTexts, skillTexts } from '../../platform/agents/agent-skill-texts';
import { SKILL_TYPES } from './agent-skills.dto';

export class AgentSkillSuccessResponse {
  @ResponseField.boolean() readonly success!: boolean;
}

const CARDS = ['public', 'extended', 'both'] as const;

/** A skill with texts from the agent, which are not trusted. */
export class AgentSkillResponse extends AgentSkillTexts {
  @ResponseField.boolean({ description: 'Whether the skill is offered to workspaces.' })
  readonly enabled!: boolean;
  @ResponseField.oneOf(CARDS, {
    description: 'Card that lists the skill: the public one, the extended one for callers, or both.',
  })
  readonly card!: (typeof CARDS)[number];
  @ResponseField.oneOf(STATES) readonly state!: string;
  @ResponseField.text({ description: 'Digest of the newest definition.', example: 'a'.repeat(64) })
  readonly digest!: string;
  @ResponseField.list(() => FindingResponse) readonly findings!: readonly FindingResponse[];
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
}

export class AgentSkillsResponse {
  @ResponseField.list(() => AgentSkillResponse) readonly data!: AgentSkillResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class AgentSkillChangeResponse {
  @ResponseField.oneOf(SKILL_TYPES) readonly type!: string;
  @ResponseField.text({ example: 'book-flight' }) readonly id!: string;
  @ResponseField.oneOf(STATES) readonly state!: string;
  @ResponseField.text({ example: 'a'.repeat(64) }) readonly digest!: string;
  @ResponseField.json({
    nullable: true,
    description: 'The approved definition; null when none was approved.',
  })
  readonly old!: Readonly<Record<string, unknown>> | null;
  @ResponseField.json() readonly new!: Readonly<Record<string, unknown>>;
  @ResponseField.list(() => FindingResponse) readonly findings!: readonly FindingResponse[];
}

export class AgentSkillChangesResponse {
  @ResponseField.list(() => AgentSkillChangeResponse) readonly data!: AgentSkillChangeResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class AgentSkillStaleResponse {
  @ResponseField.oneOf(SKILL_TYPES) readonly type!: string;
  @ResponseField.text({ example: 'book-flight' }) readonly id!: string;
  @ResponseField.text({ example: 'a'.repeat(64) }) readonly digest!: string;
}

export class AgentSkillDecisionResponse {
  @ResponseField.integer({ example: 1 }) readonly approved!: number;
  @ResponseField.integer({ example: 0 }) readonly rejected!: number;
  @ResponseField.list(() => AgentSkillStaleResponse, {
    description: 'Items whose definition has changed in the meantime, or that the card no longer lists.',
  })
  readonly stale!: readonly AgentSkillStaleResponse[];
}

export const toAgentSkill = (row: AgentSkillEntity): AgentSkillResponse => {
  const { enabled, state, digest, findings, isPublic, isExtended } = row;
  return {
    ...skillTexts(row, row.definition),
    ...{ enabled, state, digest, findings },
    card: isPublic && isExtended ? 'both' : isExtended ? 'extended' : 'public',
    created_at: row.createdAt.toISOString(),
    last_updated_at: row.lastUpdatedAt.toISOString(),
  };
};

export const toAgentSkillChange = ({
  type,
  name,
  state,
  digest,
  approved,
  definition,
  findings,
}: AgentSkillEntity): AgentSkillChangeResponse => ({
  ...{ type, id: name, state, digest, findings },
  ...{ old: approved, new: definition },
});
