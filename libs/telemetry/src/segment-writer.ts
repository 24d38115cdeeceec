import type { Buffer } from 'node:buffer';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { segmentPath, type Segment } from './journal-files';
import type { RateLimitedReport } from './rate-limited-report';

const REOPEN_AFTER_MS = 1_000;

/** Writes to the newest segment, and begins another one when it is full. */
export class SegmentWriter {
  private fd: number | null = null;
  private retryOpenAt = 0;

  constructor(
    private readonly directory: string,
    private readonly segmentBytes: number,
    /** The journal's list, oldest first: new segments are added to it. */
    private readonly segments: Segment[],
    private nextSequence: number,
    private readonly problems: RateLimitedReport,
  ) {}

  get isOpen(): boolean {
    return this.fd !== null;
  }

  /** Writes whole frames. Null: the disk refused, and nothing of them is left in the segment. */
  write(bytes: Buffer): Segment | null {
    const segment = this.active();
    if (segment === null || this.fd === null) return null;
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.fd, bytes, written);
      segment.bytes += bytes.length;
      return segment;
    } catch (error) {
      this.problems.add('write', 1, `The journal could not be written: ${String(error)}`);
      this.cutBack(segment);
      return null;
    }
  }

  close(): void {
    if (this.fd === null) return;
    try {
      closeSync(this.fd);
    } catch (error) {
      this.problems.add('close', 1, `A journal segment could not be closed: ${String(error)}`);
    }
    this.fd = null;
  }

  /** A part of a frame must not stay in front of later ones. */
  private cutBack(segment: Segment): void {
    try {
      ftruncateSync(this.fd as number, segment.bytes);
    } catch {
      this.close();
    }
  }

  private active(): Segment | null {
    const newest = this.segments.at(-1);
    if (newest && this.fd !== null) {
      if (newest.bytes < this.segmentBytes) return newest;
      this.close();
    }
    if (Date.now() < this.retryOpenAt) return null;
    const path = segmentPath(this.directory, this.nextSequence);
    try {
      this.fd = openSync(path, 'ax', 0o600);
    } catch (error) {
      this.retryOpenAt = Date.now() + REOPEN_AFTER_MS;
      this.problems.add('open', 1, `A journal segment could not be made: ${String(error)}`);
      return null;
    }
    const segment = { sequence: this.nextSequence, path, bytes: 0 };
    this.nextSequence += 1;
    this.segments.push(segment);
    return segment;
  }
}
