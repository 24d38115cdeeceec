import type { DocumentKey } from '@gw/contracts';
import type { EntityManager } from 'typeorm';

/**
 * Postgres channel that wakes the publishers; its payload is the newest sequence of the
 * transaction.
 */
export const CHANGE_CHANNEL = 'change_events';
/**
 * Maximum number of keys in a row; it equals the maximum that a gateway may request in one read.
 */
export const KEYS_PER_EVENT_MAX = 256;
/**
 * Advisory lock of the outbox, an arbitrary but fixed number. Every writer holds it from drawing
 * its sequence to its commit.
 */
const OUTBOX_LOCK = 7_204_911_053;

export interface Change {
  /** Keys of documents that are new or different. */
  readonly changed?: readonly DocumentKey[];
  /**
   * Keys of deleted documents, such as those of a revoked secret. Gateways refuse them immediately,
   * without a read.
   */
  readonly removed?: readonly DocumentKey[];
}

/**
 * Writes change events into the outbox, in the transaction of the write that they report. It must
 * be the last statement of the transaction: it takes a lock that other writers wait for until the
 * commit, which makes sequences increase in commit order (a reader of a sequence has seen all
 * before it). A later statement that waits for a row could deadlock with another writer. Records
 * nothing for an empty change. A key in both lists counts as removed.
 */
export async function recordChange(manager: EntityManager, change: Change): Promise<void> {
  const removed = [...new Set(change.removed)];
  const removedKeys = new Set(removed);
  const changed = [...new Set(change.changed)].filter((key) => !removedKeys.has(key));
  if (changed.length === 0 && removed.length === 0) return;
  if (!manager.queryRunner?.isTransactionActive) {
    throw new Error('A change is recorded only inside the transaction of its write.');
  }
  // In one statement, the sequence could be drawn before the lock is held.
  await manager.query('SELECT pg_advisory_xact_lock($1)', [OUTBOX_LOCK]);
  for (let at = 0; at < Math.max(changed.length, removed.length); at += KEYS_PER_EVENT_MAX) {
    const end = at + KEYS_PER_EVENT_MAX;
    await manager.query(
      `WITH event AS (INSERT INTO change_events (changed, removed) VALUES ($1, $2) RETURNING sequence)
       SELECT pg_notify($3, sequence::text) FROM event`,
      [changed.slice(at, end), removed.slice(at, end), CHANGE_CHANNEL],
    );
  }
}
