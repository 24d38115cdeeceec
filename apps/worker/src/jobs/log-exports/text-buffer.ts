/**
 * Stores consecutive texts as UTF-8 outside the JavaScript heap; thousands of small strings or
 * buffers would leave the young generation. Grows to the largest content so far and is reused after
 * `clear`.
 */
export class TextBuffer {
  private buffer: Buffer;
  /** Number of stored bytes. */
  length = 0;

  constructor(firstBytes: number) {
    this.buffer = Buffer.allocUnsafe(firstBytes);
  }

  /** Appends a text and returns its size in bytes. */
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

  /** Returns a copy of the content. */
  copy(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }

  clear(): void {
    this.length = 0;
  }
}
