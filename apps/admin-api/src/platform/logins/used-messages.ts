import { SsoUsedMessageEntity } from '@gw/entities';
import { createHash } from 'node:crypto';
import { LessThan, type EntityManager } from 'typeorm';

/** A message of an identity provider that works once. */
interface Message {
  readonly connectionId: string;
  /** As the provider has numbered it. */
  readonly id: string;
  /** Until when it could be used. */
  readonly expiresAt: Date;
}

/** Notes that a message was used. Returns false when it was used before, here or in another process. Forgets those that have expired. */
export async function useMessage(
  manager: EntityManager,
  { connectionId, id, expiresAt }: Message,
): Promise<boolean> {
  await manager.delete(SsoUsedMessageEntity, { connectionId, expiresAt: LessThan(new Date()) });
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(SsoUsedMessageEntity)
    .values({ connectionId, idHash: createHash('sha256').update(id).digest('hex'), expiresAt })
    .orIgnore()
    .returning('id_hash')
    .execute();
  return (inserted.raw as readonly unknown[]).length > 0;
}
