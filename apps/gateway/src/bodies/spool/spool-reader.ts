import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { SpoolCipher } from './spool-cipher';

/** A part of the file, `[from, to)`, or bytes that replace a part. */
export type Segment = { readonly from: number; readonly to: number } | Buffer;

const READ_BYTES = 65_536;

/** Reads the segments of a spooled body in order, with backpressure. */
export class SpoolReader extends Readable {
  private index = 0;
  /** Bytes read of the current segment. */
  private done = 0;
  /** Decrypts the current segment from its beginning; null before its first read. */
  private decrypt: ((piece: Buffer) => Buffer) | null = null;

  constructor(
    private readonly file: FileHandle,
    private readonly segments: readonly Segment[],
    private readonly cipher: Pick<SpoolCipher, 'reader'>,
  ) {
    super({ highWaterMark: READ_BYTES });
  }

  override _read(): void {
    const segment = this.segments[this.index];
    if (segment === undefined) this.push(null);
    else if (Buffer.isBuffer(segment)) {
      this.index += 1;
      this.push(segment);
    } else void this.readFrom(segment.from + this.done, segment.to);
  }

  private async readFrom(position: number, end: number): Promise<void> {
    try {
      const wanted = Math.min(READ_BYTES, end - position);
      const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
      if (bytesRead === 0) throw new Error('A spooled body is shorter than what was written.');
      this.decrypt ??= this.cipher.reader(position);
      const plain = this.decrypt(buffer.subarray(0, bytesRead));
      this.done += bytesRead;
      if (position + bytesRead === end) {
        this.index += 1;
        this.done = 0;
        this.decrypt = null;
      }
      this.push(plain);
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
