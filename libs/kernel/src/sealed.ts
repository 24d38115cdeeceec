import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { hashingKey } from './ids';
import { base64Key, base64Keys } from './settings';

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

/**
 * The installation's master keys. The first seals and hashes; the others are earlier ones, which only open what they have sealed
 * and recognise what they have hashed, until the re-seal job and the callers have moved everything to the first.
 */
export type MasterKeys = readonly [Buffer, ...Buffer[]];

/** Settings of every process that has the master keys. */
export const MASTER_KEY_SETTINGS = {
  ENCRYPTION_KEY: base64Key(32),
  /** Earlier values of ENCRYPTION_KEY, separated by commas; at most four. */
  ENCRYPTION_KEYS_PREVIOUS: base64Keys(32, 4),
};

export const masterKeysOf = (settings: {
  readonly ENCRYPTION_KEY: Buffer;
  readonly ENCRYPTION_KEYS_PREVIOUS: readonly Buffer[];
}): MasterKeys => [settings.ENCRYPTION_KEY, ...settings.ENCRYPTION_KEYS_PREVIOUS];

/** Names a master key in what it has sealed, without telling anything of it: 8 hex digits. */
export const masterKeyId = (master: Buffer): string =>
  createHash('sha256').update(deriveKey(master, 'key-id')).digest('hex').slice(0, 8);

/**
 * Key of the hash of API keys (`hashApiKey`) in every process of an installation, derived from one
 * of its master keys.
 */
export const apiKeyPepper = (master: Buffer): KeyObject =>
  hashingKey(deriveKey(master, 'api-key-hash').toString('hex'));

/** Key of the hash of OAuth codes and tokens, in the control plane and in gateways. */
export const oauthPepper = (master: Buffer): KeyObject =>
  hashingKey(deriveKey(master, 'oauth-hash').toString('hex'));

/** Key that seals log records in the journal of a gateway and in Redis. */
export const journalKey = (master: Buffer): Buffer => deriveKey(master, 'journal/v1');

/** Keys that seal for one purpose; what is sealed for one does not open for another. */
export const keyringOf = (purpose: string, ...masters: MasterKeys): Keyring => ({
  current: masterKeyId(masters[0]),
  keys: new Map(masters.map((master) => [masterKeyId(master), deriveKey(master, purpose)])),
});

/** Keys that seal data of an installation at rest and between its processes. */
export const sealingKeyring = (...masters: MasterKeys): Keyring => keyringOf('seal/v1', ...masters);

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
  const open = (key: Buffer): Buffer =>
    decrypt(key, Buffer.from(iv, 'base64url'), Buffer.from(body, 'base64url'), boundTo);
  if (keyId !== UNNAMED_KEY) return open(keyOf(ring, keyId));
  for (const key of ring.keys.values()) {
    try {
      return open(key);
    } catch {
      // Of another master key, perhaps.
    }
  }
  throw new Error('No key opens this value.');
}

function decrypt(key: Buffer, iv: Buffer, bytes: Buffer, boundTo: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  decipher.setAAD(Buffer.from(boundTo, 'utf8'));
  decipher.setAuthTag(bytes.subarray(bytes.length - 16));
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - 16)), decipher.final()]);
}

/** Prefix of every value that the ring's current key has sealed. */
export const sealedPrefix = (ring: Keyring): string => `v1.${ring.current}.`;

/** In values of releases in which an installation had one key only. */
const UNNAMED_KEY = 'k1';

function keyOf(ring: Keyring, id: string): Buffer {
  const key = ring.keys.get(id);
  if (!key) throw new Error(`No sealing key with the id ${id}.`);
  return key;
}
