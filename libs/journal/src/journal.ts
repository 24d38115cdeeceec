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
 * A queue of log records on the local disk. `append` collects the frames of one turn of the event
 * loop; at its end the journal encrypts them, writes them with one call and runs their callbacks.
 * After its callback a record is in the page cache and survives a crash of the process or, with
 * `sync`, of the machine. Memory is bounded by the buffers of `JournalTail`; without a working sink
 * the journal grows on the disk up to `capBytes`. Writes that the disk refuses are repeated from
 * memory while there is room. A record that cannot be kept is counted. The callbacks of such records
 * and of those that wait in memory run all the same.
 */
export class Journal {
  private readonly tail = new JournalTail();
  private readonly reader: JournalReader;
  private readonly callbacks: DurableCallbacks;
  private scheduled = false;
  private retry: NodeJS.Timeout | null = null;
  private closed = false;
  private readonly writer: SegmentWriter;
  /** Size of all segments in bytes. */
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
   * Opens the journal and adopts the files of an earlier process. Throws if the directory cannot be
   * used, and `UnknownKeyError`, without changing a file, if another key encrypted its content.
   */
  static open(options: JournalOptions): Journal {
    const { directory, sealer, segmentBytes = 4 * 1024 * 1024, capBytes = 1024 * 1024 * 1024 } = options;
    const state = new JournalState(directory);
    const recovered = recoverSegments(directory, sealer, state);
    const { segments, nextNumber, writtenAtMs } = recovered;
    const newest = segments.at(-1)?.sequence ?? 0;
    const stored = state.read();
    // A cursor beyond all segments belongs to deleted segments; their numbers are not reused.
    const cursor = resume(stored?.position ?? null, recovered, newest + 1);
    const next = Math.max(newest, cursor.segment - 1) + 1;
    // Several segments must fit under the cap, since space is freed one whole segment at a time.
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
   * Adds one record: `meta` is its metadata as JSON; a body is null if there was none. The buffers
   * may be changed when this returns. `onDurable` runs once, later in this turn (with `sync`, after
   * it), even if the record was dropped. Returns false if the record was dropped and counted.
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
    if (bytes > this.tail.freeBytes) {
      if (!this.writePending()) return this.dropByDisk();
      this.tail.nextBuffer();
      if (bytes > this.tail.freeBytes) return this.appendLarge(meta, request, response);
    }
    this.tail.add(writeFrame(this.tail.target, this.tail.used, meta, request, response));
    return true;
  }

  /**
   * Returns whether the journal would currently keep a record of `bytes`: the disk accepts writes
   * and the cap is not reached.
   */
  accepts(bytes: number): boolean {
    return !this.closed && this.retry === null && !this.isOverCap(bytes);
  }

  private isOverCap(bytes: number): boolean {
    return this.onDisk + this.tail.pendingBytes + bytes > this.capBytes;
  }

  /** Writes a frame directly to the disk, because it may exceed a buffer of the tail. */
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

  /** Writes the frames of this turn and runs the callbacks. */
  flush(): void {
    this.scheduled = false;
    this.writePending();
    if (this.lossesChanged) this.writeState();
    this.callbacks.written();
  }

  /** Returns whether there are frames that no sink has acknowledged. */
  hasBacklog(): boolean {
    const newest = this.segments.at(-1);
    if (!newest) return false;
    return this.cursor.segment < newest.sequence || this.cursor.offset < newest.bytes;
  }

  /**
   * Calls `reached` once, when at least this many bytes are not acknowledged. Only one callback
   * waits: a new one replaces it.
   */
  whenBacklog(bytes: number, reached: () => void): void {
    this.backlogWaiter = { bytes, reached };
    this.notifyBacklog();
  }

  /**
   * Returns the oldest unacknowledged frames, or null when there are none: complete blocks with at
   * most `recordsMax` records and `bytesMax` bytes, but at least one block. It returns the same
   * frames until `acknowledge`. The bytes stay valid until the next read. Unreadable bytes are
   * counted and skipped.
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
        this.skipGap(batch.end.number - batch.count);
        this.oldestAtMs = batch.writtenAtMs;
        return batch;
      }
      const next = this.segments.find(({ sequence }) => sequence > cursor.segment);
      if (!next) {
        this.skipGap(this.nextNumber);
        return null;
      }
      this.acknowledge({ segment: next.sequence, offset: 0, number: cursor.number });
    }
  }

  /** Reads a batch from the disk; returns null after skipping damage or missing records. */
  private async readDisk(
    segment: Segment,
    recordsMax: number,
    bytesMax: number,
  ): Promise<JournalBatch | null> {
    const { cursor } = this;
    const found = await this.reader.read(segment, cursor, recordsMax, bytesMax);
    if (found.kind === 'batch') return found.batch;
    if (found.kind === 'gap') this.skipGap(found.number);
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

  /** Counts the records before `number` as missing and skips them. */
  private skipGap(number: number): void {
    const missing = number - this.cursor.number;
    if (missing <= 0) return;
    this.lose('damagedRecords', missing, 'Log records that were written to the journal are missing.');
    this.cursor = { ...this.cursor, number };
    this.writeState();
  }

  /**
   * Records that everything before `end` was received, and deletes the segments that are received
   * completely. Does nothing once the journal is closed: the files may belong to another process
   * then, which sends the records again.
   */
  acknowledge(end: Position): void {
    if (this.closed) return;
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

  /** Returns whether a segment is acknowledged completely and no longer written to. */
  private isDone(segment: Segment): boolean {
    if (segment.sequence !== this.cursor.segment) return segment.sequence < this.cursor.segment;
    if (this.cursor.offset < segment.bytes) return false;
    const isActive = this.writer.isOpen && segment === this.segments.at(-1);
    return !isActive || segment.bytes >= this.segmentBytes;
  }

  /**
   * Returns record numbers, including records of earlier processes: how many were appended, and how
   * many of these have arrived or are lost.
   */
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

  /**
   * Writes pending frames and closes the segment. Records that are appended later are counted as
   * dropped.
   */
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

  private notifyBacklog(): void {
    const waiter = this.backlogWaiter;
    if (waiter === null || this.backlogBytes() < waiter.bytes) return;
    this.backlogWaiter = null;
    waiter.reached();
  }

  /**
   * Writes the pending frames. Returns false if the disk refuses; they stay in memory, and a timer
   * repeats the write.
   */
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
    tail.markWritten(segment.sequence);
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
    this.notifyBacklog();
    return true;
  }

  /**
   * Writes blocks to the newest segment and updates the counts; returns null if the disk refused.
   */
  private write(frames: number, blocksFor: (segment: Segment) => Buffer): Segment | null {
    const before = this.newestSize();
    const segment = this.writer.write(blocksFor);
    if (segment === null) return null;
    this.onDisk += segment.bytes - (before?.segment === segment ? before.bytes : 0);
    this.appended += frames;
    this.nextNumber += frames;
    this.oldestAtMs ??= Date.now();
    return segment;
  }

  private newestSize(): { readonly segment: Segment; readonly bytes: number } | null {
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
      // A failure is only reported: a restart would send frames again, which the receiver drops,
      // and a full disk must not keep segments from being deleted.
      this.problems.add('cursor', 1, `The journal's cursor could not be written: ${String(error)}`);
    }
  }
}

const REFUSED = 'The journal could not be written; log records are dropped.';
