import { documentKey } from '@gw/contracts';
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
import { In, type EntityManager } from 'typeorm';
import { FOR_UPDATE, type Write } from '../unit-of-work/writes';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

export interface Rotation {
  /** The new secret; shown once. */
  readonly key: string;
  /** `auto`: the key's policy has rotated it before, and this is the secret that was not fetched yet. */
  readonly mode: 'manual' | 'auto';
  readonly oldMasked: string | null;
  /** When the old secret stops working; null when it has stopped. */
  readonly transitionExpiresAt: Date | null;
}

/** Makes, rotates and ends the secrets of keys. */
@Injectable()
export class ApiKeySecretsService {
  private readonly maker: SecretMaker;

  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) settings: Pick<AdminSettings, 'API_KEY_PREFIX'>,
  ) {
    this.maker = { prefix: settings.API_KEY_PREFIX, pepper: secrets.apiKeyPepper };
  }

  /** The first secret of a key. Gives it in the clear, the only time. */
  async issue(write: Write, apiKeyId: string): Promise<string> {
    const fresh = makeSecret(this.maker);
    await insertSecret(write.manager, apiKeyId, fresh);
    write.changed(documentKey.apiKey(fresh.secretHash));
    return fresh.secret;
  }

  /**
   * A secret that a rotation by policy has made and that was not fetched is handed over, once, in the place of another rotation. Two
   * secrets work at once at most: throws `conflict` while the one before is still in transition.
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
          'The key was rotated before and its old secret still works; send revoke_previous to end it now.',
        extra: { key_transition_expires_at: previous.expiresAt?.toISOString() ?? null },
      });
    }
    const fresh = makeSecret(this.maker);
    const until = new Date(now.getTime() + transitionMs);
    const { oldMasked, changed, removed } = await replaceSecret(manager, row.id, fresh, {
      until,
      sealed: null,
    });
    write.changed(...changed);
    write.removed(...removed);
    return { key: fresh.secret, mode: 'manual', oldMasked, transitionExpiresAt: until };
  }

  /** A new secret, and the end of every other one: the current, one in transition, and one that was not fetched. */
  async replaceAtOnce(write: Write, row: ApiKeyEntity): Promise<Rotation> {
    const { manager } = write;
    const secrets = await manager.find(ApiKeySecretEntity, { where: { apiKeyId: row.id }, lock: FOR_UPDATE });
    const oldMasked = secrets.find(({ state }) => state === 'current')?.masked ?? null;
    await this.revoke(write, [row.id]);
    const key = await this.issue(write, row.id);
    return { key, mode: 'manual', oldMasked, transitionExpiresAt: null };
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
