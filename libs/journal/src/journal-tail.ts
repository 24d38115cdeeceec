import { Buffer } from 'node:buffer';
import { BLOCK_CONTENT_BYTES, BLOCK_OVERHEAD_BYTES, writeBlock } from './block';
import { END_MARK_BYTES } from './frame';
import type { JournalBatch } from './journal-reader';
import type { Position } from './journal-state';
import type { Sealer } from './sealer';

const BUFFER_BYTES = 1024 * 1024;
const BUFFERS_MAX = 4;

/** Frames in a buffer that are encrypted together: bytes `from` to `to`. */
interface TailBlock {
  readonly from: number;
  to: number;
  count: number;
  /** Segment that contains the block on the disk; -1 while it is only in memory. */
  segment: number;
  offset: number;
  bytes: number;
  number: number;
  writtenAtMs: number;
}

/** A buffer that collects frames. */
class TailBuffer {
  readonly bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  used = 0;
  /** Blocks in the order of writing; those from index `written` on are not on the disk. */
  readonly blocks: TailBlock[] = [];
  written = 0;

  reset(): void {
    this.used = 0;
    this.written = 0;
    this.blocks.length = 0;
  }

  indexOf({ segment, offset }: Position): number {
    for (let at = 0; at < this.written; at += 1) {
      const block = this.blocks[at] as TailBlock;
      if (block.segment === segment && block.offset === offset) return at;
    }
    return -1;
  }
}

/**
 * Keeps the newest frames in memory. Frames are collected here, encrypted and written to the disk
 * from here, and usually shipped from here, so that they need not be read and decrypted again. It
 * uses at most `BUFFERS_MAX` buffers of 1 MiB; then the oldest buffer is reused, and its frames are
 * read from the disk.
 */
export class JournalTail {
  private readonly buffers: TailBuffer[] = [new TailBuffer()];
  private current = this.buffers[0] as TailBuffer;
  /** Buffer that the last `read` returned; it is not reused while its frames are being sent. */
  private inUse: TailBuffer | null = null;
  private sealed = Buffer.allocUnsafeSlow(4 * BLOCK_CONTENT_BYTES);
  /** Frames that are not on the disk yet. */
  pendingFrames = 0;

  get target(): Buffer {
    return this.current.bytes;
  }

  get used(): number {
    return this.current.used;
  }

  get freeBytes(): number {
    return BUFFER_BYTES - this.current.used;
  }

  /** Registers the frame that the caller wrote from `used` to `end`. */
  add(end: number): void {
    const { current } = this;
    const { blocks, used, written } = current;
    const last = blocks.length > written ? (blocks.at(-1) as TailBlock) : null;
    if (last !== null && end - last.from <= BLOCK_CONTENT_BYTES) {
      last.to = end;
      last.count += 1;
    } else
      blocks.push({
        ...UNWRITTEN,
        from: used,
        to: end,
        count: 1,
      });
    current.used = end;
    this.pendingFrames += 1;
  }

  /** Size of the pending frames on the disk, in bytes. */
  get pendingBytes(): number {
    const { blocks, written } = this.current;
    let bytes = 0;
    for (let at = written; at < blocks.length; at += 1) bytes += blockBytes(blocks[at] as TailBlock);
    return bytes;
  }

  /**
   * Encrypts the pending blocks for `segment` from `offset` on, and returns them with an end mark.
   */
  seal(sealer: Sealer, segment: number, offset: number, number: number, nowMs: number): Buffer {
    const { current } = this;
    const bytes = this.pendingBytes + END_MARK_BYTES;
    if (this.sealed.length < bytes) this.sealed = Buffer.allocUnsafeSlow(bytes * 2);
    let end = 0;
    let next = number;
    for (let at = current.written; at < current.blocks.length; at += 1) {
      const block = current.blocks[at] as TailBlock;
      block.offset = offset + end;
      block.number = next;
      block.writtenAtMs = nowMs;
      const facts = { segment, number: next, writtenAtMs: nowMs, count: block.count };
      end = writeBlock(sealer, this.sealed, end, current.bytes.subarray(block.from, block.to), facts);
      block.bytes = offset + end - block.offset;
      next += block.count;
    }
    this.sealed.fill(0, end, end + END_MARK_BYTES);
    return this.sealed.subarray(0, end + END_MARK_BYTES);
  }

  /** Records that the last result of `seal` was written to this segment. */
  markWritten(segment: number): void {
    const { current } = this;
    for (let at = current.written; at < current.blocks.length; at += 1)
      (current.blocks[at] as TailBlock).segment = segment;
    current.written = current.blocks.length;
    this.pendingFrames = 0;
  }

  /** Continues in another buffer. No frame may be pending. */
  nextBuffer(): void {
    if (this.buffers.length < BUFFERS_MAX) {
      this.current = new TailBuffer();
      this.buffers.push(this.current);
      return;
    }
    const oldest = this.buffers.findIndex((buffer) => buffer !== this.inUse);
    const [reused] = this.buffers.splice(oldest, 1) as [TailBuffer];
    reused.reset();
    this.buffers.push(reused);
    this.current = reused;
  }

  /**
   * Returns frames from the position on, as views that stay valid until the next read; null if they
   * are not in memory.
   */
  read(from: Position, recordsMax: number, bytesMax: number): JournalBatch | null {
    this.inUse = null;
    for (const buffer of this.buffers) {
      const at = buffer.indexOf(from);
      if (at === -1) continue;
      this.inUse = buffer;
      return batchOf(buffer, at, recordsMax, bytesMax);
    }
    return null;
  }
}

const UNWRITTEN = { segment: -1, offset: 0, bytes: 0, number: 0, writtenAtMs: 0 } as const;

const blockBytes = ({ from, to }: TailBlock): number => BLOCK_OVERHEAD_BYTES + to - from;

/** Returns as many blocks as the bounds allow, but at least one. */
function batchOf(buffer: TailBuffer, first: number, recordsMax: number, bytesMax: number): JournalBatch {
  const start = buffer.blocks[first] as TailBlock;
  let last = start;
  let { count } = start;
  for (let at = first + 1; at < buffer.written; at += 1) {
    const block = buffer.blocks[at] as TailBlock;
    if (count + block.count > recordsMax || block.to - start.from > bytesMax) break;
    if (block.segment !== start.segment) break;
    count += block.count;
    last = block;
  }
  return {
    bytes: buffer.bytes.subarray(start.from, last.to),
    count,
    writtenAtMs: start.writtenAtMs,
    end: {
      segment: last.segment,
      offset: last.offset + last.bytes,
      number: last.number + last.count,
    },
  };
}
