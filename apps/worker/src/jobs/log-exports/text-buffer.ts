/**
 * Texts one after the other, as UTF-8, outside the heap: thousands of small strings or buffers would outlive the young generation. Grows to the most
 * that it held at a time, and is used again after `clear`.
 */
export class TextBuffer {
  private buffer: Buffer;
  /** Bytes that it holds. */
  length = 0;

  constructor(firstBytes: number) {
    this.buffer = Buffer.allocUnsafe(firstBytes);
  }

  /** Returns the bytes of the text. */
  append(text: string): number {
    const length = Buffer.byteLength(text);
    const needed = this.length + length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.buffer.write(text, this.length);
    this.length = needed;
    return length;
  }

  text(start: number, end: number): string {
    return this.buffer.toString('utf8', start, end);
  }

  /** All of it, which stays as it is. */
  copy(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }

  clear(): void {
    this.length = 0;
  }
}
