import { Buffer } from 'node:buffer';
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { END_MARK_BYTES } from './frame';
import { segmentPath, type Segment } from './journal-files';
import type { RateLimitedReport } from './rate-limited-report';

const REOPEN_AFTER_MS = 1_000;
const SPARE_NAME = 'spare.log';
const datasync = promisify(fdatasync);

/**
 * Writes to the newest segment and starts another one when it is full. The file of one shipped
 * segment is kept and overwritten by the next segment: writing to existing pages costs a third of
 * allocating new ones. Its old content follows the end mark.
 */
export class SegmentWriter {
  private fd: number | null = null;
  private retryOpenAt = 0;

  constructor(
    private readonly directory: string,
    private readonly segmentBytes: number,
    /** The journal's segments, oldest first. This class appends new ones. */
    private readonly segments: Segment[],
    private nextSequence: number,
    private readonly problems: RateLimitedReport,
    /** Whether a segment is flushed to the disk before the next one is started. */
    private readonly isSynced: boolean,
  ) {}

  get isOpen(): boolean {
    return this.fd !== null;
  }

  /**
   * Writes complete blocks with an end mark; `blocksFor` encodes them for the open segment. Returns
   * null if the disk refused, and leaves no part of them in the segment.
   */
  write(blocksFor: (segment: Segment) => Buffer): Segment | null {
    const segment = this.active();
    if (segment === null || this.fd === null) return null;
    try {
      const bytes = blocksFor(segment);
      for (let written = 0; written < bytes.length;)
        written += writeSync(this.fd, bytes, written, bytes.length - written, segment.bytes + written);
      segment.bytes += bytes.length - END_MARK_BYTES;
      return segment;
    } catch (error) {
      this.problems.add('write', 1, `The journal could not be written: ${String(error)}`);
      this.cutBack(segment);
      return null;
    }
  }

  /**
   * Flushes the newest segment from the page cache to the disk. Rejects with the error of the file
   * system.
   */
  async sync(): Promise<void> {
    if (this.fd !== null) await datasync(this.fd);
  }

  close(): void {
    if (this.fd === null) return;
    try {
      if (this.isSynced) fdatasyncSync(this.fd);
      closeSync(this.fd);
    } catch (error) {
      this.problems.add('close', 1, `A journal segment could not be closed: ${String(error)}`);
    }
    this.fd = null;
  }

  /**
   * Deletes the file of a shipped segment, or keeps it for a later segment. Throws the error of the
   * file system.
   */
  retire(segment: Segment): void {
    const spare = join(this.directory, SPARE_NAME);
    if (existsSync(spare)) unlinkSync(segment.path);
    else renameSync(segment.path, spare);
  }

  /** Truncates the segment, so that no partial block precedes later ones. */
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
      this.fd = this.openNext(path);
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

  private openNext(path: string): number {
    return this.reuseSpare(path) ?? openSync(path, 'wx', 0o600);
  }

  /**
   * Opens the kept file as `path`; returns null if there is none. A file that cannot be reused is
   * deleted: `path` must not exist after a failure, because a new file could not be created then.
   */
  private reuseSpare(path: string): number | null {
    const spare = join(this.directory, SPARE_NAME);
    if (!existsSync(spare)) return null;
    let fd: number | null = null;
    try {
      fd = openSync(spare, 'r+');
      // The end mark hides the old blocks until the first new ones are written.
      writeSync(fd, END_MARK, 0, END_MARK_BYTES, 0);
      renameSync(spare, path);
      return fd;
    } catch {
      if (fd !== null) closeSync(fd);
      rmSync(spare, { recursive: true, force: true });
      return null;
    }
  }
}

const END_MARK = Buffer.alloc(END_MARK_BYTES);
