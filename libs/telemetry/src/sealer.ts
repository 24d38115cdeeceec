import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
const PREFIX_BYTES = 8;
const COUNT_MAX = 0xffffffff;

/** The key with this id is not in the ring: the bytes are whole, and another key opens them. */
export class UnknownKeyError extends Error {
  constructor(readonly keyId: number) {
    super(`No key with the id ${keyId.toString(16).padStart(8, '0')} is set.`);
  }
}

/**
 * Seals log records at rest with AES-256-GCM. The first key seals; all of them open. The id of a key is a part of its SHA-256, so
 * that bytes of another key are told from damaged ones.
 */
export class Sealer {
  readonly keyId: number;
  private readonly keys = new Map<number, KeyObject>();
  private readonly key: KeyObject;
  /** The start of every IV of this sealer: random, so that no two sealers of a key share one. The rest counts. */
  private prefix = randomBytes(PREFIX_BYTES);
  private count = 0;

  /** `keys`: 32 bytes each, at least one. */
  constructor(keys: readonly Buffer[]) {
    const [first] = keys;
    if (!first) throw new Error('A sealer needs a key.');
    for (const key of keys) this.keys.set(idOf(key), createSecretKey(key));
    this.keyId = idOf(first);
    this.key = createSecretKey(first);
  }

  opens(keyId: number): boolean {
    return this.keys.has(keyId);
  }

  /** Writes a fresh IV of `IV_BYTES` to `at`. */
  writeIv(target: Buffer, at: number): void {
    if (this.count >= COUNT_MAX) {
      this.prefix = randomBytes(PREFIX_BYTES);
      this.count = 0;
    }
    this.prefix.copy(target, at);
    target.writeUInt32LE(this.count, at + PREFIX_BYTES);
    this.count += 1;
  }

  /** Writes the ciphertext and its tag to `at`; returns the offset behind them. `header` is authenticated, not sealed. */
  seal(plain: Buffer, iv: Buffer, header: Buffer, target: Buffer, at: number): number {
    const cipher = createCipheriv(ALGORITHM, this.key, iv);
    cipher.setAAD(header);
    cipher.update(plain).copy(target, at);
    cipher.final();
    cipher.getAuthTag().copy(target, at + plain.length);
    return at + plain.length + TAG_BYTES;
  }

  /** Null: the bytes are not what was sealed. Throws `UnknownKeyError`. */
  open(keyId: number, iv: Buffer, header: Buffer, sealed: Buffer): Buffer | null {
    const key = this.keys.get(keyId);
    if (!key) throw new UnknownKeyError(keyId);
    const end = sealed.length - TAG_BYTES;
    if (end < 0) return null;
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(header);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(0, end));
    try {
      decipher.final();
      return plain;
    } catch {
      return null;
    }
  }
}

const idOf = (key: Buffer): number =>
  createHash('sha256').update('tollgate/key-id').update(key).digest().readUInt32LE(0);
