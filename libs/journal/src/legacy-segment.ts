import { Buffer } from 'node:buffer';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { BLOCK_CONTENT_BYTES, BLOCK_OVERHEAD_BYTES, writeBlock } from './block';
import { END_MARK_BYTES, findFrame, isFrameStart, probeFrame } from './frame';
import type { Found } from './journal-files';
import type { Sealer } from './sealer';

/**
 * Returns whether a segment was written by a version that stored frames without encryption and
 * record numbers.
 */
export const isLegacySegment = (content: Buffer): boolean => isFrameStart(content, 0);

/**
 * Rewrites such a segment after an upgrade, with its unacknowledged frames encrypted. If the
 * process dies meanwhile, the old file is still complete.
 */
export function convertLegacySegment(
  path: string,
  sequence: number,
  cursor: { readonly segment: number; readonly offset: number } | null,
  sealer: Sealer,
  firstNumber: number,
): Found {
  const content = readFileSync(path);
  const isDone = cursor !== null && cursor.segment > sequence;
  const from = cursor?.segment === sequence ? cursor.offset : 0;
  const pieces: Buffer[] = [];
  const writtenAtMs = Date.now();
  let number = firstNumber;
  let bytes = 0;
  for (const { frames, count } of isDone ? [] : framesFrom(content, from)) {
    const block = Buffer.allocUnsafe(frames.length + BLOCK_OVERHEAD_BYTES);
    writeBlock(sealer, block, 0, frames, { segment: sequence, number, writtenAtMs, count });
    pieces.push(block);
    number += count;
    bytes += block.length;
  }
  if (bytes === 0) return { bytes: 0, first: null, next: firstNumber, writtenAtMs: null };
  writeFileSync(`${path}.new`, Buffer.concat([...pieces, Buffer.alloc(END_MARK_BYTES)]), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return { bytes, first: firstNumber, next: number, writtenAtMs };
}

/** Yields groups of complete frames up to the size of a block, and skips damage. */
function* framesFrom(content: Buffer, from: number): Generator<{ frames: Buffer; count: number }> {
  let start = from;
  let count = 0;
  for (let at = from; at < content.length;) {
    const probe = probeFrame(content, at);
    const isFrame = probe.kind === 'frame';
    if (count > 0 && (!isFrame || at + probe.bytes - start > BLOCK_CONTENT_BYTES)) {
      yield { frames: content.subarray(start, at), count };
      count = 0;
    }
    if (probe.kind === 'end') return;
    if (count === 0) start = at;
    if (isFrame) count += 1;
    at = isFrame ? at + probe.bytes : findFrame(content, at + 1);
  }
  if (count > 0) yield { frames: content.subarray(start, content.length), count };
}
