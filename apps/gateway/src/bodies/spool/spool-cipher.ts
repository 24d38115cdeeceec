import { Buffer } from 'node:buffer';
import { createCipheriv, createSecretKey, randomBytes, type Cipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;

/**
 * Encrypts one spooled body with a key that exists only in this process's memory. AES-256-CTR
 * allows any part of the file to be read by itself. A key encrypts one file, which is written once
 * from its beginning.
 */
export class SpoolCipher {
  private readonly key = createSecretKey(randomBytes(32));
  private readonly writing = this.at(0);

  /** Encrypts the next bytes of the file. */
  encrypt(piece: Buffer): Buffer {
    return this.writing.update(piece);
  }

  /** Decrypts bytes that are read in order from `position` of the file. */
  reader(position: number): (piece: Buffer) => Buffer {
    const stream = this.at(Math.floor(position / BLOCK_BYTES));
    stream.update(Buffer.alloc(position % BLOCK_BYTES));
    return (piece) => stream.update(piece);
  }

  private at(block: number): Cipheriv {
    const counter = Buffer.alloc(BLOCK_BYTES);
    counter.writeBigUInt64BE(BigInt(block), BLOCK_BYTES - 8);
    return createCipheriv('aes-256-ctr', this.key, counter);
  }
}
