import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { hashingKey } from './ids';

/**
 * Keys that seal secrets at rest and on the way to a gateway. `current` seals; every key of `keys` opens, so that a key can
 * be rotated. A key is 32 bytes; its id is up to 16 characters of [a-z0-9].
 */
export interface Keyring {
  readonly current: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** Derives a 32-byte key for one purpose from the installation's master key (HKDF-SHA256, RFC 5869). */
export const deriveKey = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `tollgate/${purpose}`, 32));

/** What API keys are hashed by (`hashApiKey`) in every process of an installation. */
export const apiKeyPepper = (master: Buffer): KeyObject =>
  hashingKey(deriveKey(master, 'api-key-hash').toString('hex'));

/** What log records are sealed by on their way: in the journal of a gateway and in Redis. */
export const journalKey = (master: Buffer): Buffer => deriveKey(master, 'journal/v1');

/** What the processes of an installation seal by, at rest and between one another. */
export const sealingKeyring = (master: Buffer): Keyring => ({
  current: 'k1',
  keys: new Map([['k1', deriveKey(master, 'seal/v1')]]),
});

/**
 * AES-256-GCM: `v1.<key id>.<iv>.<ciphertext and tag>` in base64url. `boundTo` names the owner (tenant and record) and is
 * authenticated, so that a sealed value moved to another row or tenant does not open.
 */
export function seal(ring: Keyring, plaintext: string | Buffer, boundTo: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.current), iv);
  cipher.setAAD(Buffer.from(boundTo, 'utf8'));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return `v1.${ring.current}.${iv.toString('base64url')}.${body.toString('base64url')}`;
}

/** Opens what `seal` made. Throws on another owner, another key or a changed byte. */
export function unseal(ring: Keyring, sealed: string, boundTo: string): Buffer {
  const [version, keyId, iv, body] = sealed.split('.');
  if (version !== 'v1' || !keyId || !iv || !body) throw new Error('Not a sealed value.');
  const bytes = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(ring, keyId), Buffer.from(iv, 'base64url'));
  decipher.setAAD(Buffer.from(boundTo, 'utf8'));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - 16)), decipher.final()]);
}

function keyOf(ring: Keyring, id: string): Buffer {
  const key = ring.keys.get(id);
  if (!key) throw new Error(`No sealing key with the id ${id}.`);
  return key;
}
