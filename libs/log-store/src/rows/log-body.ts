import { DAY_MS } from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib';

/**
 * Bodies of one logged request. The worker has redacted credentials in them, and the gateway may
 * have truncated them. Null: no body was stored.
 */
export interface LogBodies {
  readonly request: Buffer | null;
  readonly response: Buffer | null;
}

/**
 * Format of the encoded bodies, stored as their first byte. A new format gets a new number; old
 * formats stay readable.
 */
const PLAIN = 0;
const ZSTD = 1;
/** Two 32-bit lengths, of the request and of the response; -1 for null. The bodies follow. */
const HEAD_BYTES = 8;
/**
 * Shorter content (head and both bodies) is stored uncompressed, because the zstd frame costs as
 * much as it saves.
 */
const COMPRESSED_FROM_BYTES = 256;
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 3 };
const CHUNK_BYTES_MAX = 16_384;
/**
 * Maximum decompressed size in bytes: more than two bodies of the largest size that a gateway
 * stores. Larger content is damaged.
 */
const PLAIN_BYTES_MAX = 16 * 1_048_576;

/**
 * Encodes both bodies as one buffer. They are compressed together, because they have much text in
 * common. Returns null if there is neither.
 */
export function encodeLogBodies({ request, response }: LogBodies): Buffer | null {
  if (request === null && response === null) return null;
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeInt32BE(request?.length ?? -1, 0);
  head.writeInt32BE(response?.length ?? -1, 4);
  const plain = Buffer.concat([head, request ?? NONE, response ?? NONE]);
  if (plain.length < COMPRESSED_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), plain]);
  // With `pledgedSrcSize`, zstd allocates tables no larger than needed, which takes a third of the
  // time for usual bodies. `chunkSize` is the size of the output buffer that each call allocates,
  // 16 KiB by default.
  const compressed = zstdCompressSync(plain, {
    params: LEVEL,
    pledgedSrcSize: plain.length,
    chunkSize: Math.min(plain.length, CHUNK_BYTES_MAX),
  });
  return Buffer.concat([Buffer.of(ZSTD), compressed]);
}

const NONE = Buffer.alloc(0);

/**
 * Decodes what `encodeLogBodies` returned. Throws if the format is unknown, the lengths do not fit,
 * or zstd refuses the bytes.
 */
export function decodeLogBodies(encoded: Buffer): LogBodies {
  const plain = plainOf(encoded);
  const [requestLength, responseLength] = [plain.readInt32BE(0), plain.readInt32BE(4)];
  const middle = HEAD_BYTES + Math.max(0, requestLength);
  if (plain.length !== middle + Math.max(0, responseLength)) throw new Error('A logged body is damaged.');
  return {
    request: requestLength < 0 ? null : plain.subarray(HEAD_BYTES, middle),
    response: responseLength < 0 ? null : plain.subarray(middle),
  };
}

function plainOf(encoded: Buffer): Buffer {
  const format = encoded[0];
  if (format === PLAIN) return encoded.subarray(1);
  if (format === ZSTD) return zstdDecompressSync(encoded.subarray(1), { maxOutputLength: PLAIN_BYTES_MAX });
  throw new Error('A logged body has an encoding that this release does not know.');
}

/**
 * Position of a log's bodies in a pack: an object that holds the bodies of a whole batch. Offset
 * and length are in bytes.
 */
export interface BodyPlace {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
}

/** Formats a position as the text of `body_ref`. The key must not contain `#`. */
export const bodyReference = ({ key, offset, length }: BodyPlace): string =>
  `${key}#${String(offset)}.${String(length)}`;

/** Parses what `bodyReference` returned; throws for text of another form. */
export function bodyPlace(reference: string): BodyPlace {
  const [, key, offset, length] = /^([^#]+)#(\d+)\.(\d+)$/.exec(reference) ?? [];
  if (key === undefined) throw new Error('The reference to a logged body is not valid.');
  return { key, offset: Number(offset), length: Number(length) };
}

/**
 * Returns the folder of all packs of a UTC day (`dayOf`). They are deleted with the day's
 * partition.
 */
export const bodyFolder = (day: number): string =>
  `bodies/${new Date(day * DAY_MS).toISOString().slice(0, 10)}/`;

/**
 * Decodes a body: JSON as a value, other UTF-8 as text, anything else as base64. Both members are
 * null without a body.
 */
export function readableBody(bytes: Buffer | null): {
  readonly encoding: 'json' | 'utf8' | 'base64' | null;
  readonly body: unknown;
} {
  if (!bytes) return { encoding: null, body: null };
  if (!isUtf8(bytes)) return { encoding: 'base64', body: bytes.toString('base64') };
  const text = bytes.toString('utf8');
  try {
    return { encoding: 'json', body: JSON.parse(text) as unknown };
  } catch {
    return { encoding: 'utf8', body: text };
  }
}
