import { Buffer } from 'node:buffer';
import { BLOCK_CONTENT_BYTES, BLOCK_OVERHEAD_BYTES, writeBlock } from './block';
import { END_MARK_BYTES } from './frame';
import type { JournalBatch } from './journal-reader';
import type { Position } from './journal-state';
import type { Sealer } from './sealer';

const BUFFER_BYTES = 1024 * 1024;
const BUFFERS_MAX = 4;

/** Frames in a buffer that are sealed together: bytes `from` to `to`. */
interface TailBlock {
  readonly from: number;
  to: number;
  count: number;
  /** Where it lies on the disk; `segment` -1: nowhere yet. */
  segment: number;
  offset: number;
  bytes: number;
  number: number;
  writtenAtMs: number;
}

/** A buffer that frames are collected in. */
class TailBuffer {
  readonly bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  used = 0;
  /** In the order of writing; those from `written` on are not on the disk. */
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
 * The newest frames in memory: collected here, sealed and written to the disk from here, and mostly shipped from here too, so that
 * what is written need not be read and opened again. At most `BUFFERS_MAX` buffers of 1 MiB; past that the oldest one is used again,
 * and what it held is read from the disk.
 */
export class JournalTail {
  private readonly buffers: TailBuffer[] = [new TailBuffer()];
  private current = this.buffers[0] as TailBuffer;
  /** Buffer that the last `read` returned, while it is being sent. */
  private lent: TailBuffer | null = null;
  private sealed = Buffer.allocUnsafeSlow(4 * BLOCK_CONTENT_BYTES);
  /** Frames that are not on the disk yet. */
  pendingFrames = 0;

  get target(): Buffer {
    return this.current.bytes;
  }

  get used(): number {
    return this.current.used;
  }

  get room(): number {
    return BUFFER_BYTES - this.current.used;
  }

  /** The frame that ends at `end` was written behind the others. */
  add(end: number): void {
    const { current } = this;
    const { blocks, used, written } = current;
    const last = blocks.length > written ? (blocks.at(-1) as TailBlock) : null;
    if (last !== null && end - last.from <= BLOCK_CONTENT_BYTES) {
      last.to = end;
      last.count += 1;
    } else
      blocks.push({
        ...NOWHERE,
        from: used,
        to: end,
        count: 1,
      });
    current.used = end;
    this.pendingFrames += 1;
  }

  /** Maximum size of pending frames on the disk. */
  get pendingBytes(): number {
    const { blocks, written } = this.current;
    let bytes = 0;
    for (let at = written; at < blocks.length; at += 1) bytes += blockBytes(blocks[at] as TailBlock);
    return bytes;
  }

  /** The pending blocks, sealed for their place in `segment` from `offset` on, with an end mark behind them. */
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

  /** Records that the last result of `seal` is now in this segment. */
  wrote(segment: number): void {
    const { current } = this;
    for (let at = current.written; at < current.blocks.length; at += 1)
      (current.blocks[at] as TailBlock).segment = segment;
    current.written = current.blocks.length;
    this.pendingFrames = 0;
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
  read(from: Position, recordsMax: number, bytesMax: number): JournalBatch | null {
    this.lent = null;
    for (const buffer of this.buffers) {
      const at = buffer.indexOf(from);
      if (at === -1) continue;
      this.lent = buffer;
      return batchOf(buffer, at, recordsMax, bytesMax);
    }
    return null;
  }
}

const NOWHERE = { segment: -1, offset: 0, bytes: 0, number: 0, writtenAtMs: 0 } as const;

const blockBytes = ({ from, to }: TailBlock): number => BLOCK_OVERHEAD_BYTES + to - from;

/** As many blocks as the bounds allow, and one at least. */
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
