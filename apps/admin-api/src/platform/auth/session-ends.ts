import type { DocumentKey } from '@gw/contracts';
import { PlaygroundKeyEntity, SessionEntity } from '@gw/entities';
import { Any, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { playgroundDocuments } from './playground-keys';

/** Ended sessions and the documents that end with them. */
export interface EndedSessions {
  /** Ids of the sessions that this call ended. */
  readonly ids: readonly string[];
  /**
   * Document keys of playground keys to remove. The caller records them as removed in the last step
   * of its transaction.
   */
  readonly documents: readonly DocumentKey[];
}

/**
 * Ends the sessions that match a condition and have not been ended before, expired ones included,
 * with their playground keys. Their access tokens stop working immediately.
 */
export async function endSessionsWhere(
  manager: EntityManager,
  where: FindOptionsWhere<SessionEntity>,
): Promise<EndedSessions> {
  const result = await manager
    .createQueryBuilder()
    .update(SessionEntity)
    .set({ revokedAt: new Date() })
    .where({ ...where, revokedAt: IsNull() })
    .returning('id')
    .execute();
  const ids = (result.raw as readonly Pick<SessionEntity, 'id'>[]).map(({ id }) => id);
  return { ids, documents: await endPlaygroundKeys(manager, ids) };
}

/** Deletes the playground keys of sessions. Returns their document keys. */
export async function endPlaygroundKeys(
  manager: EntityManager,
  sessionIds: readonly string[],
): Promise<DocumentKey[]> {
  if (sessionIds.length === 0) return [];
  const where = { sessionId: Any(sessionIds) };
  const keys = await manager.find(PlaygroundKeyEntity, { where, select: { keyHash: true } });
  if (keys.length > 0)
    await manager.delete(PlaygroundKeyEntity, { keyHash: Any(keys.map((key) => key.keyHash)) });
  return playgroundDocuments(keys);
}
