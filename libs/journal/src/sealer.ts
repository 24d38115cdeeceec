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
/** Bytes of a place in a key stream: its nonce, and the offset as a number of 32 bits. */
export const PLACE_BYTES = 12;
const NONCE_BYTES = 8;

interface Keys {
  readonly gcm: KeyObject;
  readonly stream: KeyObject;
}

/** The key with this id is not in the ring: the bytes are whole, and another key opens them. */
export class UnknownKeyError extends Error {
  constructor(readonly keyId: number) {
    super(`No key with the id ${keyId.toString(16).padStart(8, '0')} is set.`);
  }
}

/**
 * Seals log records at rest. The first key seals; all of them open. The id of a key is a part of its SHA-256, so that bytes of
 * another key are distinguished from damaged ones.
 *
 * Batches that travel are sealed with AES-256-GCM. What is written to the local disk for each turn of the event loop is covered by
 * one AES-256-CTR key stream that stays open, since making a cipher costs more than all else: each piece uses the next bytes of the
 * stream, never the same ones twice, and says where those are. A stream does not tell damage: a checksum does.
 */
export class Sealer {
  readonly keyId: number;
  private readonly keys = new Map<number, Keys>();
  private readonly first: Keys;
  private nonce = randomBytes(NONCE_BYTES);
  private stream: Cipheriv;
  private streamed = 0;
  /** The start of every IV of this sealer: random, so that no two sealers of a key share one. The rest counts. */
  private prefix = randomBytes(PREFIX_BYTES);
  private count = 0;

  /** `keys`: 32 bytes each, at least one. */
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

  /** Writes the ciphertext and its tag to `at`; returns the offset behind them. `header` is authenticated, not sealed. */
  seal(plain: Buffer, iv: Buffer, header: Buffer, target: Buffer, at: number): number {
    const cipher = createCipheriv(ALGORITHM, this.first.gcm, iv);
    cipher.setAAD(header);
    cipher.update(plain).copy(target, at);
    cipher.final();
    cipher.getAuthTag().copy(target, at + plain.length);
    return at + plain.length + TAG_BYTES;
  }

  /** Null: the bytes are not what was sealed. Throws `UnknownKeyError`. */
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

  /** Writes `plain`, covered, to `at`, and the place in the key stream that covers it (`PLACE_BYTES`) to `placeAt`. */
  cover(plain: Buffer, target: Buffer, at: number, placeAt: number): void {
    if (this.streamed + plain.length > COUNT_MAX) {
      this.nonce = randomBytes(NONCE_BYTES);
      this.stream = this.newStream();
      this.streamed = 0;
    }
    target.set(this.nonce, placeAt);
    target.writeUInt32LE(this.streamed, placeAt + NONCE_BYTES);
    this.streamed += plain.length;
    target.set(this.stream.update(plain), at);
  }

  /** Decrypts bytes that were encrypted at `place`. Throws `UnknownKeyError`. */
  uncover(keyId: number, place: Buffer, covered: Buffer): Buffer {
    const { stream } = this.keysFor(keyId);
    const offset = place.readUInt32LE(NONCE_BYTES);
    const counter = Buffer.alloc(AES_BLOCK_BYTES);
    place.copy(counter, 0, 0, NONCE_BYTES);
    counter.writeBigUInt64BE(BigInt(Math.floor(offset / AES_BLOCK_BYTES)), NONCE_BYTES);
    const decipher = createDecipheriv(STREAM, stream, counter);
    decipher.update(Buffer.alloc(offset % AES_BLOCK_BYTES));
    return decipher.update(covered);
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

/** A key of its own for the streams, so that no counter of one cipher meets one of the other. */
const keysOf = (key: Buffer): Keys => ({
  gcm: createSecretKey(key),
  stream: createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'tollgate/key-stream', key.length))),
});

const idOf = (key: Buffer): number =>
  createHash('sha256').update('tollgate/key-id').update(key).digest().readUInt32LE(0);
