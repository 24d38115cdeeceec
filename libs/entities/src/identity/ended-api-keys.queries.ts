import type { EntityManager } from 'typeorm';

/** The API key and organisation of a secret that no longer works. */
export interface EndedApiKey {
  readonly secretHash: string;
  readonly apiKeyId: string;
  readonly organisationId: string;
}

/** Days for which ended secrets are remembered. */
export const ENDED_KEYS_KEPT_DAYS = 30;

/** Returns those of the secrets that ended within the last 30 days. */
export function endedApiKeys(
  manager: EntityManager,
  secretHashes: readonly string[],
): Promise<EndedApiKey[]> {
  return manager.query(
    `SELECT secret_hash AS "secretHash", api_key_id AS "apiKeyId", organisation_id AS "organisationId"
     FROM ended_api_keys WHERE secret_hash = ANY($1)`,
    [secretHashes],
  );
}

/**
 * Deletes at most `countMax` secrets that ended too long ago, oldest first. Returns their number.
 */
export async function forgetEndedApiKeys(
  manager: EntityManager,
  now: Date,
  countMax: number,
): Promise<number> {
  const [, count] = await manager.query<[unknown, number]>(
    `DELETE FROM ended_api_keys WHERE secret_hash IN (
       SELECT secret_hash FROM ended_api_keys WHERE ended_at < $1::timestamptz - $2 * interval '1 day'
       ORDER BY ended_at LIMIT $3)`,
    [now, ENDED_KEYS_KEPT_DAYS, countMax],
  );
  return count;
}
