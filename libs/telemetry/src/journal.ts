import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers';
import { CursorFile, type Position } from './cursor-file';
import {
  encodeFrame,
  END_MARK_BYTES,
  FRAME_BYTES_MAX,
  frameBytesAtMost,
  writeFrame,
  type FrameBody,
} from './frame';
import { readCursor, recoverSegments, type Segment } from './journal-files';
import { readSegment, type JournalBatch } from './journal-reader';
import { JournalTail } from './journal-tail';
import { RateLimitedReport, type Problem } from './rate-limited-report';
import { SegmentWriter } from './segment-writer';

export interface JournalOptions {
  /** Used by this process alone. Made when it is missing; frames that an earlier process left in it are adopted. */
  readonly directory: string;
  /** A segment is closed once it has reached this size, in bytes; 4 MiB when absent. */
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

const END_MARK = Buffer.alloc(END_MARK_BYTES);
const ROOM_BYTES = 1024 * 1024;

/**
 * Log records on their way out, on the local disk. `append` collects the frames of one turn of the event loop, writes them with
 * one call at its end, and then runs their callbacks: a record whose callback ran is in the page cache and survives the death of
 * the process (not that of the machine: nothing is synced). Memory stays bounded by the tail's buffers; a slow or missing sink
 * grows the disk up to `capBytes`. A record that can't be kept is counted, and its callback runs all the same.
 */
export class Journal {
  private readonly tail = new JournalTail();
  /** Used for one batch after the other: fresh memory for each would cost more than the reading. */
  private readonly room = Buffer.allocUnsafe(ROOM_BYTES);
  private pendingFrames = 0;
  private waiting: (() => void)[] = [];
  private scheduled = false;
  private closed = false;
  private readonly writer: SegmentWriter;
  /** Bytes of all segments. */
  private onDisk = 0;
  private backlogWaiter: { readonly bytes: number; readonly reached: () => void } | null = null;
  private readonly counts = {
    appended: 0,
    droppedAtCap: 0,
    droppedByDisk: 0,
    droppedOversized: 0,
    damagedBytes: 0,
  };
  private readonly problems: RateLimitedReport;

  private constructor(
    directory: string,
    private readonly segmentBytes: number,
    private readonly capBytes: number,
    private readonly segments: Segment[],
    nextSequence: number,
    private readonly cursorFile: CursorFile,
    private cursor: Position,
    report: (problem: Problem) => void,
  ) {
    for (const { bytes } of segments) this.onDisk += bytes;
    this.problems = new RateLimitedReport(report);
    this.writer = new SegmentWriter(directory, segmentBytes, segments, nextSequence, this.problems);
  }

  /** Reads what is left of an earlier process. Throws when the directory can't be used. */
  static open(options: JournalOptions): Journal {
    const { directory, segmentBytes = 4 * 1024 * 1024, capBytes = 1024 * 1024 * 1024 } = options;
    const segments = recoverSegments(directory);
    const newest = segments.at(-1)?.sequence ?? 0;
    // A cursor ahead of every segment belongs to segments that are gone; their numbers are not used again.
    const cursorFile = new CursorFile(directory);
    const cursor = readCursor(cursorFile, segments, newest + 1);
    const next = Math.max(newest, cursor.segment - 1) + 1;
    const report = options.report ?? (() => undefined);
    // Several segments must fit under the cap, since acknowledged bytes are only freed a whole segment at a time.
    const rotateAt = Math.min(segmentBytes, Math.floor(capBytes / 4));
    return new Journal(directory, rotateAt, capBytes, segments, next, cursorFile, cursor, report);
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
    const bytes = frameBytesAtMost(meta, request, response);
    if (this.onDisk + this.tail.used + bytes > this.capBytes) {
      return this.lose('droppedAtCap', 1, 'The journal is at its cap; new log records are dropped.');
    }
    if (bytes > this.tail.room) {
      this.writePending();
      this.tail.turn();
      if (bytes > this.tail.room) return this.appendLarge(meta, request, response);
    }
    this.tail.used = writeFrame(this.tail.target, this.tail.used, meta, request, response);
    this.pendingFrames += 1;
  }

