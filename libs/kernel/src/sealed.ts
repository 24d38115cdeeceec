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
 * Keys that encrypt secrets at rest and on the way to a gateway. `current` encrypts; all `keys`
 * decrypt, so that keys can be rotated. A key has 32 bytes; its id has up to 16 characters of
 * [a-z0-9].
 */
export interface Keyring {
  readonly current: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/**
 * Derives a 32-byte key for one purpose from the installation's master key (HKDF-SHA256, RFC 5869).
 */
export const deriveKey = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `tollgate/${purpose}`, 32));

/**
 * The installation's master keys. The first encrypts and hashes. The others are earlier keys: they
 * decrypt what they encrypted and recognise what they hashed, until the re-seal job and the callers
 * have moved everything to the first.
 */
export type MasterKeys = readonly [Buffer, ...Buffer[]];

/** Settings of every process that knows the master keys. */
export const MASTER_KEY_SETTINGS = {
  ENCRYPTION_KEY: base64Key(32),
  /** Earlier values of ENCRYPTION_KEY, separated by commas; at most four. */
  ENCRYPTION_KEYS_PREVIOUS: base64Keys(32, 4),
};

/** Returns the master keys of the settings, the current one first. */
export const masterKeysOf = (settings: {
  readonly ENCRYPTION_KEY: Buffer;
  readonly ENCRYPTION_KEYS_PREVIOUS: readonly Buffer[];
}): MasterKeys => [settings.ENCRYPTION_KEY, ...settings.ENCRYPTION_KEYS_PREVIOUS];

/**
 * Returns the id of a master key in encrypted values: 8 hex digits, which reveal nothing about the
 * key.
 */
export const masterKeyId = (master: Buffer): string =>
  createHash('sha256').update(deriveKey(master, 'key-id')).digest('hex').slice(0, 8);

/**
 * Returns the key for `hashApiKey`, derived from a master key. It is the same in every process of
 * an installation.
 */
export const apiKeyPepper = (master: Buffer): KeyObject =>
  hashingKey(deriveKey(master, 'api-key-hash').toString('hex'));

/** Returns the key for hashes of OAuth codes and tokens, in the control plane and in gateways. */
export const oauthPepper = (master: Buffer): KeyObject =>
  hashingKey(deriveKey(master, 'oauth-hash').toString('hex'));

/** Returns the key that encrypts log records in the journal of a gateway and in Redis. */
export const journalKey = (master: Buffer): Buffer => deriveKey(master, 'journal/v1');

/** Returns keys for one purpose; they do not decrypt values of another purpose. */
export const keyringOf = (purpose: string, ...masters: MasterKeys): Keyring => ({
  current: masterKeyId(masters[0]),
  keys: new Map(masters.map((master) => [masterKeyId(master), deriveKey(master, purpose)])),
});

/** Returns the keys that encrypt data of an installation at rest and between its processes. */
export const sealingKeyring = (...masters: MasterKeys): Keyring => keyringOf('seal/v1', ...masters);

/**
 * Encrypts with AES-256-GCM and returns `v1.<key id>.<iv>.<ciphertext and tag>` in base64url.
 * `boundTo` names the owner (tenant and record) and is authenticated: a value that is moved to
 * another row or tenant does not decrypt.
 */
export function seal(ring: Keyring, plaintext: string | Buffer, boundTo: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.current), iv);
  cipher.setAAD(Buffer.from(boundTo, 'utf8'));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return `v1.${ring.current}.${iv.toString('base64url')}.${body.toString('base64url')}`;
}

/** Decrypts what `seal` returned. Throws for another owner, an unknown key or a changed byte. */
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
      // The value may belong to another master key.
    }
  }
  throw new Error('No key opens this value.');
}

const TAG_BYTES = 16;

function decrypt(key: Buffer, iv: Buffer, bytes: Buffer, boundTo: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(boundTo, 'utf8'));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()]);
}

/** Prefix of every value that the ring's current key has sealed. */
export const sealedPrefix = (ring: Keyring): string => `v1.${ring.current}.`;

/** Key id in values of releases in which an installation had only one key. */
const UNNAMED_KEY = 'k1';

function keyOf(ring: Keyring, id: string): Buffer {
  const key = ring.keys.get(id);
  if (!key) throw new Error(`No sealing key with the id ${id}.`);
  return key;
}
