import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type Cipheriv,
  type KeyObject,
} from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
const PREFIX_BYTES = 8;
const COUNT_MAX = 0xffffffff;
const STREAM = 'aes-256-ctr';
const AES_BLOCK_BYTES = 16;
/** Length of a position in a key stream: its nonce, and the offset as a 32-bit number. */
export const STREAM_POSITION_BYTES = 12;
const NONCE_BYTES = 8;

interface Keys {
  readonly gcm: KeyObject;
  readonly stream: KeyObject;
}

/** The bytes are encrypted with a key that is not configured. */
export class UnknownKeyError extends Error {
  constructor(readonly keyId: number) {
    super(`No key with the id ${keyId.toString(16).padStart(8, '0')} is set.`);
  }
}

/**
 * Encrypts log records at rest. The first key encrypts; all keys decrypt. The id of a key is a part
 * of its SHA-256, so that content of another key is distinguished from damaged content.
 *
 * Batches that are sent are encrypted with AES-256-GCM (`seal`). Writes to the local disk use one
 * AES-256-CTR key stream that stays open (`encrypt`), since creating a cipher for each turn of the
 * event loop costs more than everything else. Each piece uses the next bytes of the stream, never
 * the same ones twice, and stores their position. CTR does not detect damage; blocks have a
 * checksum for that.
 */
export class Sealer {
  readonly keyId: number;
  private readonly keys = new Map<number, Keys>();
  private readonly first: Keys;
  private nonce = randomBytes(NONCE_BYTES);
  private stream: Cipheriv;
  private streamed = 0;
  /**
   * The first bytes of each IV. They are random, so that two sealers with one key do not use the
   * same IVs; the rest is a counter.
   */
  private prefix = randomBytes(PREFIX_BYTES);
  private count = 0;

  /** `keys` holds at least one key; each has 32 bytes. */
  constructor(keys: readonly Buffer[]) {
    const [first] = keys;
    if (!first) throw new Error('A sealer needs a key.');
    for (const key of keys) this.keys.set(idOf(key), keysOf(key));
    this.keyId = idOf(first);
    this.first = keysOf(first);
    this.stream = this.newStream();
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

  /**
   * Writes the ciphertext and its tag to `at`, and returns the offset behind them. `header` is
   * authenticated but not encrypted.
   */
  seal(plain: Buffer, iv: Buffer, header: Buffer, target: Buffer, at: number): number {
    const cipher = createCipheriv(ALGORITHM, this.first.gcm, iv);
    cipher.setAAD(header);
    cipher.update(plain).copy(target, at);
    cipher.final();
    cipher.getAuthTag().copy(target, at + plain.length);
    return at + plain.length + TAG_BYTES;
  }

  /**
   * Decrypts the output of `seal`. Returns null if the bytes were changed. Throws
   * `UnknownKeyError`.
   */
  open(keyId: number, iv: Buffer, header: Buffer, sealed: Buffer): Buffer | null {
    const { gcm } = this.keysFor(keyId);
    const end = sealed.length - TAG_BYTES;
    if (end < 0) return null;
    const decipher = createDecipheriv(ALGORITHM, gcm, iv, { authTagLength: TAG_BYTES });
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

  /**
   * Encrypts `plain` to `at`, and writes its position in the key stream (`STREAM_POSITION_BYTES`)
   * to `positionAt`.
   */
  encrypt(plain: Buffer, target: Buffer, at: number, positionAt: number): void {
    if (this.streamed + plain.length > COUNT_MAX) {
      this.nonce = randomBytes(NONCE_BYTES);
      this.stream = this.newStream();
      this.streamed = 0;
    }
    target.set(this.nonce, positionAt);
    target.writeUInt32LE(this.streamed, positionAt + NONCE_BYTES);
    this.streamed += plain.length;
    target.set(this.stream.update(plain), at);
  }

  /** Decrypts bytes that `encrypt` encrypted at `position`. Throws `UnknownKeyError`. */
  decrypt(keyId: number, position: Buffer, encrypted: Buffer): Buffer {
    const { stream } = this.keysFor(keyId);
    const offset = position.readUInt32LE(NONCE_BYTES);
    const counter = Buffer.alloc(AES_BLOCK_BYTES);
    position.copy(counter, 0, 0, NONCE_BYTES);
    counter.writeBigUInt64BE(BigInt(Math.floor(offset / AES_BLOCK_BYTES)), NONCE_BYTES);
    const decipher = createDecipheriv(STREAM, stream, counter);
    decipher.update(Buffer.alloc(offset % AES_BLOCK_BYTES));
    return decipher.update(encrypted);
  }

  private newStream(): Cipheriv {
    return createCipheriv(STREAM, this.first.stream, Buffer.concat([this.nonce, Buffer.alloc(NONCE_BYTES)]));
  }

  private keysFor(keyId: number): Keys {
    const keys = this.keys.get(keyId);
    if (!keys) throw new UnknownKeyError(keyId);
    return keys;
  }
}

/** Derives a separate key for CTR, so that CTR and GCM never use the same key and counter. */
const keysOf = (key: Buffer): Keys => ({
  gcm: createSecretKey(key),
  stream: createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'tollgate/key-stream', key.length))),
});

const idOf = (key: Buffer): number =>
  createHash('sha256').update('tollgate/key-id').update(key).digest().readUInt32LE(0);
