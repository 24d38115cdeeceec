import type { EntityManager } from 'typeorm';

/** Whose a secret was that works no more. */
export interface EndedApiKey {
  readonly secretHash: string;
  readonly apiKeyId: string;
  readonly organisationId: string;
}

/**
 * How long it is remembered whose a secret was; the rows are as many as secrets that ended in that
 * time.
 */
export const ENDED_KEYS_KEPT_DAYS = 30;

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

/** Forgets the oldest, `countMax` at most. Returns how many those were. */
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
