import { documentKey, type DocumentKey } from '@gw/contracts';
import {
  ApiKeySecretEntity,
  insertSecret,
  makeSecret,
  openSecret,
  replaceSecret,
  type ApiKeyEntity,
  type SecretMaker,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Any, type EntityManager } from 'typeorm';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

export interface Rotation {
  /** New secret in clear text; shown once. */
  readonly key: string;
  /**
   * `auto` when the key's rotation policy had already created this secret, which had not been
   * fetched yet.
   */
  readonly mode: 'manual' | 'auto';
  readonly oldMasked: string | null;
  /** When the old secret stops working; null when it no longer works. */
  readonly transitionExpiresAt: Date | null;
}

/** Creates, rotates and revokes the secrets of API keys. */
@Injectable()
export class ApiKeySecretsService {
  private readonly maker: SecretMaker;

  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) settings: Pick<AdminSettings, 'API_KEY_PREFIX'>,
  ) {
    this.maker = { prefix: settings.API_KEY_PREFIX, pepper: secrets.apiKeyPepper };
  }

  /** Creates the first secret of a key and returns it in clear text; it cannot be read again. */
  async issue(write: Write, apiKeyId: string): Promise<string> {
    const fresh = makeSecret(this.maker);
    await insertSecret(write.manager, apiKeyId, fresh);
    write.changed(documentKey.apiKey(fresh.secretHash));
    return fresh.secret;
  }

  /**
   * Rotates a key. If the rotation policy has created a secret that has not been fetched yet,
   * returns that secret once. At most two secrets work at a time: throws `conflict` while the
   * previous one is still in transition.
   */
  async rotate(write: Write, row: ApiKeyEntity, transitionMs: number, now = new Date()): Promise<Rotation> {
    const { manager } = write;
    const secrets = await manager.find(ApiKeySecretEntity, { where: { apiKeyId: row.id }, lock: FOR_UPDATE });
    const waiting = secrets.find(({ sealed }) => sealed !== null);
    const previous = secrets.find(({ state }) => state === 'transition');
    const isLive = previous && (previous.expiresAt === null || previous.expiresAt > now);
    if (waiting?.sealed) {
      await manager.update(ApiKeySecretEntity, { secretHash: waiting.secretHash }, { sealed: null });
      return {
        key: openSecret(this.secrets.sealingKeyring, row.id, waiting.sealed),
        mode: 'auto',
        oldMasked: previous?.masked ?? null,
        transitionExpiresAt: isLive ? previous.expiresAt : null,
      };
    }
    if (isLive) {
      throw new GatewayError('conflict', {
        message:
          'The key was rotated before and its old secret still works; send revoke_previous to revoke it now.',
        extra: { key_transition_expires_at: previous.expiresAt?.toISOString() ?? null },
      });
    }
    const fresh = makeSecret(this.maker);
    const until = new Date(now.getTime() + transitionMs);
    const { oldMasked, changed, removed } = await replaceSecret(manager, row.id, fresh, {
      until,
      sealed: null,
    });
    write.changed(changed);
    write.removed(removed);
    return { key: fresh.secret, mode: 'manual', oldMasked, transitionExpiresAt: until };
  }

  /**
   * Creates a new secret and revokes all others: the current one, the one in transition and the one
   * that has not been fetched.
   */
  async replaceAllSecrets(write: Write, row: ApiKeyEntity): Promise<Rotation> {
    const { manager } = write;
    const secrets = await manager.find(ApiKeySecretEntity, { where: { apiKeyId: row.id }, lock: FOR_UPDATE });
    const oldMasked = secrets.find(({ state }) => state === 'current')?.masked ?? null;
    await this.revoke(write, [row.id]);
    const key = await this.issue(write, row.id);
    return { key, mode: 'manual', oldMasked, transitionExpiresAt: null };
  }

  /** Revokes all secrets of the keys immediately. */
  async revoke(write: Write, apiKeyIds: readonly string[]): Promise<void> {
    write.removed(await secretKeysOf(write.manager, apiKeyIds));
    await write.manager.delete(ApiKeySecretEntity, { apiKeyId: Any(apiKeyIds) });
  }
}

/** Returns the document keys of the API keys, one for each secret. */
export async function secretKeysOf(
  manager: EntityManager,
  apiKeyIds: readonly string[],
): Promise<DocumentKey[]> {
  const rows = await manager.findBy(ApiKeySecretEntity, { apiKeyId: Any(apiKeyIds) });
  return rows.map(({ secretHash }) => documentKey.apiKey(secretHash));
}
