import { Buffer } from 'node:buffer';
import { findBlock, openBlock, probeBlock, type BlockHeader } from './block';
import { readRange, type Segment } from './journal-files';
import type { Position } from './journal-state';
import type { Sealer } from './sealer';

/** Complete frames, in the order in which they were written. */
export interface JournalBatch {
  readonly bytes: Buffer;
  readonly count: number;
  /** Time at which the first frame was written, Unix milliseconds. */
  readonly writtenAtMs: number;
  /** Position behind the last frame. */
  readonly end: Position;
}

/** Result of a read in one segment: frames, or a range up to the offset `until` to skip. */
export type SegmentRead =
  | { readonly kind: 'batch'; readonly batch: JournalBatch }
  | { readonly kind: 'damaged'; readonly until: number }
  /** The records from the position's number up to `number` are missing; later ones are intact. */
  | { readonly kind: 'gap'; readonly number: number };

/**
 * Reads and decrypts blocks from the disk into one reused buffer, because allocating a buffer for
 * each batch costs more than reading.
 */
export class JournalReader {
  private buffer = Buffer.allocUnsafe(1024 * 1024);

  constructor(private readonly sealer: Sealer) {}

  /**
   * Reads blocks of one segment from `from`, which must be before its end. Returns at most
   * `recordsMax` records and about `bytesMax` bytes, but always at least one block. A batch ends
   * before damaged bytes. At the start of the range damaged bytes are skipped up to the next intact
   * block.
   */
  async read(segment: Segment, from: Position, recordsMax: number, bytesMax: number): Promise<SegmentRead> {
    const rest = segment.bytes - from.offset;
    const lostRest: SegmentRead = { kind: 'damaged', until: segment.bytes };
    let content: Buffer;
    try {
      content = await this.range(segment, from.offset, Math.min(rest, bytesMax));
      const first = probeBlock(content, 0, segment.sequence);
      if (first.kind === 'incomplete' && content.length < rest)
        content = await this.range(segment, from.offset, Math.min(rest, first.bytes + bytesMax));
      if (probeBlock(content, 0, segment.sequence).kind !== 'block')
        return { kind: 'damaged', until: await this.nextBlock(segment, from.offset + 1) };
    } catch (error) {
      if (isLost(error)) return lostRest;
      throw error;
    }
    return this.batchIn(content, segment, from, recordsMax);
  }

  private batchIn(content: Buffer, { sequence }: Segment, from: Position, recordsMax: number): SegmentRead {
    const pieces: Buffer[] = [];
    let { number } = from;
    let count = 0;
    let end = 0;
    let writtenAtMs = 0;
    for (let header = headerAt(content, 0, sequence); header; header = headerAt(content, end, sequence)) {
      if (count === 0 && header.number > number) return { kind: 'gap', number: header.number };
      if (count > 0 && (header.number !== number || count + header.count > recordsMax)) break;
      const frames = openBlock(this.sealer, content, end, header);
      if (frames === null) {
        if (count === 0) return { kind: 'damaged', until: from.offset + header.bytes };
        break;
      }
      if (count === 0) ({ writtenAtMs } = header);
      pieces.push(frames);
      count += header.count;
      number = header.number + header.count;
      end += header.bytes;
    }
    return {
      kind: 'batch',
      batch: {
        bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces),
        count,
        writtenAtMs,
        end: { segment: sequence, offset: from.offset + end, number },
      },
    };
  }

  private async nextBlock(segment: Segment, offset: number): Promise<number> {
    const rest = await this.range(segment, offset, segment.bytes - offset);
    return Math.min(segment.bytes, offset + findBlock(rest, 0, segment.sequence));
  }

  private range(segment: Segment, offset: number, length: number): Promise<Buffer> {
    return readRange(segment.path, offset, length, this.buffer);
  }
}

function headerAt(content: Buffer, at: number, segment: number): BlockHeader | null {
  if (at >= content.length) return null;
  const probe = probeBlock(content, at, segment);
  return probe.kind === 'block' ? probe.header : null;
}

/**
 * Returns whether the bytes are lost permanently; other errors, such as too many open files, are
 * temporary.
 */
const isLost = (error: unknown): boolean =>
  ['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
