import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers';
import { BLOCK_OVERHEAD_BYTES, writeBlock } from './block';
import {
  encodeFrame,
  END_MARK_BYTES,
  FRAME_BYTES_MAX,
  frameBytesAtMost,
  writeFrame,
  type FrameBody,
} from './frame';
import { DurableCallbacks } from './durable-callbacks';
import { recoverSegments, resume, type Segment } from './journal-files';
import type { JournalOptions, JournalStats } from './journal-options';
import { JournalReader, type JournalBatch } from './journal-reader';
import { JournalState, noLosses, type JournalLosses, type Position } from './journal-state';
import { JournalTail } from './journal-tail';
import { RateLimitedReport } from './rate-limited-report';
import { SegmentWriter } from './segment-writer';

const RETRY_MS = 100;

/**
 * Log records on their way out, on the local disk. `append` collects the frames of one turn of the event loop, seals and writes them
 * with one call at its end, and then runs their callbacks: a record whose callback ran is in the page cache and survives the death
 * of the process (with `sync`, that of the machine). Memory stays bounded by the tail's buffers; a slow or missing sink grows the
 * disk up to `capBytes`. What the disk refuses is written again from memory, as long as that has room. A record that can't be kept
 * is counted, and its callback runs all the same.
 */
export class Journal {
  private readonly tail = new JournalTail();
  private readonly reader: JournalReader;
  private readonly callbacks: DurableCallbacks;
  private scheduled = false;
  private retry: NodeJS.Timeout | null = null;
  private closed = false;
  private readonly writer: SegmentWriter;
  /** Bytes of all segments. */
  private onDisk = 0;
  private appended = 0;
  private lossesChanged = false;
  private backlogWaiter: { readonly bytes: number; readonly reached: () => void } | null = null;
  private readonly problems: RateLimitedReport;

  private constructor(
    private readonly options: JournalOptions,
    private readonly segmentBytes: number,
    private readonly capBytes: number,
    private readonly segments: Segment[],
    nextSegment: number,
    private readonly state: JournalState,
    private cursor: Position,
    private readonly losses: JournalLosses,
    /** Number of the next record. */
    private nextNumber: number,
    private oldestAtMs: number | null,
  ) {
    for (const { bytes } of segments) this.onDisk += bytes;
    const { directory, sealer, sync = false } = options;
    this.problems = new RateLimitedReport(options.report ?? (() => undefined));
    this.reader = new JournalReader(sealer);
    this.writer = new SegmentWriter(directory, segmentBytes, segments, nextSegment, this.problems, sync);
    this.callbacks = new DurableCallbacks(this.problems, sync ? () => this.writer.sync() : null);
  }

  /**
   * Reads what is left of an earlier process. Throws when the directory can't be used, and `UnknownKeyError` where another key has
   * sealed what it holds; nothing of it is changed then.
   */
  static open(options: JournalOptions): Journal {
    const { directory, sealer, segmentBytes = 4 * 1024 * 1024, capBytes = 1024 * 1024 * 1024 } = options;
    const state = new JournalState(directory);
    const recovered = recoverSegments(directory, sealer, state);
    const { segments, nextNumber, writtenAtMs } = recovered;
    const newest = segments.at(-1)?.sequence ?? 0;
    const stored = state.read();
    // A cursor ahead of every segment belongs to segments that are gone; their numbers are not used again.
    const cursor = resume(stored?.position ?? null, recovered, newest + 1);
    const next = Math.max(newest, cursor.segment - 1) + 1;
    // Several segments must fit under the cap, since acknowledged bytes are only freed a whole segment at a time.
    const rotateAt = Math.min(segmentBytes, Math.floor(capBytes / 4));
    const losses = stored?.losses ?? noLosses();
    const number = Math.max(nextNumber, cursor.number);
    const journal = new Journal(
      options,
      rotateAt,
      capBytes,
      segments,
      next,
      state,
      cursor,
      losses,
      number,
      writtenAtMs,
    );
    journal.writeState();
    return journal;
  }

