import type { MailMessage } from '@gw/contracts';
import { seal, unseal, uuidv7, type Keyring } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { MailEntity } from './mail.entity';

/**
 * Maximum number of attempts. Pauses of 2, 4, 8, 16 and 32 minutes lie between them, so the last
 * attempt starts about an hour after the first.
 */
export const MAIL_ATTEMPTS_MAX = 6;
/** Age in days at which a mail is deleted, even while mail is switched off. */
const MAIL_DAYS_MAX = 3;

export interface OutgoingMail {
  readonly organisationId: string;
  /**
   * Subject of the mail, such as `invite/<id>`, up to 200 characters. It replaces an unsent mail of
   * the same topic to the same recipient.
   */
  readonly topic: string;
  /** Addresses; each receives a separate mail. */
  readonly to: readonly string[];
  readonly message: MailMessage;
}

export interface DueMail {
  readonly id: string;
  readonly organisationId: string;
  readonly topic: string;
  readonly recipient: string;
  readonly message: MailMessage;
  /** Whether this is the last attempt. */
  readonly isLast: boolean;
}

/**
 * Queues mails for the worker in the transaction of the write that they report, so that both happen
 * or neither.
 */
export async function queueMail(manager: EntityManager, keyring: Keyring, mail: OutgoingMail): Promise<void> {
  const content = JSON.stringify(mail.message);
  // Recipients are sorted, so that two writers of the same mails cannot deadlock.
  for (const recipient of [...new Set(mail.to.map((address) => address.toLowerCase()))].sort()) {
    const id = uuidv7();
    await manager.query(
      `INSERT INTO mails (id, organisation_id, topic, recipient, sealed) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (topic, recipient) DO UPDATE
         SET id = excluded.id, sealed = excluded.sealed, attempts = 0, due_at = now(), created_at = now()`,
      [id, mail.organisationId, mail.topic, recipient, seal(keyring, content, mailBinding(id))],
    );
  }
}

/** Deletes the unsent mails of a topic. */
export async function dropMail(manager: EntityManager, topic: string): Promise<void> {
  await manager.delete(MailEntity, { topic });
}

/**
 * Claims the mail that has been due longest, and schedules its next attempt; no other caller gets
 * it before then. Returns null when no mail is due.
 */
export async function claimMail(manager: EntityManager, keyring: Keyring): Promise<DueMail | null> {
  const [rows] = await manager.query<[ClaimedRow[], number]>(
    `UPDATE mails SET attempts = attempts + 1, due_at = now() + interval '1 minute' * power(2, attempts + 1)
     WHERE id = (SELECT id FROM mails WHERE due_at <= now() AND attempts < $1
                 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, organisation_id, topic, recipient, sealed, attempts`,
    [MAIL_ATTEMPTS_MAX],
  );
  const row = rows[0];
  if (!row) return null;
  const { id, topic, recipient } = row;
  const message = JSON.parse(unseal(keyring, row.sealed, mailBinding(id)).toString('utf8')) as MailMessage;
  const isLast = row.attempts >= MAIL_ATTEMPTS_MAX;
  return { id, organisationId: row.organisation_id, topic, recipient, message, isLast };
}

/**
 * Deletes a mail that was sent or given up. A mail that replaced it meanwhile has another id and
 * stays.
 */
export async function finishMail(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(MailEntity, { id });
}

/**
 * Deletes mails that will not be sent any more: their attempts are used up (the worker died in the
 * last one), or they are too old.
 */
export async function dropStaleMails(manager: EntityManager): Promise<void> {
  await manager.query(
    `DELETE FROM mails WHERE created_at < now() - interval '1 day' * $1 OR (attempts >= $2 AND due_at <= now())`,
    [MAIL_DAYS_MAX, MAIL_ATTEMPTS_MAX],
  );
}

interface ClaimedRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly topic: string;
  readonly recipient: string;
  readonly sealed: string;
  readonly attempts: number;
}

export const mailBinding = (id: string): string => `mail/${id}`;
