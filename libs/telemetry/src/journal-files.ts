import { mkdirSync, readdirSync, readFileSync, truncateSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CursorFile, Position } from './cursor-file';
import { probeFrame } from './frame';

/** A file of the journal. `bytes` counts whole frames only. */
export interface Segment {
  readonly sequence: number;
  readonly path: string;
  bytes: number;
}

const SEGMENT_NAME = /^segment-(\d{12})\.log$/;

export const segmentPath = (directory: string, sequence: number): string =>
  join(directory, `segment-${String(sequence).padStart(12, '0')}.log`);

/**
 * The segments that an earlier process left, oldest first, each up to its end mark. A frame that it could not finish is cut off the
 * newest one; empty segments are removed.
 */
export function recoverSegments(directory: string): Segment[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const sequences = readdirSync(directory)
    .map((name) => Number(SEGMENT_NAME.exec(name)?.[1] ?? NaN))
    .filter((sequence) => !Number.isNaN(sequence))
    .sort((a, b) => a - b);
  const segments = sequences.map((sequence) => {
    const path = segmentPath(directory, sequence);
    return { sequence, path, bytes: framesIn(path, sequence === sequences.at(-1)) };
  });
  return segments.filter((segment) => {
    if (segment.bytes === 0) unlinkSync(segment.path);
    return segment.bytes > 0;
  });
}

/**
 * Bytes of the file that are to be read: up to its end mark, or to a last frame that is cut (in the newest file a torn write). All of
 * it when damage stands in between, which is left to the reader, who counts it.
 */
function framesIn(path: string, isNewest: boolean): number {
  const content = readFileSync(path);
  for (let at = 0; at < content.length;) {
    const probe = probeFrame(content, at);
    if (probe.kind === 'end') return at;
    if (probe.kind === 'incomplete' && isNewest) {
      truncateSync(path, at);
      return at;
    }
    if (probe.kind !== 'frame') break;
    at += probe.bytes;
  }
  return content.length;
}

/**
 * The position that the last acknowledgement left, moved to the oldest frame that is still there. It never moves back, even when all
 * segments are gone: the file may be as it is for long, and a segment with a number that it has passed would count as sent.
 */
export function readCursor(file: CursorFile, segments: readonly Segment[], next: number): Position {
  const oldest: Position = { segment: segments[0]?.sequence ?? next, offset: 0 };
  const stored = file.read();
  if (!stored) return oldest;
  const segment = segments.find((candidate) => candidate.sequence === stored.segment);
  if (segment) return { segment: segment.sequence, offset: Math.min(stored.offset, segment.bytes) };
  const following = segments.find((candidate) => candidate.sequence > stored.segment);
  return { segment: following?.sequence ?? Math.max(next, stored.segment + 1), offset: 0 };
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