  /** A frame that could be larger than a buffer of the tail goes to the disk by itself. */
  private appendLarge(meta: string | Buffer, request: FrameBody, response: FrameBody): void {
    const frame = encodeFrame(meta, request, response);
    if (frame) this.write(Buffer.concat([frame, END_MARK]), 1);
    else {
      const cap = String(FRAME_BYTES_MAX);
      this.lose('droppedOversized', 1, `A log record was larger than the ${cap} bytes of a journal frame.`);
    }
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

  /** Calls `reached` once, when this many bytes or more are not acknowledged. At most one waits: a new one replaces it. */
  whenBacklog(bytes: number, reached: () => void): void {
    this.backlogWaiter = { bytes, reached };
    this.tellBacklog();
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
        const kept = this.tail.read(this.cursor, recordsMax, bytesMax);
        if (kept) {
          const end = { segment: segment.sequence, offset: offset + kept.bytes.length };
          return { ...kept, end };
        }
        const found = await readSegment(segment, offset, recordsMax, bytesMax, this.room);
        if (found.kind === 'batch') return found.batch;
        this.lose(
          'damagedBytes',
          found.lostBytes,
          `Journal bytes that can't be read were skipped: ${segment.path}`,
        );
        this.acknowledge({ segment: segment.sequence, offset: offset + found.lostBytes });
        continue;
      }
      const next = this.segments.find(({ sequence }) => sequence > this.cursor.segment);
      if (!next) return null;
      this.acknowledge({ segment: next.sequence, offset: 0 });
    }
  }

  /** Notes that everything before `end` has arrived, and removes the segments that hold nothing else. */
  acknowledge(end: Position): void {
    this.cursor = end;
    try {
      this.cursorFile.write(end);
    } catch (error) {
      // A restart would send frames again, which the receiver drops; a full disk must not keep segments from being freed.
      this.problems.add('cursor', 1, `The journal's cursor could not be written: ${String(error)}`);
    }
    for (let oldest = this.segments[0]; oldest && this.isDone(oldest); oldest = this.segments[0]) {
      if (this.segments.length === 1) this.writer.close();
      this.segments.shift();
      this.onDisk -= oldest.bytes;
      try {
        this.writer.retire(oldest);
      } catch (error) {
        this.problems.add('unlink', 1, `A shipped journal segment could not be removed: ${String(error)}`);
      }
    }
  }

  /** Acknowledged to its end, and nothing more will be written to it. */
  private isDone(segment: Segment): boolean {
    if (segment.sequence !== this.cursor.segment) return segment.sequence < this.cursor.segment;
    if (this.cursor.offset < segment.bytes) return false;
    const isActive = this.writer.isOpen && segment === this.segments.at(-1);
    return !isActive || segment.bytes >= this.segmentBytes;
  }

  stats(): JournalStats {
    return { ...this.counts, diskBytes: this.onDisk, backlogBytes: this.backlogBytes() };
  }

  /** Writes what is pending and closes the segment. Records that are appended later are counted as dropped. */
  close(): void {
    this.flush();
    this.closed = true;
    this.writer.close();
    this.cursorFile.close();
  }

  private backlogBytes(): number {
    return this.onDisk - (this.segments[0]?.sequence === this.cursor.segment ? this.cursor.offset : 0);
  }

  private tellBacklog(): void {
    const waiter = this.backlogWaiter;
    if (waiter === null || this.backlogBytes() < waiter.bytes) return;
    this.backlogWaiter = null;
    waiter.reached();
  }

  private writePending(): void {
    if (this.pendingFrames === 0) return;
    const frames = this.pendingFrames;
    this.pendingFrames = 0;
    const segment = this.write(this.tail.pending(), frames);
    if (segment === null) this.tail.lost();
    else this.tail.wrote(segment.sequence, segment.bytes - this.tail.pendingBytes);
    this.tellBacklog();
  }

  /** Frames with an end mark behind them. Null: they could not be written. */
  private write(bytes: Buffer, frames: number): Segment | null {
    const segment = this.closed ? null : this.writer.write(bytes);
    if (segment === null) {
      this.lose('droppedByDisk', frames, 'The journal could not be written; log records are dropped.');
      return null;
    }
    this.onDisk += bytes.length - END_MARK_BYTES;
    this.counts.appended += frames;
    return segment;
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
