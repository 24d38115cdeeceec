import type { Position } from './cursor-file';
import { probeFrame } from './frame';
import { readRange, type Segment } from './journal-files';

/** Whole frames, in the order of writing. */
export interface JournalBatch {
  readonly bytes: Buffer;
  readonly count: number;
  /** The position behind them. */
  readonly end: Position;
}

/** What a read found in one segment: frames, or `lostBytes` that are no frames and can't be passed over one by one. */
export type SegmentRead =
  | { readonly kind: 'batch'; readonly batch: JournalBatch }
  | { readonly kind: 'damaged'; readonly lostBytes: number };

/**
 * Reads frames of one segment from `offset`, which must lie before its end. At most `recordsMax` frames and `bytesMax` bytes, but
 * always at least one frame (`bytesMax` is at least 1 KiB). The batch may lie in `room`. After damaged bytes the rest of the segment can't be told apart any more and is given up.
 */
export async function readSegment(
  segment: Segment,
  offset: number,
  recordsMax: number,
  bytesMax: number,
  room: Buffer,
): Promise<SegmentRead> {
  const rest = segment.bytes - offset;
  const damaged: SegmentRead = { kind: 'damaged', lostBytes: rest };
  let content: Buffer;
  try {
    content = await readRange(segment.path, offset, Math.min(rest, bytesMax), room);
    const first = probeFrame(content, 0);
    if (first.kind === 'incomplete') {
      if (first.bytes > rest) return damaged;
      content = await readRange(segment.path, offset, first.bytes, room);
    }
  } catch (error) {
    if (isLost(error)) return damaged;
    throw error;
  }
  let end = 0;
  let count = 0;
  while (count < recordsMax && end < content.length) {
    const probe = probeFrame(content, end);
    if (probe.kind !== 'frame') break;
    end += probe.bytes;
    count += 1;
  }
  if (count === 0) return damaged;
  return {
    kind: 'batch',
    batch: {
      bytes: content.subarray(0, end),
      count,
      end: { segment: segment.sequence, offset: offset + end },
    },
  };
}

/** The bytes will not come back; other failures, such as too many open files, pass. */
const isLost = (error: unknown): boolean =>
  ['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
