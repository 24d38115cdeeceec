import type { EntityManager } from 'typeorm';

/** A message of a client or an identity provider that works once. */
export interface OneTimeMessage {
  /** HMAC-SHA256 of the message's id, hex. */
  readonly idHash: string;
  /** How long it is remembered, in seconds. */
  readonly seconds: number;
}

/**
 * Whether the message was not used before. The insertion alone decides: between a look and an
 * insertion another request could come.
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
