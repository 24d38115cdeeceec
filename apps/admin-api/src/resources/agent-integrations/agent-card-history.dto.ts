import type { AgentCardEntity } from '@gw/entities';
import { isObject } from '@gw/kernel';
import { pageOf, ResponseField } from '@gw/web';

export class AgentCardsQuery extends pageOf({ size: 50, sizeMax: 100 }) {}

class AgentCardChangesResponse {
  @ResponseField.texts({ description: 'Ids of the skills.', example: ['book-flight'] })
  readonly added_skills!: readonly string[];
  @ResponseField.texts({ example: ['book-hotel'] }) readonly removed_skills!: readonly string[];
  @ResponseField.texts({ example: ['book-train'] }) readonly changed_skills!: readonly string[];
  @ResponseField.texts({
    description: 'Names of other members that were added, removed or changed, without signatures.',
    example: ['version'],
  })
  readonly members!: readonly string[];
}

export class AgentCardSummary {
  @ResponseField.integer({ description: 'Number of the card; the first card is 1.', example: 1 })
  readonly version!: number;
  @ResponseField.time({ description: 'When the card was first received.' }) readonly created_at!: string;
  @ResponseField.text({
    nullable: true,
    description:
      'Id of the user or key that sent the card or requested the reading; null when the periodic job read it.',
  })
  readonly created_by!: string | null;
  @ResponseField.oneOf(['fetched', 'manual'], {
    description: 'Whether an administrator sent the card (manual) or Tollgate fetched it.',
  })
  readonly source!: AgentCardEntity['source'];
  @ResponseField.oneOf(['verified', 'unsigned', 'untrusted'], {
    nullable: true,
    description: 'Result of the signature check; null without trusted keys.',
  })
  readonly signature_state!: AgentCardEntity['signatureState'];
  @ResponseField.text({
    description: 'SHA-256 of the canonical JSON of the card.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  readonly digest!: string;
  @ResponseField.integer({ example: 2_048 }) readonly bytes!: number;
  @ResponseField.one(() => AgentCardChangesResponse, {
    nullable: true,
    description:
      'Differences from the previous card, at most 100 names of each kind. Null for the first card.',
  })
  readonly changes!: AgentCardChangesResponse | null;
}

export class AgentCardDetailResponse extends AgentCardSummary {
  @ResponseField.json({ description: 'The card as the agent published it. It is not trusted.' })
  readonly agent_card!: Readonly<Record<string, unknown>>;
}

export class AgentCardListResponse {
  @ResponseField.list(() => AgentCardSummary, { description: 'Cards, newest first.' })
  readonly data!: AgentCardSummary[];
  @ResponseField.integer({ example: 1, description: 'Number of cards on all pages.' })
  readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

export const toCardSummary = (row: AgentCardEntity): AgentCardSummary => ({
  version: row.number,
  created_at: row.createdAt.toISOString(),
  created_by: row.createdBy,
  ...{ source: row.source, signature_state: row.signatureState, digest: row.digest, bytes: row.bytes },
  changes: row.difference && {
    added_skills: row.difference.addedSkills,
    removed_skills: row.difference.removedSkills,
    changed_skills: row.difference.changedSkills,
    members: row.difference.members,
  },
});

export function toCardDetail(row: AgentCardEntity): AgentCardDetailResponse {
  const card: unknown = JSON.parse(row.card ?? '{}');
  return { ...toCardSummary(row), agent_card: isObject(card) ? card : {} };
}
