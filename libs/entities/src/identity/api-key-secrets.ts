import { documentKey, type DocumentKey } from '@gw/contracts';
import { API_KEY_LENGTH, hashApiKey, randomAlphanumeric, seal, unseal, type Keyring } from '@gw/kernel';
import type { KeyObject } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiKeySecretEntity } from './api-key-secret.entity';

/** Parts from which this installation creates secrets. */
export interface SecretMaker {
  readonly prefix: string;
  /** Key of the HMAC under which secrets are stored. */
  readonly pepper: KeyObject;
}

export interface FreshSecret {
  /** Plain text; shown once and never stored. */
  readonly secret: string;
  readonly secretHash: string;
  readonly masked: string;
}

export interface Replacement {
  readonly oldMasked: string;
  /** Keys of changed documents, for `recordChange`. */
  readonly changed: readonly DocumentKey[];
  readonly removed: readonly DocumentKey[];
}

/** Generates a secret with its hash and its masked form. */
export function makeSecret({ prefix, pepper }: SecretMaker): FreshSecret {
  const secret = prefix + randomAlphanumeric(API_KEY_LENGTH);
  const masked = `${secret.slice(0, 2)}*****${secret.slice(-3)}`;
  return { secret, secretHash: hashApiKey(pepper, secret), masked };
}

/**
 * Inserts the current secret of a key. `sealed` is the encrypted secret if there is no caller to
 * show it to; else null.
 */
export async function insertSecret(
  manager: EntityManager,
  apiKeyId: string,
  { secretHash, masked }: FreshSecret,
  sealed: string | null = null,
): Promise<void> {
  const row = { secretHash, apiKeyId, masked, state: 'current', expiresAt: null, sealed } as const;
  await manager.insert(ApiKeySecretEntity, row);
}

/**
 * Makes `fresh` the current secret; the previous one works until `until`. The caller must hold the
 * lock of the key's row and must have checked that no secret in transition still works. A secret
 * whose transition has ended is deleted.
 */
export async function replaceSecret(
  manager: EntityManager,
  apiKeyId: string,
  fresh: FreshSecret,
  { until, sealed }: { readonly until: Date; readonly sealed: string | null },
): Promise<Replacement> {
  const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId });
  const current = secrets.find(({ state }) => state === 'current');
  const previous = secrets.find(({ state }) => state === 'transition');
  if (!current) throw new Error('The key has no current secret.');
  if (previous) await manager.delete(ApiKeySecretEntity, { secretHash: previous.secretHash });
  const old = { secretHash: current.secretHash };
  await manager.update(ApiKeySecretEntity, old, { state: 'transition', expiresAt: until, sealed: null });
  await insertSecret(manager, apiKeyId, fresh, sealed);
  return {
    oldMasked: current.masked,
    changed: [current.secretHash, fresh.secretHash].map(documentKey.apiKey),
    removed: previous ? [documentKey.apiKey(previous.secretHash)] : [],
  };
}

/** Encrypts a secret and binds it to its API key. */
export const sealSecret = (keyring: Keyring, apiKeyId: string, { secret }: FreshSecret): string =>
  seal(keyring, secret, apiKeySecretBinding(apiKeyId));

/** Decrypts what `sealSecret` returned; throws for another API key or keyring. */
export const openSecret = (keyring: Keyring, apiKeyId: string, sealed: string): string =>
  unseal(keyring, sealed, apiKeySecretBinding(apiKeyId)).toString('utf8');

export const apiKeySecretBinding = (apiKeyId: string): string => `api-key-secret/${apiKeyId}`;
