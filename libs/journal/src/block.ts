import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { END_MARK_BYTES, FRAME_BYTES_MAX } from './frame';
import { PLACE_BYTES, UnknownKeyError, type Sealer } from './sealer';

/**
 * Frames of one write, sealed together, as they lie in a segment of the journal:
 *
 * | bytes | little-endian | |
 * |---|---|---|
 * | 0–3 | magic and version | `TGB3` |
 * | 4–7 | CRC-32 of bytes 8–51 | |
 * | 8–11 | bytes of the ciphertext | |
 * | 12–15 | number of the segment | a file that is written over holds blocks of its earlier life |
 * | 16–23 | number of the first record | double; counts all records of this journal |
 * | 24–31 | time of writing | double, Unix milliseconds |
 * | 32–35 | records | |
 * | 36–39 | id of the key | |
 * | 40–51 | place in the key stream | see `Sealer` |
 * | 52– | ciphertext | AES-256-CTR |
 * | last 4 | CRC-32 of the ciphertext | begun with that of the header |
 *
 * The header's checksum tells where the next block begins though the content is damaged, and the other whether the content is.
 */
const MAGIC = Buffer.from('TGB3', 'latin1');
const MAGIC_NUMBER = MAGIC.readUInt32LE(0);
export const BLOCK_HEADER_BYTES = 52;
const CRC_BYTES = 4;
export const BLOCK_OVERHEAD_BYTES = BLOCK_HEADER_BYTES + CRC_BYTES;
/** Frames are put in one block up to this many bytes; a larger frame has one of its own. Damage costs a block. */
export const BLOCK_CONTENT_BYTES = 16 * 1024;
const PLACE_AT = 40;

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
  /** The buffer ends inside it; `bytes` 0: even the header is cut. */
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

/** Writes a block at `at`, which must have the content's bytes and `BLOCK_OVERHEAD_BYTES` left. Returns the offset behind it. */
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
  sealer.cover(content, target, contentAt, at + PLACE_AT);
  const headerCrc = crc32(target.subarray(at + 8, contentAt));
  target.writeUInt32LE(headerCrc, at + 4);
  const end = contentAt + content.length;
  target.writeUInt32LE(crc32(target.subarray(contentAt, end), headerCrc), end);
  return end + CRC_BYTES;
}

/** Looks at the header of a block of `segment` at `at`; the content is not looked at. */
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

/** Where the next block of `segment` begins, at `from` or later; the length of the buffer when there is none. */
export function findBlock(buffer: Buffer, from: number, segment: number): number {
  for (let at = buffer.indexOf(MAGIC, from); at !== -1; at = buffer.indexOf(MAGIC, at + 1)) {
    const probe = probeBlock(buffer, at, segment);
    if (probe.kind === 'block' || (probe.kind === 'incomplete' && probe.bytes > 0)) return at;
  }
  return buffer.length;
}

/** The frames of the whole block at `at`; null: its content is damaged. Throws `UnknownKeyError`. */
export function openBlock(sealer: Sealer, buffer: Buffer, at: number, header: BlockHeader): Buffer | null {
  const contentAt = at + BLOCK_HEADER_BYTES;
  const end = at + header.bytes - CRC_BYTES;
  if (!sealer.opens(header.keyId)) throw new UnknownKeyError(header.keyId);
  const content = buffer.subarray(contentAt, end);
  if (crc32(content, buffer.readUInt32LE(at + 4)) !== buffer.readUInt32LE(end)) return null;
  return sealer.uncover(header.keyId, buffer.subarray(at + PLACE_AT, at + PLACE_AT + PLACE_BYTES), content);
}

const headerAt = (buffer: Buffer, at: number, bytes: number): BlockHeader => ({
  bytes,
  number: buffer.readDoubleLE(at + 16),
  writtenAtMs: buffer.readDoubleLE(at + 24),
  count: buffer.readUInt32LE(at + 32),
  keyId: buffer.readUInt32LE(at + 36),
});
