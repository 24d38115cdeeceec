import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { planFrame, writeFrame, type FrameBody } from './frame';
import {
  readCursor,
  recoverSegments,
  segmentPath,
  writeCursor,
  type Position,
  type Segment,
} from './journal-files';
import { readSegment, type JournalBatch } from './journal-reader';
import { RateLimitedReport, type Problem } from './rate-limited-report';

export interface JournalOptions {
  /** Used by this process alone. Made when it is missing; frames that an earlier process left in it are adopted. */
  readonly directory: string;
  /** A segment is closed once it has reached this size, in bytes; 16 MiB when absent. */
  readonly segmentBytes?: number;
  /** All segments together, in bytes; 1 GiB when absent. Frames past it are dropped and counted. */
  readonly capBytes?: number;
  /** Told of what was lost, at most once per kind and 10 seconds. */
  readonly report?: (problem: Problem) => void;
}

export interface JournalStats {
  /** Frames written to the disk since the start. */
  readonly appended: number;
  /** Frames dropped since the start: the journal was at its cap, the disk refused the write, the record was too large. */
  readonly droppedAtCap: number;
  readonly droppedByDisk: number;
  readonly droppedOversized: number;
  /** Bytes that no longer read as frames. */
  readonly damagedBytes: number;
  /** Bytes that no sink has acknowledged. */
  readonly backlogBytes: number;
  /** Bytes that the segments take on the disk. */
  readonly diskBytes: number;
}

const SCRATCH_BYTES = 1024 * 1024;
const ROOM_BYTES = 1024 * 1024;
const REOPEN_AFTER_MS = 1_000;

/**
 * Log records on their way out, on the local disk. `append` collects the frames of one turn of the event loop, writes them with
 * one call at its end, and then runs their callbacks: a record whose callback ran is in the page cache and survives the death of
 * the process (not that of the machine: nothing is synced). Memory stays bounded by one scratch buffer; a slow or missing sink
 * grows the disk up to `capBytes`. A record that can't be kept is counted, and its callback runs all the same.
 */
export class Journal {
  private readonly scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  /** Used for one batch after the other: fresh memory for each would cost more than the reading. */
  private readonly room = Buffer.allocUnsafe(ROOM_BYTES);
  private used = 0;
  private pendingFrames = 0;
  private waiting: (() => void)[] = [];
  private scheduled = false;
  private closed = false;
  private fd: number | null = null;
  private retryOpenAt = 0;
  private readonly counts = {
    appended: 0,
    droppedAtCap: 0,
    droppedByDisk: 0,
    droppedOversized: 0,
    damagedBytes: 0,
  };
  private readonly problems: RateLimitedReport;

  private constructor(
    private readonly directory: string,
    private readonly segmentBytes: number,
    private readonly capBytes: number,
    private readonly segments: Segment[],
    private nextSequence: number,
    private cursor: Position,
    report: (problem: Problem) => void,
  ) {
    this.problems = new RateLimitedReport(report);
  }

  /** Reads what is left of an earlier process. Throws when the directory can't be used. */
  static open(options: JournalOptions): Journal {
    const { directory, segmentBytes = 16 * 1024 * 1024, capBytes = 1024 * 1024 * 1024 } = options;
    const segments = recoverSegments(directory);
    const newest = segments.at(-1)?.sequence ?? 0;
    // A cursor ahead of every segment belongs to segments that are gone; their numbers are not used again.
    const cursor = readCursor(directory, segments, newest + 1);
    const next = Math.max(newest, cursor.segment - 1) + 1;
    const report = options.report ?? (() => undefined);
    // Several segments must fit under the cap, since acknowledged bytes are only freed a whole segment at a time.
    const rotateAt = Math.min(segmentBytes, Math.floor(capBytes / 4));
    return new Journal(directory, rotateAt, capBytes, segments, next, cursor, report);
  }

  /**
   * Takes one record: `meta` is its metadata as JSON, the bodies are appended as they are (null: there was none). The buffers may
   * be changed as soon as this returns. `onDurable` runs once, later in this turn, whatever became of the record.
   */
  append(meta: string | Buffer, request: FrameBody, response: FrameBody, onDurable: () => void): void {
    this.waiting.push(onDurable);
    if (!this.scheduled) {
      this.scheduled = true;
      setImmediate(() => {
        this.flush();
      });
    }
    const parts = planFrame(meta, request, response);
    if (!parts)
      return this.lose('droppedOversized', 1, 'A log record was larger than a journal frame may be.');
    if (this.diskBytes() + this.used + parts.bytes > this.capBytes) {
      return this.lose('droppedAtCap', 1, 'The journal is at its cap; new log records are dropped.');
    }
    if (parts.bytes > SCRATCH_BYTES - this.used) this.writePending();
    if (parts.bytes > SCRATCH_BYTES) {
      const own = Buffer.allocUnsafe(parts.bytes);
      writeFrame(own, 0, parts);
      return this.write(own, 1);
    }
    this.used = writeFrame(this.scratch, this.used, parts);
    this.pendingFrames += 1;
  }

