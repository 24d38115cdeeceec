import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { END_MARK_BYTES, FRAME_BYTES_MAX } from './frame';
import { STREAM_POSITION_BYTES, UnknownKeyError, type Sealer } from './sealer';

/**
 * A block of the journal: frames that are encrypted together. Layout in a segment:
 *
 * | bytes | little-endian | |
 * |---|---|---|
 * | 0–3 | magic and version | `TGB3` |
 * | 4–7 | CRC-32 of bytes 8–51 | |
 * | 8–11 | length of the ciphertext | |
 * | 12–15 | number of the segment | a reused file still contains blocks of its former segment |
 * | 16–23 | number of the first record | double; counts all records of this journal |
 * | 24–31 | time of writing | double, Unix milliseconds |
 * | 32–35 | number of records | |
 * | 36–39 | id of the key | |
 * | 40–51 | position in the key stream | see `Sealer` |
 * | 52– | ciphertext | AES-256-CTR |
 * | last 4 | CRC-32 of the ciphertext | seeded with the header's CRC |
 *
 * The header has its own checksum, so that the next block can be found even if the content is
 * damaged.
 */
const MAGIC = Buffer.from('TGB3', 'latin1');
const MAGIC_NUMBER = MAGIC.readUInt32LE(0);
export const BLOCK_HEADER_BYTES = 52;
const CRC_BYTES = 4;
export const BLOCK_OVERHEAD_BYTES = BLOCK_HEADER_BYTES + CRC_BYTES;
/**
 * Frames share a block up to this many bytes; a larger frame has its own block. Damage to a byte
 * costs one block.
 */
export const BLOCK_CONTENT_BYTES = 16 * 1024;
const STREAM_POSITION_AT = 40;

export interface BlockHeader {
  /** Length of the whole block. */
  readonly bytes: number;
  readonly number: number;
  readonly writtenAtMs: number;
  readonly count: number;
  readonly keyId: number;
}

export type BlockProbe =
  | { readonly kind: 'block'; readonly header: BlockHeader }
  /**
   * The buffer ends inside the block. `bytes` is the block's length, or 0 if the header is
   * incomplete.
   */
  | { readonly kind: 'incomplete'; readonly bytes: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid' };

const INVALID: BlockProbe = { kind: 'invalid' };
const END: BlockProbe = { kind: 'end' };

export interface BlockFacts {
  readonly segment: number;
  readonly number: number;
  readonly writtenAtMs: number;
  readonly count: number;
}

/**
 * Writes a block at `at` and returns the offset behind it. `target` must have room for the content
 * and `BLOCK_OVERHEAD_BYTES`.
 */
export function writeBlock(
  sealer: Sealer,
  target: Buffer,
  at: number,
  content: Buffer,
  { segment, number, writtenAtMs, count }: BlockFacts,
): number {
  target.writeUInt32LE(MAGIC_NUMBER, at);
  target.writeUInt32LE(content.length, at + 8);
  target.writeUInt32LE(segment >>> 0, at + 12);
  target.writeDoubleLE(number, at + 16);
  target.writeDoubleLE(writtenAtMs, at + 24);
  target.writeUInt32LE(count, at + 32);
  target.writeUInt32LE(sealer.keyId, at + 36);
  const contentAt = at + BLOCK_HEADER_BYTES;
  sealer.encrypt(content, target, contentAt, at + STREAM_POSITION_AT);
  const headerCrc = crc32(target.subarray(at + 8, contentAt));
  target.writeUInt32LE(headerCrc, at + 4);
  const end = contentAt + content.length;
  target.writeUInt32LE(crc32(target.subarray(contentAt, end), headerCrc), end);
  return end + CRC_BYTES;
}

/** Checks the header of a block of `segment` at `at`, but not its content. */
export function probeBlock(buffer: Buffer, at: number, segment: number): BlockProbe {
  const left = buffer.length - at;
  if (left >= END_MARK_BYTES && buffer.readUInt32LE(at) === 0) return END;
  if (left < BLOCK_HEADER_BYTES) return { kind: 'incomplete', bytes: 0 };
  if (buffer.readUInt32LE(at) !== MAGIC_NUMBER || buffer.readUInt32LE(at + 12) !== segment >>> 0)
    return INVALID;
  if (crc32(buffer.subarray(at + 8, at + BLOCK_HEADER_BYTES)) !== buffer.readUInt32LE(at + 4)) return INVALID;
  const bytes = BLOCK_OVERHEAD_BYTES + buffer.readUInt32LE(at + 8);
  if (bytes > BLOCK_OVERHEAD_BYTES + FRAME_BYTES_MAX) return INVALID;
  if (left < bytes) return { kind: 'incomplete', bytes };
  return { kind: 'block', header: headerAt(buffer, at, bytes) };
}

/**
 * Returns the offset of the next block of `segment` at or after `from`; the length of the buffer
 * when there is none.
 */
export function findBlock(buffer: Buffer, from: number, segment: number): number {
  for (let at = buffer.indexOf(MAGIC, from); at !== -1; at = buffer.indexOf(MAGIC, at + 1)) {
    const probe = probeBlock(buffer, at, segment);
    if (probe.kind === 'block' || (probe.kind === 'incomplete' && probe.bytes > 0)) return at;
  }
  return buffer.length;
}

/**
 * Decrypts the frames of the complete block at `at`; returns null if its content is damaged. Throws
 * `UnknownKeyError`.
 */
export function openBlock(sealer: Sealer, buffer: Buffer, at: number, header: BlockHeader): Buffer | null {
  const contentAt = at + BLOCK_HEADER_BYTES;
  const end = at + header.bytes - CRC_BYTES;
  if (!sealer.opens(header.keyId)) throw new UnknownKeyError(header.keyId);
  const content = buffer.subarray(contentAt, end);
  if (crc32(content, buffer.readUInt32LE(at + 4)) !== buffer.readUInt32LE(end)) return null;
  return sealer.decrypt(
    header.keyId,
    buffer.subarray(at + STREAM_POSITION_AT, at + STREAM_POSITION_AT + STREAM_POSITION_BYTES),
    content,
  );
}

const headerAt = (buffer: Buffer, at: number, bytes: number): BlockHeader => ({
  bytes,
  number: buffer.readDoubleLE(at + 16),
  writtenAtMs: buffer.readDoubleLE(at + 24),
  count: buffer.readUInt32LE(at + 32),
  keyId: buffer.readUInt32LE(at + 36),
});
