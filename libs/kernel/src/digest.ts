import { createHash, hash } from 'node:crypto';

/** One part of the input of a digest. Null differs from every string and list. */
export type Field = string | Uint8Array | null | readonly (string | null)[];

/**
 * Maximum size of inputs that are assembled in one reused buffer, which costs half of hashing them
 * in pieces.
 */
const SCRATCH_BYTES = 16_384;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
/** Length of the header: the width of the characters, and their number. */
const HEAD_BYTES = 1 + 4;

/**
 * Returns the SHA-256 of the fields as base64url, 43 characters. Different lists of fields have
 * different inputs: each field is preceded by its kind and length (`s5:hello`, `l2:`, `b100:`,
 * `n`), and the content of byte fields follows in order at the end. Strings are hashed as UTF-16
 * code units, because in UTF-8 several malformed strings become the same bytes. `domain` separates
 * digests of different purposes.
 */
export function digestOf(domain: string, fields: readonly Field[]): string {
  let text = textOf(domain);
  let bytes = 0;
  for (const field of fields) {
    text += textOf(field);
    if (field instanceof Uint8Array) bytes += field.length;
  }
  const wide = WIDE.test(text);
  const textEnd = HEAD_BYTES + (wide ? 2 : 1) * text.length;
  const isSmall = textEnd + bytes <= SCRATCH_BYTES;
  const input = isSmall ? scratch : Buffer.allocUnsafe(textEnd);
  input[0] = wide ? 2 : 1;
  input.writeUInt32LE(text.length, 1);
  input.write(text, HEAD_BYTES, wide ? 'utf16le' : 'latin1');
  return isSmall ? hashed(input, textEnd, fields) : hashedInPieces(input, fields);
}

/** Returns `digestOf(domain, [text])` for ASCII text that is available as bytes. */
export function digestOfAscii(domain: string, text: Uint8Array): string {
  const before = `${textOf(domain)}s${String(text.length)}:`;
  const end = HEAD_BYTES + before.length + text.length;
  const input = end <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(end);
  input[0] = 1;
  input.writeUInt32LE(end - HEAD_BYTES, 1);
  input.write(before, HEAD_BYTES, 'latin1');
  input.set(text, HEAD_BYTES + before.length);
  return hash('sha256', input.subarray(0, end), 'base64url');
}

/** Matches a character that does not fit into one byte. */
const WIDE = /[^\u0000-\u00ff]/;

function hashed(input: Buffer, textEnd: number, fields: readonly Field[]): string {
  let at = textEnd;
  for (const field of fields) {
    if (!(field instanceof Uint8Array)) continue;
    input.set(field, at);
    at += field.length;
  }
  return hash('sha256', input.subarray(0, at), 'base64url');
}

function hashedInPieces(text: Buffer, fields: readonly Field[]): string {
  const digest = createHash('sha256').update(text);
  for (const field of fields) if (field instanceof Uint8Array) digest.update(field);
  return digest.digest('base64url');
}

function textOf(field: Field): string {
  if (field === null) return 'n';
  if (typeof field === 'string') return `s${String(field.length)}:${field}`;
  if (field instanceof Uint8Array) return `b${String(field.length)}:`;
  let text = `l${String(field.length)}:`;
  for (const part of field) text += textOf(part);
  return text;
}
