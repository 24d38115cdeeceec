import { Buffer } from 'node:buffer';

const TAIL_BYTES = 16_384;
const EMPTY = Buffer.alloc(0);

/**
 * Holds the last bytes of a sequence of chunks, at most `TAIL_BYTES`. Each byte is copied at most
 * twice, however small its chunk is.
 */
export class ResponseTail {
  private readonly bytes = Buffer.allocUnsafe(2 * TAIL_BYTES);
  private end = 0;

  write(piece: Buffer): void {
    const last = piece.length > TAIL_BYTES ? piece.subarray(-TAIL_BYTES) : piece;
    if (this.end + last.length > this.bytes.length) {
      this.bytes.copyWithin(0, this.end - TAIL_BYTES, this.end);
      this.end = TAIL_BYTES;
    }
    this.end += last.copy(this.bytes, this.end);
  }

  read(): Buffer {
    return this.end === 0 ? EMPTY : this.bytes.subarray(Math.max(0, this.end - TAIL_BYTES), this.end);
  }
}
