import { oauthExpiryJob, type JobProcessor } from '@gw/jobs';
import type { DataSource } from 'typeorm';

/** Maximum number of rows in one statement. */
const BATCH = 5_000;
/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 100;

/** Deletes rows that match a condition, except those that a request has locked. Responds with their number. */
const deletion = (table: string, key: string, condition: string): string =>
  `WITH gone AS (
     DELETE FROM ${table} WHERE ${key} IN
       (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED)
     RETURNING 1)
   SELECT count(*)::int AS deleted FROM gone`;

/** A client that nobody agreed to within a day, or that has had no grant for 90 days. */
const UNUSED = `kind = 'dynamic' AND (
  (last_used_at IS NULL AND created_at < now() - interval '24 hours') OR last_used_at < now() - interval '90 days'
) AND NOT EXISTS (SELECT 1 FROM oauth_consents WHERE oauth_consents.client_id = oauth_clients.client_id)`;

const DELETIONS = [
  deletion('oauth_artifacts', 'id_hash', 'expires_at <= now()'),
  deletion('oauth_consents', 'id', 'expires_at <= now()'),
  deletion('oauth_clients', 'client_id', UNUSED),
];

/** Keeps the tables of the OAuth server small. Safe to run twice and on many machines. */
export class OauthExpiryProcessor implements JobProcessor {
  readonly spec = oauthExpiryJob;

  constructor(private readonly source: DataSource) {}

  async process(): Promise<void> {
    for (const statement of DELETIONS) {
      for (let count = 0; count < BATCHES_MAX; count += 1) {
        const [row] = await this.source.query<{ deleted: number }[]>(statement);
        if ((row?.deleted ?? 0) < BATCH) break;
      }
    }
  }
}