  /** Writes what this turn has collected and runs the callbacks. */
  flush(): void {
    this.scheduled = false;
    this.writePending();
    const callbacks = this.waiting;
    this.waiting = [];
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.problems.add('callback', 1, `A callback of the journal failed: ${String(error)}`);
      }
    }
  }

  /** True while there are frames that no sink has acknowledged. */
  hasBacklog(): boolean {
    const newest = this.segments.at(-1);
    if (!newest) return false;
    return this.cursor.segment < newest.sequence || this.cursor.offset < newest.bytes;
  }

  /**
   * The oldest frames that are not acknowledged, at most `recordsMax` of them and `bytesMax` bytes (but at least one), or null
   * when there are none. Gives the same frames again until `acknowledge`. The bytes are good until the next read.
   */
  async read(recordsMax: number, bytesMax: number): Promise<JournalBatch | null> {
    for (;;) {
      const segment = this.segments.find(({ sequence }) => sequence === this.cursor.segment);
      const offset = this.cursor.offset;
      if (segment && offset < segment.bytes) {
        const found = await readSegment(segment, offset, recordsMax, bytesMax, this.room);
        if (found.kind === 'batch') return found.batch;
        this.lose(
          'damagedBytes',
          found.lostBytes,
          `Journal bytes that can't be read were skipped: ${segment.path}`,
        );
        await this.acknowledge({ segment: segment.sequence, offset: offset + found.lostBytes });
        continue;
      }
      const next = this.segments.find(({ sequence }) => sequence > this.cursor.segment);
      if (!next) return null;
      await this.acknowledge({ segment: next.sequence, offset: 0 });
    }
  }

  /** Notes that everything before `end` has arrived, and removes the segments that hold nothing else. */
  async acknowledge(end: Position): Promise<void> {
    this.cursor = end;
    try {
      await writeCursor(this.directory, end);
    } catch (error) {
      // A restart would send frames again, which the receiver drops; a full disk must not keep segments from being freed.
      this.problems.add('cursor', 1, `The journal's cursor could not be written: ${String(error)}`);
    }
    for (let oldest = this.segments[0]; oldest && this.isDone(oldest); oldest = this.segments[0]) {
      if (this.segments.length === 1) this.closeSegment();
      this.segments.shift();
      await unlink(oldest.path).catch((error: unknown) => {
        this.problems.add('unlink', 1, `A shipped journal segment could not be removed: ${String(error)}`);
      });
    }
  }

  /** Acknowledged to its end, and nothing more will be written to it. */
  private isDone(segment: Segment): boolean {
    if (segment.sequence !== this.cursor.segment) return segment.sequence < this.cursor.segment;
    if (this.cursor.offset < segment.bytes) return false;
    const isActive = this.fd !== null && segment === this.segments.at(-1);
    return !isActive || segment.bytes >= this.segmentBytes;
  }

  stats(): JournalStats {
    const disk = this.diskBytes();
    const current = this.segments[0]?.sequence === this.cursor.segment ? this.cursor.offset : 0;
    return { ...this.counts, diskBytes: disk, backlogBytes: disk - current };
  }

  /** Writes what is pending and closes the segment. Records that are appended later are counted as dropped. */
  close(): void {
    this.flush();
    this.closed = true;
    this.closeSegment();
  }

  private diskBytes(): number {
    let bytes = 0;
    for (const segment of this.segments) bytes += segment.bytes;
    return bytes;
  }

  private writePending(): void {
    if (this.used === 0) return;
    const frames = this.pendingFrames;
    const bytes = this.scratch.subarray(0, this.used);
    this.used = 0;
    this.pendingFrames = 0;
    this.write(bytes, frames);
  }

  private write(bytes: Buffer, frames: number): void {
    const segment = this.activeSegment();
    if (!segment || this.fd === null) {
      return this.lose(
        'droppedByDisk',
        frames,
        'The journal has no segment to write to; log records are dropped.',
      );
    }
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.fd, bytes, written);
      segment.bytes += bytes.length;
      this.counts.appended += frames;
    } catch (error) {
      this.lose('droppedByDisk', frames, `The journal could not be written: ${String(error)}`);
      this.cutBack(segment);
    }
  }

  /** A part of a frame must not stay in front of later ones. */
  private cutBack(segment: Segment): void {
    try {
      ftruncateSync(this.fd as number, segment.bytes);
    } catch {
      this.closeSegment();
    }
  }

  private activeSegment(): Segment | null {
    const newest = this.segments.at(-1);
    if (newest && this.fd !== null) {
      if (newest.bytes < this.segmentBytes) return newest;
      this.closeSegment();
    }
    if (this.closed || Date.now() < this.retryOpenAt) return null;
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

  private closeSegment(): void {
    if (this.fd === null) return;
    try {
      closeSync(this.fd);
    } catch (error) {
      this.problems.add('close', 1, `A journal segment could not be closed: ${String(error)}`);
    }
    this.fd = null;
  }

  private lose(
    counter: 'droppedAtCap' | 'droppedByDisk' | 'droppedOversized' | 'damagedBytes',
    count: number,
    message: string,
  ): void {
    this.counts[counter] += count;
    this.problems.add(counter, count, message);
  }
}
