import { SsoUsedMessageEntity } from '@gw/entities';
import { createHash } from 'node:crypto';
import { LessThan, type EntityManager } from 'typeorm';

/** A message of an identity provider that is accepted once. */
interface Message {
  readonly connectionId: string;
  /** Id that the provider assigned to the message. */
  readonly id: string;
  /** Time until which the message is valid. */
  readonly expiresAt: Date;
}

/**
 * Records that a message was used and deletes expired records. Returns false when the message was
 * used before, in this or another process.
 */
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
