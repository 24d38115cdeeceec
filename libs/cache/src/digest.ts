import { createHash, hash } from 'node:crypto';

/** One part of what a digest is made of. A list is as many parts as it says it has. Null differs from every text and list. */
export type Field = string | Uint8Array | null | readonly (string | null)[];

const ABSENT = 0xffff_ffff;
const LENGTH_BYTES = 4;
/** Inputs up to this size are put together in one buffer that is made once, which costs half of hashing them in pieces. */
const SCRATCH_BYTES = 16_384;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/**
 * SHA-256 of the fields as base64url, 43 characters. Each field stands behind its length, each list behind its number of parts,
 * and texts are written as UTF-16, in which no two texts are the same bytes: so two lists of fields of the same shape give the
 * same input only when they are equal. `domain` keeps digests of different purposes apart.
 */
export function digestOf(domain: string, fields: readonly Field[]): string {
  let size = sizeOf(domain);
  for (const field of fields) size += sizeOf(field);
  if (size > SCRATCH_BYTES) return digestInPieces(domain, fields);
  let at = write(domain, scratch, 0);
  for (const field of fields) at = write(field, scratch, at);
  return hash('sha256', scratch.subarray(0, at), 'base64url');
}

function digestInPieces(domain: string, fields: readonly Field[]): string {
  const digest = createHash('sha256').update(bytesOf(domain));
  for (const field of fields) {
    if (field instanceof Uint8Array) digest.update(lengthOf(field.length)).update(field);
    else digest.update(bytesOf(field));
  }
  return digest.digest('base64url');
}

function bytesOf(field: Field): Buffer {
  const bytes = Buffer.allocUnsafe(sizeOf(field));
  write(field, bytes, 0);
  return bytes;
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES);
  bytes.writeUInt32LE(length, 0);
  return bytes;
}

function sizeOf(field: Field): number {
  if (field === null) return LENGTH_BYTES;
  if (typeof field === 'string') return LENGTH_BYTES + 2 * field.length;
  if (field instanceof Uint8Array) return LENGTH_BYTES + field.length;
  let size = LENGTH_BYTES;
  for (const part of field) size += sizeOf(part);
  return size;
}

/** Writes the field at `at` and returns the place behind it. */
function write(field: Field, into: Buffer, at: number): number {
  if (field === null) return into.writeUInt32LE(ABSENT, at);
  if (typeof field === 'string') {
    const start = into.writeUInt32LE(2 * field.length, at);
    return start + into.write(field, start, 'utf16le');
  }
  const start = into.writeUInt32LE(field.length, at);
  if (field instanceof Uint8Array) {
    into.set(field, start);
    return start + field.length;
  }
  let end = start;
  for (const part of field) end = write(part, into, end);
  return end;
}