  /**
   * Takes one record: `meta` is its metadata as JSON, the bodies are appended as they are (null: there was none). The buffers may
   * be changed as soon as this returns. `onDurable` runs once, later in this turn (with `sync`, after it), whatever became of the
   * record. False: it was dropped and counted.
   */
  append(meta: string | Buffer, request: FrameBody, response: FrameBody, onDurable: () => void): boolean {
    this.callbacks.add(onDurable);
    if (!this.scheduled) {
      this.scheduled = true;
      setImmediate(() => {
        this.flush();
      });
    }
    if (this.closed) return this.dropByDisk();
    const bytes = frameBytesAtMost(meta, request, response);
    if (this.isOverCap(bytes)) {
      return this.drop('droppedAtCap', 'The journal is at its cap; new log records are dropped.');
    }
    if (bytes > this.tail.room) {
      if (!this.writePending()) return this.dropByDisk();
      this.tail.turn();
      if (bytes > this.tail.room) return this.appendLarge(meta, request, response);
    }
    this.tail.add(writeFrame(this.tail.target, this.tail.used, meta, request, response));
    return true;
  }

  /** Whether a record of `bytes` would be kept, as far as is known now: the disk takes writes and the cap is not reached. */
  accepts(bytes: number): boolean {
    return !this.closed && this.retry === null && !this.isOverCap(bytes);
  }

  private isOverCap(bytes: number): boolean {
    return this.onDisk + this.tail.pendingBytes + bytes > this.capBytes;
  }

  /** A frame that could be larger than a buffer of the tail goes to the disk by itself. */
  private appendLarge(meta: string | Buffer, request: FrameBody, response: FrameBody): boolean {
    const frame = encodeFrame(meta, request, response);
    if (!frame) {
      const cap = String(FRAME_BYTES_MAX);
      return this.drop(
        'droppedOversized',
        `A log record was larger than the ${cap} bytes of a journal frame.`,
      );
    }
    const block = Buffer.alloc(frame.length + BLOCK_OVERHEAD_BYTES + END_MARK_BYTES);
    const written = this.write(1, ({ sequence: segment }) => {
      const facts = { segment, number: this.nextNumber, writtenAtMs: Date.now(), count: 1 };
      writeBlock(this.options.sealer, block, 0, frame, facts);
      return block;
    });
    return written !== null || this.dropByDisk();
  }

