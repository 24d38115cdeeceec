import type { Members } from '@gw/a2a';
import { AgentSkillEntity, type AgentIntegrationEntity } from '@gw/entities';
import { isServed } from '@gw/mcp';
import type { EntityManager } from 'typeorm';

/** Approved card of an integration, in the form in which it is served. */
export interface ApprovedCard {
  /** The card without its skills and signatures. */
  readonly agent: Members;
  /** The extended card in the same form; null when the agent has none. */
  readonly extended: Members | null;
  /** Approved and enabled skills of both cards, in their order. */
  readonly skills: readonly AgentSkillEntity[];
}

/**
 * Returns the approved cards by integration id. Integrations without an approved agent are not in
 * the map.
 */
export async function approvedCards(
  manager: EntityManager,
  integrationIds: readonly AgentIntegrationEntity['id'][],
): Promise<ReadonlyMap<string, ApprovedCard>> {
  if (integrationIds.length === 0) return new Map();
  const rows = await manager
    .createQueryBuilder(AgentSkillEntity, 'k')
    .where('k.integrationId = ANY(CAST(:integrationIds AS uuid[]))', {
      integrationIds: [...new Set(integrationIds)],
    })
    .andWhere('k.enabled AND k.gone_at IS NULL AND k.approved IS NOT NULL')
    .orderBy('k.position')
    .addOrderBy('k.id')
    .getMany();
  const cards = new Map<string, { agent: Members; extended: Members | null; skills: AgentSkillEntity[] }>();
  // While a newer text of a card waits for approval, its approved text is served; a skill that
  // waits for approval is left out.
  for (const { type, integrationId, approved } of rows)
    if (type === 'agent') cards.set(integrationId, { agent: approved ?? {}, extended: null, skills: [] });
  for (const row of rows) {
    const card = cards.get(row.integrationId);
    if (row.type === 'extended' && card) card.extended = row.approved;
    if (row.type === 'skill' && isServed(row.state)) card?.skills.push(row);
  }
  return cards;
}

type Filter = (skill: AgentSkillEntity) => boolean;

/** Returns the card as it is served, with only the public skills for which `isOn` returns true. */
export const cardWith = ({ agent, skills }: ApprovedCard, isOn: Filter): Members => ({
  ...agent,
  skills: skills.filter((skill) => skill.isPublic && isOn(skill)).map(({ approved }) => approved),
});

/** Returns the extended card in the same form; null for an agent without one. */
export const extendedCardWith = ({ extended, skills }: ApprovedCard, isOn: Filter): Members | null =>
  extended && {
    ...extended,
    skills: skills.filter((skill) => skill.isExtended && isOn(skill)).map(({ approved }) => approved),
  };
