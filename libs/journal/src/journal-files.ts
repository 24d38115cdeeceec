import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findBlock, openBlock, probeBlock, type BlockHeader } from './block';
import { END_MARK_BYTES } from './frame';
import { convertLegacySegment, isLegacySegment } from './legacy-segment';
import type { JournalState, Position } from './journal-state';
import { UnknownKeyError, type Sealer } from './sealer';

/** A file of the journal. `bytes` counts whole blocks, and damage that lies between them. */
export interface Segment {
  readonly sequence: number;
  readonly path: string;
  bytes: number;
}

/** Journal files of an earlier process. */
export interface Recovered {
  /** Oldest first. */
  readonly segments: Segment[];
  /** Number of the first record that is found; null when there is none. */
  readonly firstNumber: number | null;
  /** Behind the last record that is found. */
  readonly nextNumber: number;
  /** When the oldest block was written, Unix milliseconds. */
  readonly writtenAtMs: number | null;
}

const SEGMENT_NAME = /^segment-(\d{12})\.log$/;

export const segmentPath = (directory: string, sequence: number): string =>
  join(directory, `segment-${String(sequence).padStart(12, '0')}.log`);

/**
 * The segments that an earlier process left. A block that it could not finish is left out; empty segments are removed; those of
 * versions that did not seal are rewritten. Throws `UnknownKeyError` before it changes anything when another key has sealed them.
 */
export function recoverSegments(directory: string, sealer: Sealer, state: JournalState): Recovered {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const sequences = readdirSync(directory)
    .map((name) => Number(SEGMENT_NAME.exec(name)?.[1] ?? NaN))
    .filter((sequence) => !Number.isNaN(sequence))
    .sort((a, b) => a - b);
  const walks = sequences.map((sequence) => walk(directory, sequence, sealer));
  const legacy = state.readLegacy();
  const segments: Segment[] = [];
  let firstNumber: number | null = null;
  let nextNumber = 0;
  let writtenAtMs: number | null = null;
  for (const [at, walked] of walks.entries()) {
    const { sequence, path } = walked;
    const found = walked.isLegacy
      ? convertLegacySegment(path, sequence, legacy, sealer, nextNumber)
      : endOf(walked, at === walks.length - 1, sealer);
    if (found.bytes === 0) unlinkSync(path);
    else segments.push({ sequence, path, bytes: found.bytes });
    firstNumber ??= found.first;
    writtenAtMs ??= found.writtenAtMs;
    nextNumber = Math.max(nextNumber, found.next);
  }
  state.removeLegacy();
  return { segments, firstNumber, nextNumber, writtenAtMs };
}

interface Walk {
  readonly sequence: number;
  readonly path: string;
  readonly isLegacy: boolean;
  readonly blocks: readonly { readonly at: number; readonly header: BlockHeader }[];
  readonly content: Buffer;
}

/** The blocks of a segment by their headers, past damage and past what the file held in an earlier life. */
function walk(directory: string, sequence: number, sealer: Sealer): Walk {
  const path = segmentPath(directory, sequence);
  const content = statSync(path).size === 0 ? Buffer.alloc(0) : readFileSync(path);
  if (isLegacySegment(content)) return { sequence, path, isLegacy: true, blocks: [], content };
  const blocks: { at: number; header: BlockHeader }[] = [];
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
  return { sequence, path, isLegacy: false, blocks, content };
}

export interface Found {
  readonly bytes: number;
  readonly first: number | null;
  readonly next: number;
  readonly writtenAtMs: number | null;
}

const NOTHING: Found = { bytes: 0, first: null, next: 0, writtenAtMs: null };

/**
 * A whole write has an end mark behind it. Where the newest segment has none, its last block counts only if its content is whole:
 * the process may have died while it wrote over an old file, and had acknowledged nothing of it.
 */
function endOf({ blocks, content }: Walk, isNewest: boolean, sealer: Sealer): Found {
  const kept = [...blocks];
  const last = kept.at(-1);
  if (isNewest && last) {
    const end = last.at + last.header.bytes;
    const isEnded = content.length - end >= END_MARK_BYTES && content.readUInt32LE(end) === 0;
    if (!isEnded && openBlock(sealer, content, last.at, last.header) === null) kept.pop();
  }
  const [first] = kept;
  const final = kept.at(-1);
  if (!first || !final) return NOTHING;
  return {
    bytes: final.at + final.header.bytes,
    first: first.header.number,
    next: final.header.number + final.header.count,
    writtenAtMs: first.header.writtenAtMs,
  };
}

/**
 * The position that the last acknowledgement left, moved to the oldest block that is still there. It never moves back, even when all
 * segments are gone: the file may be as it is for long, and a segment with a number that it has passed would count as sent.
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

/** Reads `length` bytes at `offset`, into `room` where it is large enough; fewer when the file is shorter. */
export async function readRange(path: string, offset: number, length: number, room: Buffer): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const target = length <= room.length ? room.subarray(0, length) : Buffer.allocUnsafe(length);
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
