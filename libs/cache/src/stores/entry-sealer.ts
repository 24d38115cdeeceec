import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { Keyring } from '@gw/kernel';

const VERSION = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const IV = Buffer.alloc(12);
const KEY_ID_LENGTH_MAX = 16;

/** Maximum bytes that encryption adds to a value. */
export const SEALING_BYTES_MAX = 2 + KEY_ID_LENGTH_MAX + SALT_BYTES + TAG_BYTES;

/**
 * Encrypts data stored outside this process (AES-256-GCM), as bytes: version, length of the key id,
 * key id, salt, ciphertext, tag.
 * Every value has its own key, derived from its salt, so that the number of values per ring key is
 * unlimited and no nonce is used twice. `boundTo` is authenticated: a value moved to another key or
 * tenant cannot be decrypted.
 */
export class EntrySealer {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly current: Buffer;

  constructor(private readonly ring: Keyring) {
    this.keys = new Map([...ring.keys].map(([id, key]) => [id, createSecretKey(key)]));
    this.current = Buffer.from(ring.current, 'latin1');
  }

  /** Encrypts a value with the current key of the ring, for `boundTo` only. */
  seal(plain: Buffer, boundTo: string): Buffer {
    const salt = randomBytes(SALT_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyFor(this.ring.current, salt), IV);
    cipher.setAAD(Buffer.from(boundTo, 'utf8'));
    const head = Buffer.from([VERSION, this.current.length]);
    return Buffer.concat([
      head,
      this.current,
      salt,
      cipher.update(plain),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
  }

  /**
   * Decrypts a value; returns null when this ring did not encrypt it for `boundTo`, or when it was
   * changed.
   */
  open(sealed: Buffer, boundTo: string): Buffer | null {
    const saltAt = 2 + (sealed[1] ?? 0);
    const bodyAt = saltAt + SALT_BYTES;
    if (sealed[0] !== VERSION || sealed.length < bodyAt + TAG_BYTES) return null;
    const id = sealed.toString('latin1', 2, saltAt);
    if (!this.keys.has(id)) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.keyFor(id, sealed.subarray(saltAt, bodyAt)), IV, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(boundTo, 'utf8'));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const plain = decipher.update(sealed.subarray(bodyAt, sealed.length - TAG_BYTES));
    try {
      decipher.final();
      return plain;
    } catch {
      return null;
    }
  }

  private keyFor(id: string, salt: Buffer): Buffer {
    const key = this.keys.get(id);
    if (key === undefined) throw new Error(`no encryption key with the id ${id}`);
    return createHmac('sha256', key).update(salt).digest();
  }
}