  /** Writes what this turn has collected and runs the callbacks. */
  flush(): void {
    this.scheduled = false;
    this.writePending();
    if (this.lossesChanged) this.writeState();
    this.callbacks.written();
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
   * The oldest frames that are not acknowledged, or null when there are none. Blocks of frames are given whole: at most `recordsMax`
   * records and `bytesMax` bytes, but one block at least. Gives the same frames again until `acknowledge`. The bytes are good until
   * the next read. What can't be read is counted and passed over.
   */
  async read(recordsMax: number, bytesMax: number): Promise<JournalBatch | null> {
    for (;;) {
      const { cursor } = this;
      const segment = this.segments.find(({ sequence }) => sequence === cursor.segment);
      if (segment && cursor.offset < segment.bytes) {
        const batch =
          this.tail.read(cursor, recordsMax, bytesMax) ??
          (await this.readDisk(segment, recordsMax, bytesMax));
        if (batch === null) continue;
        this.oldestAtMs = batch.writtenAtMs;
        return batch;
      }
      const next = this.segments.find(({ sequence }) => sequence > cursor.segment);
      if (!next) {
        this.passGap(this.nextNumber);
        return null;
      }
      this.acknowledge({ segment: next.sequence, offset: 0, number: cursor.number });
    }
  }

  /** Null: something was passed over. */
  private async readDisk(
    segment: Segment,
    recordsMax: number,
    bytesMax: number,
  ): Promise<JournalBatch | null> {
    const { cursor } = this;
    const found = await this.reader.read(segment, cursor, recordsMax, bytesMax);
    if (found.kind === 'batch') return found.batch;
    if (found.kind === 'gap') this.passGap(found.number);
    else {
      this.lose(
        'damagedBytes',
        found.until - cursor.offset,
        `Journal bytes that can't be read were skipped: ${segment.path}`,
      );
      this.acknowledge({ ...cursor, offset: found.until });
    }
    return null;
  }

  /** The records before `number` are missing. */
  private passGap(number: number): void {
    const missing = number - this.cursor.number;
    if (missing <= 0) return;
    this.lose('damagedRecords', missing, 'Log records that were written to the journal are missing.');
    this.cursor = { ...this.cursor, number };
    this.writeState();
  }

  /** Notes that everything before `end` has arrived, and removes the segments that hold nothing else. */
  acknowledge(end: Position): void {
    this.cursor = end;
    this.writeState();
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
    if (!this.hasBacklog()) this.oldestAtMs = null;
  }

  /** Acknowledged to its end, and nothing more will be written to it. */
  private isDone(segment: Segment): boolean {
    if (segment.sequence !== this.cursor.segment) return segment.sequence < this.cursor.segment;
    if (this.cursor.offset < segment.bytes) return false;
    const isActive = this.writer.isOpen && segment === this.segments.at(-1);
    return !isActive || segment.bytes >= this.segmentBytes;
  }

  /** Numbers of records, those of earlier processes included: how many it has taken, and how many of those have arrived or are lost. */
  progress(): { readonly taken: number; readonly arrived: number } {
    return { taken: this.nextNumber + this.tail.pendingFrames, arrived: this.cursor.number };
  }

  stats(): JournalStats {
    return {
      ...this.losses,
      appended: this.appended,
      unwritten: this.retry === null ? 0 : this.tail.pendingFrames,
      diskBytes: this.onDisk,
      backlogBytes: this.backlogBytes(),
      oldestAtMs: this.oldestAtMs,
    };
  }

  /** Writes what is pending and closes the segment. Records that are appended later are counted as dropped. */
  close(): void {
    if (this.closed) return;
    this.flush();
    this.callbacks.runAll();
    if (this.retry !== null) clearTimeout(this.retry);
    const { pendingFrames } = this.tail;
    if (pendingFrames > 0) this.lose('droppedByDisk', pendingFrames, REFUSED);
    this.writeState();
    this.closed = true;
    this.writer.close();
    this.state.close();
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

  /** False: the disk refuses what is pending, which stays in memory and is written again later. */
  private writePending(): boolean {
    const { tail, closed } = this;
    if (closed || tail.pendingFrames === 0) return true;
    const segment = this.write(tail.pendingFrames, ({ sequence, bytes }) =>
      tail.seal(this.options.sealer, sequence, bytes, this.nextNumber, Date.now()),
    );
    if (segment === null) {
      this.retry ??= setTimeout(() => {
        this.retry = null;
        this.writePending();
      }, RETRY_MS).unref();
      return false;
    }
    tail.wrote(segment.sequence);
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
    this.tellBacklog();
    return true;
  }

  /** Null: the disk refused. */
  private write(frames: number, blocksFor: (segment: Segment) => Buffer): Segment | null {
    const before = this.onDiskOfNewest();
    const segment = this.writer.write(blocksFor);
    if (segment === null) return null;
    this.onDisk += segment.bytes - (before?.segment === segment ? before.bytes : 0);
    this.appended += frames;
    this.nextNumber += frames;
    this.oldestAtMs ??= Date.now();
    return segment;
  }

  private onDiskOfNewest(): { readonly segment: Segment; readonly bytes: number } | null {
    const segment = this.segments.at(-1);
    return segment ? { segment, bytes: segment.bytes } : null;
  }

  private dropByDisk(): false {
    return this.drop('droppedByDisk', REFUSED);
  }

  private drop(counter: keyof JournalLosses, message: string): false {
    this.lose(counter, 1, message);
    return false;
  }

  private lose(counter: keyof JournalLosses, count: number, message: string): void {
    this.losses[counter] += count;
    this.lossesChanged = true;
    this.problems.add(counter, count, message);
  }

  private writeState(): void {
    if (this.closed) return;
    try {
      this.state.write(this.cursor, this.losses);
      this.lossesChanged = false;
    } catch (error) {
      // A restart would send frames again, which the receiver drops; a full disk must not keep segments from being freed.
      this.problems.add('cursor', 1, `The journal's cursor could not be written: ${String(error)}`);
    }
  }
}

const REFUSED = 'The journal could not be written; log records are dropped.';
