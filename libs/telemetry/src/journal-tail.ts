import { Buffer } from 'node:buffer';
import { END_MARK_BYTES, skipFrames } from './frame';
import type { Position } from './cursor-file';
import type { JournalBatch } from './journal-reader';

const BUFFER_BYTES = 1024 * 1024;
const BUFFERS_MAX = 4;

/** A buffer that frames are collected in. What of it is on the disk may lie there at one stretch. */
class TailBuffer {
  readonly bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  used = 0;
  /** Everything before it is on the disk. */
  written = 0;
  /** The stretch: bytes from `base` to `written` are those of `segment` from `offset` on. */
  segment = -1;
  offset = 0;
  base = 0;

  reset(): void {
    this.used = 0;
    this.written = 0;
    this.segment = -1;
  }

  holds({ segment, offset }: Position): boolean {
    return (
      this.segment === segment && offset >= this.offset && offset < this.offset + (this.written - this.base)
    );
  }
}

/**
 * The newest frames in memory: collected here, written to the disk from here, and mostly shipped from here too, so that what is
 * written need not be read again. At most `BUFFERS_MAX` buffers of 1 MiB; past that the oldest one is used anew, and what it
 * held is read from the disk.
 */
export class JournalTail {
  private readonly buffers: TailBuffer[] = [new TailBuffer()];
  private current = this.buffers[0] as TailBuffer;
  /** What the last `read` gave out is still being sent. */
  private lent: TailBuffer | null = null;

  get target(): Buffer {
    return this.current.bytes;
  }

  get used(): number {
    return this.current.used;
  }

  set used(end: number) {
    this.current.used = end;
  }

  get room(): number {
    return BUFFER_BYTES - END_MARK_BYTES - this.current.used;
  }

  /** What is not on the disk yet, with an end mark behind it. */
  pending(): Buffer {
    const { bytes, written, used } = this.current;
    bytes.fill(0, used, used + END_MARK_BYTES);
    return bytes.subarray(written, used + END_MARK_BYTES);
  }

  get pendingBytes(): number {
    return this.current.used - this.current.written;
  }

  /** The pending bytes are in this segment now, from `offset` on. */
  wrote(segment: number, offset: number): void {
    const { current } = this;
    if (current.segment !== segment) {
      current.segment = segment;
      current.offset = offset;
      current.base = current.written;
    }
    current.written = current.used;
  }

  /** The pending bytes will never be on the disk. */
  lost(): void {
    if (this.current === this.lent) this.turn();
    else this.current.reset();
  }

  /** Goes on in another buffer; nothing may be pending. */
  turn(): void {
    if (this.buffers.length < BUFFERS_MAX) {
      this.current = new TailBuffer();
      this.buffers.push(this.current);
      return;
    }
    const oldest = this.buffers.findIndex((buffer) => buffer !== this.lent);
    const [again] = this.buffers.splice(oldest, 1) as [TailBuffer];
    again.reset();
    this.buffers.push(again);
    this.current = again;
  }

  /** Frames from the position on, as views that are good until the next read; null: they are not in memory. */
  read(from: Position, recordsMax: number, bytesMax: number): Pick<JournalBatch, 'bytes' | 'count'> | null {
    const buffer = this.buffers.find((candidate) => candidate.holds(from)) ?? null;
    this.lent = buffer;
    if (buffer === null) return null;
    const start = buffer.base + (from.offset - buffer.offset);
    const { end, count } = skipFrames(buffer.bytes, start, buffer.written, recordsMax, bytesMax);
    return { bytes: buffer.bytes.subarray(start, end), count };
  }
}
