import { hash } from 'node:crypto';
import { cardDifference, type Members } from '@gw/a2a';
import { AgentCardEntity, type AgentIntegrationEntity, type StoredCardDifference } from '@gw/entities';
import { canonicalJson, isObject, isStorableText, uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { actorOf } from '../../platform/resource/versioned';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import type { FittingCard } from './agent-card-content';

/**
 * Maximum number of stored cards of an integration, newest first, and their maximum total size in
 * bytes. The newest two are always stored.
 */
const CARDS_MAX = 50;
const BYTES_MAX = 4 * 1_048_576;
/** Maximum number of names of each kind in a difference, and the maximum length of a name. */
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 256;

/** Stores a card unless it equals the newest stored one. The integration must be locked or new. */
export async function keepCard(
  manager: EntityManager,
  caller: AuditCaller,
  { id: integrationId, source }: Pick<AgentIntegrationEntity, 'id' | 'source'>,
  { text, signatureState }: Pick<FittingCard, 'text' | 'signatureState'>,
): Promise<void> {
  const card = parsed(text);
  const digest = hash('sha256', canonicalJson(card), 'hex');
  const last = await manager.findOne(AgentCardEntity, {
    where: { integrationId },
    select: { id: true, number: true, digest: true, card: true },
    order: { number: 'DESC' },
  });
  if (last?.digest === digest) return;
  const difference = last === null ? null : shortened(cardDifference(parsed(last.card ?? ''), card));
  await manager.insert(AgentCardEntity, {
    ...{ id: uuidv7(), integrationId, number: (last?.number ?? 0) + 1 },
    ...{ card: text, bytes: Buffer.byteLength(text), digest, source, signatureState, difference },
    createdBy: actorOf(caller),
  });
  await manager.query(
    `DELETE FROM agent_cards WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
           FROM agent_cards WHERE integration_id = $1 WINDOW newest AS (ORDER BY number DESC)) c
        WHERE place > 2 AND (place > $2 OR bytes > $3))`,
    [integrationId, CARDS_MAX, BYTES_MAX],
  );
}

function parsed(text: string): Members {
  const card: unknown = JSON.parse(text);
  return isObject(card) ? card : {};
}

const shortened = (difference: StoredCardDifference): StoredCardDifference => ({
  addedSkills: names(difference.addedSkills),
  removedSkills: names(difference.removedSkills),
  changedSkills: names(difference.changedSkills),
  members: names(difference.members),
});

const names = (all: readonly string[]): readonly string[] =>
  all.filter((name) => name.length <= NAME_LENGTH_MAX && isStorableText(name)).slice(0, NAMES_MAX);
