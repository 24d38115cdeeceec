import { uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

/**
 * Maximum number of delivery attempts. Pauses of 1, 2, 4, 8, 16 and 32 minutes lie between them, so
 * the last attempt starts about an hour after the first.
 */
export const DELIVERY_ATTEMPTS_MAX = 7;
/**
 * Retention of alerts. It is longer than any recurring period of a budget, so that no alert is sent
 * twice in one period.
 */
const ALERT_RETENTION_DAYS = 400;
const RECIPIENTS_MAX = 100;

export interface LimitAlert {
  readonly organisationId: string;
  /** Null for a limit that belongs to no workspace. */
  readonly workspaceId: string | null;
  /** The budget's counter in the ledger. */
  readonly counter: string;
  /** Start of the counter's period, Unix milliseconds. */
  readonly period: number;
  readonly kind: 'threshold' | 'exhausted';
  /**
   * The reached amount, in 1e-8 USD, tokens or requests. Each amount is a separate alert, so each
   * threshold has its own.
   */
  readonly amount: number;
  /** Message of the alert. It is stored with the alert's id as `id`. */
  readonly event: object;
}

/** An alert about a limit, or about a server that stopped or resumed responding. */
export interface Alert extends Omit<LimitAlert, 'kind'> {
  readonly kind: LimitAlert['kind'] | 'down' | 'recovered';
}

/**
 * Stores an alert and queues a delivery for each enabled webhook of its organisation or workspace,
 * in the transaction that detected it. Returns the alert's id; null if any process stored this
 * alert before.
 */
export async function raiseAlert(manager: EntityManager, alert: Alert): Promise<string | null> {
  const { organisationId, workspaceId, counter, period, kind, amount, event } = alert;
  const id = uuidv7();
  const inserted: { id: string }[] = await manager.query(
    `INSERT INTO limit_alerts (id, organisation_id, counter, period, kind, amount, event)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (organisation_id, counter, period, kind, amount) DO NOTHING RETURNING id`,
    [id, organisationId, counter, period, kind, amount, JSON.stringify({ id, ...event })],
  );
  if (inserted.length === 0) return null;
  await manager.query(
    `INSERT INTO alert_deliveries (id, alert_id, webhook_id)
     SELECT gen_random_uuid(), $1, id FROM alert_webhooks
     WHERE organisation_id = $2 AND enabled AND (workspace_id IS NULL OR workspace_id = $3)`,
    [id, organisationId, workspaceId],
  );
  return id;
}

/** Returns the stored alerts of these counters, of the periods that begin at `since` or later. */
export async function alertsRaised(
  manager: EntityManager,
  organisationId: string,
  counters: readonly { readonly counter: string; readonly since: number }[],
): Promise<readonly Pick<LimitAlert, 'counter' | 'kind' | 'amount'>[]> {
  if (counters.length === 0) return [];
  const rows: { counter: string; kind: LimitAlert['kind']; amount: string }[] = await manager.query(
    `SELECT alert.counter, alert.kind, alert.amount FROM unnest($2::text[], $3::bigint[]) AS wanted (counter, since)
     JOIN limit_alerts AS alert
       ON alert.organisation_id = $1 AND alert.counter = wanted.counter AND alert.period >= wanted.since`,
    [organisationId, counters.map(({ counter }) => counter), counters.map(({ since }) => since)],
  );
  return rows.map(({ counter, kind, amount }) => ({ counter, kind, amount: Number(amount) }));
}

export interface DueDelivery {
  readonly id: string;
  readonly alertId: string;
  readonly organisationId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly sealedSecret: string;
  /** The message to post. */
  readonly event: Readonly<Record<string, unknown>>;
  /** Whether this is the last attempt. */
  readonly isLast: boolean;
}

interface ClaimedRow {
  readonly id: string;
  readonly alert_id: string;
  readonly organisation_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly sealed_secret: string;
  readonly event: Readonly<Record<string, unknown>>;
  readonly attempts: number;
}

/**
 * Claims the delivery that has been due longest, and schedules its next attempt; no other caller
 * gets it before then. Returns null when no delivery is due.
 */
export async function claimDelivery(manager: EntityManager): Promise<DueDelivery | null> {
  const [rows] = await manager.query<[ClaimedRow[], number]>(
    `UPDATE alert_deliveries AS delivery
     SET attempts = delivery.attempts + 1, due_at = now() + interval '1 minute' * power(2, delivery.attempts)
     FROM limit_alerts AS alert, alert_webhooks AS webhook
     WHERE delivery.id = (SELECT id FROM alert_deliveries WHERE due_at <= now() AND attempts < $1
                          ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
       AND alert.id = delivery.alert_id AND webhook.id = delivery.webhook_id
     RETURNING delivery.id, delivery.alert_id, delivery.attempts, alert.organisation_id, alert.event,
       webhook.id AS webhook_id, webhook.url, webhook.sealed_secret`,
    [DELIVERY_ATTEMPTS_MAX],
  );
  const row = rows[0];
  return row
    ? {
        id: row.id,
        alertId: row.alert_id,
        organisationId: row.organisation_id,
        webhookId: row.webhook_id,
        url: row.url,
        sealedSecret: row.sealed_secret,
        event: row.event,
        isLast: row.attempts >= DELIVERY_ATTEMPTS_MAX,
      }
    : null;
}

/** Deletes a delivery that succeeded or was given up. */
export async function finishDelivery(manager: EntityManager, id: string): Promise<void> {
  await manager.query('DELETE FROM alert_deliveries WHERE id = $1', [id]);
}

/**
 * Deletes deliveries whose worker died during the last attempt, and alerts after their retention.
 */
export async function dropStaleAlerts(manager: EntityManager): Promise<void> {
  await manager.query('DELETE FROM alert_deliveries WHERE attempts >= $1 AND due_at <= now()', [
    DELIVERY_ATTEMPTS_MAX,
  ]);
  // Budgets that never reset have period 0; their alerts are kept.
  await manager.query(
    `DELETE FROM limit_alerts WHERE created_at < now() - interval '1 day' * $1 AND period > 0`,
    [ALERT_RETENTION_DAYS],
  );
}

/**
 * Returns the addresses that an alert is mailed to: owners and admins of the organisation, admins
 * and managers of the workspace, the user of the key, and the key's own addresses. At most 100.
 */
export async function alertRecipients(
  manager: EntityManager,
  { organisationId, workspaceId, apiKeyId }: AlertAudience,
): Promise<readonly string[]> {
  const rows: { email: string }[] = await manager.query(
    `WITH reader AS (
       SELECT user_id FROM organisation_users
         WHERE organisation_id = $1 AND role IN ('owner', 'admin') AND status = 'active'
       UNION SELECT member.user_id FROM workspace_users AS member JOIN organisation_users AS user_of
         ON user_of.user_id = member.user_id AND user_of.organisation_id = $1 AND user_of.status = 'active'
         WHERE member.workspace_id = $2 AND member.role IN ('admin', 'manager')
       UNION SELECT user_id FROM api_keys WHERE id = $3 AND organisation_id = $1 AND user_id IS NOT NULL
     )
     SELECT lower(email) AS email FROM users JOIN reader ON reader.user_id = users.id WHERE users.status = 'active'
     UNION SELECT lower(unnest(alert_emails)) FROM api_keys WHERE id = $3 AND organisation_id = $1
     ORDER BY email LIMIT $4`,
    [organisationId, workspaceId, apiKeyId, RECIPIENTS_MAX],
  );
  return rows.map(({ email }) => email);
}

export interface AlertAudience {
  readonly organisationId: string;
  readonly workspaceId: string | null;
  /** Null for a budget that belongs to no key. */
  readonly apiKeyId: string | null;
}
