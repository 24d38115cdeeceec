import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlock, openBlock, probeBlock, type BlockHeader } from './block';
import { END_MARK_BYTES } from './frame';
import { convertLegacySegment, isLegacySegment } from './legacy-segment';
import type { JournalState, Position } from './journal-state';
import { UnknownKeyError, type Sealer } from './sealer';

/** A file of the journal. `bytes` counts complete blocks and the damage between them. */
export interface Segment {
  readonly sequence: number;
  readonly path: string;
  bytes: number;
}

/** Journal files of an earlier process. */
export interface Recovered {
  /** Oldest first. */
  readonly segments: Segment[];
  /** Number of the first record; null when there is none. */
  readonly firstNumber: number | null;
  /** Number after the last record; 0 when there is none. */
  readonly nextNumber: number;
  /** Time at which the oldest block was written, Unix milliseconds; null when there is none. */
  readonly writtenAtMs: number | null;
}

const SEGMENT_NAME = /^segment-(\d{12})\.log$/;

/** Returns the path of a segment; names sort by the segments' numbers. */
export const segmentPath = (directory: string, sequence: number): string =>
  join(directory, `segment-${String(sequence).padStart(12, '0')}.log`);

/**
 * Finds the segments that an earlier process left. Ignores an incomplete last block, deletes empty
 * segments, and encrypts segments of versions that did not. Throws `UnknownKeyError`, before it
 * changes anything, if another key encrypted them.
 */
export function recoverSegments(directory: string, sealer: Sealer, state: JournalState): Recovered {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const sequences = readdirSync(directory)
    .map((name) => Number(SEGMENT_NAME.exec(name)?.[1] ?? NaN))
    .filter((sequence) => !Number.isNaN(sequence))
    .sort((a, b) => a - b);
  const scans = sequences.map((sequence) =>
    scanSegment(directory, sequence, sequence === sequences.at(-1), sealer),
  );
  const legacy = state.readLegacy();
  const segments: Segment[] = [];
  let firstNumber: number | null = null;
  let nextNumber = 0;
  let writtenAtMs: number | null = null;
  for (const { sequence, path, blocks } of scans) {
    const found = blocks ?? convertLegacySegment(path, sequence, legacy, sealer, nextNumber);
    if (found.bytes === 0) unlinkSync(path);
    else segments.push({ sequence, path, bytes: found.bytes });
    firstNumber ??= found.first;
    writtenAtMs ??= found.writtenAtMs;
    nextNumber = Math.max(nextNumber, found.next);
  }
  state.removeLegacy();
  return { segments, firstNumber, nextNumber, writtenAtMs };
}

/** Content of a segment without its bytes, since all segments together may be large. */
interface SegmentScan {
  readonly sequence: number;
  readonly path: string;
  /** Null for a segment of a version without encryption. */
  readonly blocks: Found | null;
}

/**
 * Reads the blocks of a segment by their headers. Skips damage and blocks of the file's former
 * segment.
 */
function scanSegment(directory: string, sequence: number, isNewest: boolean, sealer: Sealer): SegmentScan {
  const path = segmentPath(directory, sequence);
  const content = statSync(path).size === 0 ? Buffer.alloc(0) : readFileSync(path);
  if (isLegacySegment(content)) return { sequence, path, blocks: null };
  const blocks: PlacedHeader[] = [];
  for (let at = 0; at < content.length;) {
    const probe = probeBlock(content, at, sequence);
    if (probe.kind !== 'block') {
      at = findBlock(content, at + 1, sequence);
      continue;
    }
    if (!sealer.opens(probe.header.keyId)) throw new UnknownKeyError(probe.header.keyId);
    blocks.push({ at, header: probe.header });
    at += probe.header.bytes;
  }
  return { sequence, path, blocks: recoverSegment(blocks, content, isNewest, sealer) };
}

export interface Found {
  readonly bytes: number;
  readonly first: number | null;
  readonly next: number;
  readonly writtenAtMs: number | null;
}

interface PlacedHeader {
  readonly at: number;
  readonly header: BlockHeader;
}

const EMPTY: Found = { bytes: 0, first: null, next: 0, writtenAtMs: null };

/**
 * Determines where the blocks of a segment end. A complete write has an end mark behind it. If the
 * newest segment has none, its last block counts only if its content is intact: the process may
 * have died while it overwrote an old file, and acknowledged nothing of that block.
 */
function recoverSegment(
  blocks: readonly PlacedHeader[],
  content: Buffer,
  isNewest: boolean,
  sealer: Sealer,
): Found {
  const complete = [...blocks];
  const last = complete.at(-1);
  if (isNewest && last) {
    const end = last.at + last.header.bytes;
    const isEnded = content.length - end >= END_MARK_BYTES && content.readUInt32LE(end) === 0;
    if (!isEnded && openBlock(sealer, content, last.at, last.header) === null) complete.pop();
  }
  const [first] = complete;
  const final = complete.at(-1);
  if (!first || !final) return EMPTY;
  return {
    bytes: final.at + final.header.bytes,
    first: first.header.number,
    next: final.header.number + final.header.count,
    writtenAtMs: first.header.writtenAtMs,
  };
}

/**
 * Returns where to resume: the stored position, moved forward to the oldest existing block. It
 * never moves back, even if all segments are gone: the state file may stay unchanged for long, and
 * a new segment with a lower number would count as sent.
 */
export function resume(
  stored: Position | null,
  { segments, firstNumber, nextNumber }: Recovered,
  nextSegment: number,
): Position {
  const oldest = segments[0]?.sequence ?? nextSegment;
  if (!stored) return { segment: oldest, offset: 0, number: firstNumber ?? nextNumber };
  const { number } = stored;
  const segment = segments.find(({ sequence }) => sequence === stored.segment);
  if (segment) return { segment: segment.sequence, offset: Math.min(stored.offset, segment.bytes), number };
  const following = segments.find(({ sequence }) => sequence > stored.segment);
  return {
    segment: following?.sequence ?? Math.max(nextSegment, stored.segment + 1),
    offset: 0,
    number,
  };
}

/**
 * Reads `length` bytes at `offset`; fewer if the file is shorter. Uses `buffer` if it is large
 * enough.
 */
export async function readRange(
  path: string,
  offset: number,
  length: number,
  buffer: Buffer,
): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const target = length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(target, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return target.subarray(0, filled);
  } finally {
    await file.close();
  }
}
