import { DAY_MS } from '@gw/kernel';
import { isUtf8 } from 'node:buffer';
import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib';

/** The bodies of one logged request, as they went over the wire. Null: none was kept. */
export interface LogBodies {
  readonly request: Buffer | null;
  readonly response: Buffer | null;
}

/** The first byte of the encoded form; a new form gets a new number, and old ones stay readable. */
const PLAIN = 0;
const ZSTD = 1;
const HEAD_BYTES = 8;
/** Below this the frame costs as much as it saves. */
const COMPRESSED_FROM_BYTES = 256;
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 3 };
const CHUNK_BYTES_MAX = 16_384;
/** More than two bodies of the largest size that a gateway keeps: what claims to be larger is damaged. */
const PLAIN_BYTES_MAX = 16 * 1_048_576;

/** Both bodies as one piece, compressed together, since they have much in common; null where there is neither. */
export function encodeLogBodies({ request, response }: LogBodies): Buffer | null {
  if (request === null && response === null) return null;
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeInt32BE(request?.length ?? -1, 0);
  head.writeInt32BE(response?.length ?? -1, 4);
  const plain = Buffer.concat([head, request ?? NONE, response ?? NONE]);
  if (plain.length < COMPRESSED_FROM_BYTES) return Buffer.concat([Buffer.of(PLAIN), plain]);
  // With the size given, its tables are no larger than it needs: a third of the time for usual bodies. And with the memory for the answer no
  // larger than that: it is held as long as the answer, and 16 KiB otherwise.
  const compressed = zstdCompressSync(plain, {
    params: LEVEL,
    pledgedSrcSize: plain.length,
    chunkSize: Math.min(plain.length, CHUNK_BYTES_MAX),
  });
  return Buffer.concat([Buffer.of(ZSTD), compressed]);
}

const NONE = Buffer.alloc(0);

/** Throws for bytes that `encodeLogBodies` did not make. */
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
  const form = encoded[0];
  if (form === PLAIN) return encoded.subarray(1);
  if (form === ZSTD) return zstdDecompressSync(encoded.subarray(1), { maxOutputLength: PLAIN_BYTES_MAX });
  throw new Error('A logged body has a form that this release does not know.');
}

/** Where the bodies of one log stand in a pack: an object that holds those of a whole batch. */
export interface BodyPlace {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
}

export const bodyReference = ({ key, offset, length }: BodyPlace): string =>
  `${key}#${String(offset)}.${String(length)}`;

/** Throws for text that `bodyReference` did not make. */
export function bodyPlace(reference: string): BodyPlace {
  const [, key, offset, length] = /^([^#]+)#(\d+)\.(\d+)$/.exec(reference) ?? [];
  if (key === undefined) throw new Error('The reference to a logged body is not valid.');
  return { key, offset: Number(offset), length: Number(length) };
}

/** The folder of all packs of a UTC day (`dayOf`); they go with its partition. */
export const bodyFolder = (day: number): string =>
  `bodies/${new Date(day * DAY_MS).toISOString().slice(0, 10)}/`;

/** Decodes a body: JSON as a value, other text as text, anything else as base64. */
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
