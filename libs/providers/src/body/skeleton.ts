import type { ShallowScan } from './shallow-scan';

const BYTES_MAX = 524_288;
const BYTES_AT_FIRST = 4_096;
/** Maximum number of gaps, that is, of places where bytes are omitted. */
const GAPS_MAX = 16_384;

/**
 * The kept bytes of a longer body, and their positions in it. It is full at 512 KiB or 16,384 gaps
 * and keeps no more.
 */
export class Skeleton {
  isFull = false;
  private kept = Buffer.allocUnsafe(BYTES_AT_FIRST);
  private length = 0;
  /** Ranges without a gap, with the start of each in the skeleton and in the body. */
  private readonly runs: { readonly offset: number; readonly bodyOffset: number }[] = [];
  private next = -1;

  /** Copies `bytes[from, to)`, which start at `bodyOffset` in the body. */
  keep(bytes: Buffer, from: number, to: number, bodyOffset: number): void {
    const size = to - from;
    if (this.isFull || size <= 0) return;
    if (this.length + size > BYTES_MAX || this.runs.length >= GAPS_MAX) {
      this.isFull = true;
      return;
    }
    if (bodyOffset !== this.next) this.runs.push({ offset: this.length, bodyOffset });
    this.next = bodyOffset + size;
    if (this.length + size > this.kept.length) this.grow(this.length + size);
    bytes.copy(this.kept, this.length, from, to);
    this.length += size;
  }

  bytes(): Buffer {
    return this.kept.subarray(0, this.length);
  }

  /** Translates a scan of these bytes to positions in the body. */
  located<T extends ShallowScan | null>(scan: T): T {
    if (!scan?.modelSpan) return scan;
    const [start, end] = scan.modelSpan;
    return { ...scan, modelSpan: [this.inBody(start), this.inBody(end - 1) + 1] };
  }

  private inBody(position: number): number {
    const run = this.runs.findLast(({ offset }) => offset <= position);
    return run ? run.bodyOffset + position - run.offset : position;
  }

  private grow(size: number): void {
    const grown = Buffer.allocUnsafe(Math.max(size, this.kept.length * 2));
    this.kept.copy(grown, 0, 0, this.length);
    this.kept = grown;
  }
}
