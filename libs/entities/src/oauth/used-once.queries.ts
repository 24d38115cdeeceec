import type { EntityManager } from 'typeorm';

/** A message of a client or an identity provider that may be used once. */
export interface OneTimeMessage {
  /** HMAC-SHA256 of the message's id, hex. */
  readonly idHash: string;
  /** Time for which the message is remembered, in seconds. */
  readonly seconds: number;
}

/**
 * Records the use of a message; returns false if it was used before. One insertion decides, because
 * another request could arrive between a query and an insertion.
 */
export async function useOnce(manager: EntityManager, { idHash, seconds }: OneTimeMessage): Promise<boolean> {
  const inserted = await manager.query<unknown[]>(
    `INSERT INTO oauth_artifacts (id_hash, model, payload, expires_at)
     VALUES ($1, 'ReplayDetection', '{}', now() + $2 * interval '1 second')
     ON CONFLICT (id_hash) DO UPDATE SET expires_at = excluded.expires_at WHERE oauth_artifacts.expires_at <= now()
     RETURNING 1`,
    [idHash, seconds],
  );
  return inserted.length > 0;
}
