import { documentKey } from '@gw/contracts';
import { ApiKeySecretEntity, type ApiKeyEntity } from '@gw/entities';
import { GatewayError, hashApiKey, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { FOR_UPDATE, type Write } from '../audit/writes';
import { Secrets, SETTINGS, type AdminSettings } from '../settings';

/** 32 characters of [A-Za-z0-9] carry 190 bits. */
const SECRET_LENGTH = 32;

export interface Rotation {
  /** The new secret; shown once. */
  readonly key: string;
  readonly oldMasked: string;
  /** When the old secret stops working. */
  readonly transitionExpiresAt: Date;
}

/** Makes, rotates and ends the secrets of keys. */
@Injectable()
export class ApiKeySecretsService {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'API_KEY_PREFIX'>,
  ) {}

  /** The first secret of a key, or the next current one. Gives the secret in the clear, the only time. */
  async issue(write: Write, apiKeyId: string): Promise<string> {
    const secret = this.settings.API_KEY_PREFIX + randomAlphanumeric(SECRET_LENGTH);
    const secretHash = hashApiKey(this.secrets.apiKeyPepper, secret);
    await write.manager.insert(ApiKeySecretEntity, {
      secretHash,
      apiKeyId,
      masked: maskSecret(secret),
      state: 'current',
      expiresAt: null,
    });
    write.changed(documentKey.apiKey(secretHash));
    return secret;
  }

  /** Two secrets work at once at most: throws `conflict` while the one before is still in transition. */
  async rotate(write: Write, row: ApiKeyEntity, transitionMs: number, now = new Date()): Promise<Rotation> {
    const { manager } = write;
    const secrets = await manager.find(ApiKeySecretEntity, { where: { apiKeyId: row.id }, lock: FOR_UPDATE });
    const current = secrets.find(({ state }) => state === 'current');
    const previous = secrets.find(({ state }) => state === 'transition');
    if (!current) throw new Error('A live key has a current secret.');
    if (previous) {
      if (previous.expiresAt === null || previous.expiresAt > now) {
        throw new GatewayError('conflict', {
          message: 'The key was rotated before and its old secret still works.',
          extra: { key_transition_expires_at: previous.expiresAt?.toISOString() ?? null },
        });
      }
      await manager.delete(ApiKeySecretEntity, { secretHash: previous.secretHash });
      write.removed(documentKey.apiKey(previous.secretHash));
    }
    const transitionExpiresAt = new Date(now.getTime() + transitionMs);
    await manager.update(
      ApiKeySecretEntity,
      { secretHash: current.secretHash },
      { state: 'transition', expiresAt: transitionExpiresAt },
    );
    write.changed(documentKey.apiKey(current.secretHash));
    return { key: await this.issue(write, row.id), oldMasked: current.masked, transitionExpiresAt };
  }

  /** Ends all secrets of the keys at once. */
  async revoke(write: Write, apiKeyIds: readonly string[]): Promise<void> {
    if (apiKeyIds.length === 0) return;
    const rows = await write.manager.findBy(ApiKeySecretEntity, { apiKeyId: In([...apiKeyIds]) });
    await write.manager.delete(ApiKeySecretEntity, { apiKeyId: In([...apiKeyIds]) });
    write.removed(...rows.map(({ secretHash }) => documentKey.apiKey(secretHash)));
  }

  /** The documents of the keys are to be read again, one for each secret. */
  async touch(write: Write, apiKeyIds: readonly string[]): Promise<void> {
    if (apiKeyIds.length === 0) return;
    const rows = await write.manager.findBy(ApiKeySecretEntity, { apiKeyId: In([...apiKeyIds]) });
    write.changed(...rows.map(({ secretHash }) => documentKey.apiKey(secretHash)));
  }

  /** Masked current secrets by key. */
  async maskedOf(manager: EntityManager, apiKeyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (apiKeyIds.length === 0) return new Map();
    const rows = await manager.findBy(ApiKeySecretEntity, { apiKeyId: In([...apiKeyIds]), state: 'current' });
    return new Map(rows.map(({ apiKeyId, masked }) => [apiKeyId, masked]));
  }
}

const maskSecret = (secret: string): string => `${secret.slice(0, 2)}*****${secret.slice(-3)}`;
