import type { EncodedPart, ExportFormat, ExportRow } from './export-format';

const FIRST_BYTES = 1_048_576;

/** One JSON object on each line. */
export class JsonLines implements ExportFormat {
  /** Grows to the largest part and is used again: thousands of small buffers would outlive the young generation. */
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);
  bytes = 0;
  rows = 0;

  add(row: ExportRow): void {
    const line = `${JSON.stringify(row)}\n`;
    const length = Buffer.byteLength(line);
    if (this.bytes + length > this.buffer.length) this.grow(this.bytes + length);
    this.buffer.write(line, this.bytes);
    this.bytes += length;
    this.rows += 1;
  }

  takePart(): EncodedPart {
    const bytes = Buffer.from(this.buffer.subarray(0, this.bytes));
    this.bytes = 0;
    this.rows = 0;
    return { bytes, meta: null };
  }

  end(): null {
    return null;
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.bytes);
    this.buffer = larger;
  }
}
