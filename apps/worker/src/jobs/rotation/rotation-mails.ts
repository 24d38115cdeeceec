import { queueMail, type ApiKeyEntity } from '@gw/entities';
import type { Keyring } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { administratorsOf, RECIPIENTS_MAX } from '../mail/recipients';

type RotatedKey = Pick<ApiKeyEntity, 'id' | 'organisationId' | 'name' | 'userId' | 'alertEmails'>;

/** Notifies owners, admins, the user of a key and its alert addresses about its rotation. */
export class RotationMails {
  constructor(private readonly keyring: Keyring) {}

  async rotated(manager: EntityManager, key: RotatedKey, oldEndsAt: Date): Promise<void> {
    await this.queue(manager, key, 'rotated', `API key ${key.name} was rotated`, [
      `The API key ${key.name} has a new secret, according to its rotation policy.`,
      `Fetch the new secret with POST /v1/api-keys/${key.id}/rotate: it is shown once. The old one works until ${oldEndsAt.toUTCString()}.`,
    ]);
  }

  async oldEnds(manager: EntityManager, key: RotatedKey, oldEndsAt: Date): Promise<void> {
    await this.queue(manager, key, 'old-ends', `The old secret of API key ${key.name} is about to end`, [
      `The API key ${key.name} was rotated. Its old secret stops working at ${oldEndsAt.toUTCString()}.`,
      `If you have not done so, fetch the new secret with POST /v1/api-keys/${key.id}/rotate.`,
    ]);
  }

  async scheduled(manager: EntityManager, key: RotatedKey, at: string): Promise<void> {
    await this.queue(manager, key, 'scheduled', `API key ${key.name} is about to be rotated`, [
      `The API key ${key.name} will be rotated at ${new Date(at).toUTCString()}, according to its rotation policy.`,
    ]);
  }

  private async queue(
    manager: EntityManager,
    key: RotatedKey,
    event: string,
    subject: string,
    paragraphs: readonly string[],
  ): Promise<void> {
    await queueMail(manager, this.keyring, {
      organisationId: key.organisationId,
      topic: `api-key/${key.id}/${event}`,
      to: await recipientsOf(manager, key),
      message: { subject, paragraphs, action: null },
    });
  }
}

async function recipientsOf(manager: EntityManager, key: RotatedKey): Promise<readonly string[]> {
  const administrators = await administratorsOf(manager, key);
  return [...new Set([...administrators, ...(key.alertEmails ?? [])])].slice(0, RECIPIENTS_MAX);
}
