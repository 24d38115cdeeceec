import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';

/** A content coding that this module can decode. */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/**
 * Returns the coding of a response; null for none, an unknown one or several, which are not
 * supported.
 */
export const codingOf = (contentEncoding: string | undefined): Coding | null =>
  contentEncoding === undefined ? null : (CODINGS.get(contentEncoding.trim().toLowerCase()) ?? null);

/**
 * Returns the codings of an `Accept-Encoding` header that this module can decode, as written;
 * `identity` for none.
 */
export function knownCodings(accepted: string): string {
  const codings = accepted.split(',').map((each) => each.trim());
  const known = codings.filter((each) => {
    const name = (each.split(';')[0] as string).trim().toLowerCase();
    return name === 'identity' || CODINGS.has(name);
  });
  return known.length === codings.length ? accepted : known.length === 0 ? 'identity' : known.join(', ');
}

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Base-2 logarithm of the maximum window. By RFC 9659 a `zstd` decoder need not support a window
 * above 8 MiB.
 */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };
/**
 * Maximum number of decoders that run at one time, because each may hold a window of up to 16 MiB;
 * further calls wait.
 */
const DECODERS_MAX = 8;

let working = 0;
const waiting: (() => void)[] = [];

/**
 * Result of a decoding: all input was decoded, the output exceeds its bound, or the input is not in
 * the coding.
 */
export type Decoded = 'whole' | 'too_large' | 'broken';

/**
 * Decodes `coding` outside the event loop and passes the output to `take`, piece by piece. Stops
 * after more than `maxBytes` of output, so that a small response cannot expand without bound. Never
 * rejects. A call that waits for a decoder holds only its input.
 */
export async function decode(
  pieces: readonly Buffer[],
  coding: Coding,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<Decoded> {
  if (working >= DECODERS_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else working += 1;
  try {
    return await run(pieces, coding, maxBytes, take);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else working -= 1;
  }
}

/** Maximum number of zstd frames in a row that are decoded. */
const FRAMES_MAX = 64;

async function run(
  pieces: readonly Buffer[],
  coding: Coding,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<Decoded> {
  let left = maxBytes;
  const takeSome = (chunk: Buffer): boolean => {
    left -= chunk.length;
    if (left >= 0) take(chunk);
    return left >= 0;
  };
  let rest = pieces;
  for (let frame = 0; frame < FRAMES_MAX; frame += 1) {
    const read = await decodeOne(rest, coding, takeSome);
    if (read === null) return left < 0 ? 'too_large' : 'broken';
    // Only zstd allows several frames; other codings end here.
    rest = coding === 'zstd' ? bytesAfter(rest, read) : [];
    if (rest.length === 0) return 'whole';
  }
  return 'broken';
}

/**
 * Decodes one frame. Returns the number of bytes read; null when the data is broken or `take`
 * returned false.
 */
function decodeOne(
  pieces: readonly Buffer[],
  coding: Coding,
  take: (chunk: Buffer) => boolean,
): Promise<number | null> {
  return new Promise((resolve) => {
    const decoder = decoderOf(coding, hasZlibHeader(pieces));
    decoder.on('data', (chunk: Buffer) => {
      if (take(chunk)) return;
      resolve(null);
      decoder.destroy();
    });
    decoder.once('end', () => {
      resolve(decoder.bytesWritten);
    });
    decoder.once('error', () => {
      resolve(null);
    });
    for (const piece of pieces) decoder.write(piece);
    decoder.end();
  });
}

/** Returns the bytes after the first `bytes`. */
function bytesAfter(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skip = bytes;
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    if (skip < piece.length) rest.push(skip > 0 ? piece.subarray(skip) : piece);
    skip = Math.max(0, skip - piece.length);
  }
  return rest;
}

/**
 * Decodes a short body synchronously; null when it is broken or decodes to more than `maxBytes`.
 */
export function decodeNow(body: Buffer, coding: Coding, maxBytes: number): Buffer | null {
  const options = { maxOutputLength: maxBytes };
  try {
    switch (coding) {
      case 'gzip':
        return gunzipSync(body, options);
      case 'deflate':
        return hasZlibHeader([body]) ? inflateSync(body, options) : inflateRawSync(body, options);
      case 'br':
        return brotliDecompressSync(body, options);
      case 'zstd':
        return zstdFramesNow(body, maxBytes);
    }
  } catch {
    return null;
  }
}

/**
 * Decodes all frames of a zstd body; null for more than `FRAMES_MAX` frames or `maxBytes`. Throws
 * for a broken body.
 */
function zstdFramesNow(body: Buffer, maxBytes: number): Buffer | null {
  const decoded: Buffer[] = [];
  let [rest, left] = [body, maxBytes];
  do {
    if (decoded.length === FRAMES_MAX || left === 0) return null;
    // The types lack the result of `info`.
    const { buffer, engine } = zstdDecompressSync(rest, {
      ...{ params: ZSTD_PARAMS, maxOutputLength: left, info: true },
    }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    decoded.push(buffer);
    left -= buffer.length;
    rest = rest.subarray(engine.bytesWritten);
  } while (rest.length > 0);
  return Buffer.concat(decoded);
}

/**
 * Creates a decoder for a response that is decoded while it is forwarded. `deflate` needs its zlib
 * header. A `zstd` decoder ends at a frame that another one follows in the same chunk;
 * `bytesWritten` is then less than the bytes written to it.
 */
export const streamDecoder = (coding: Coding) => decoderOf(coding, true);

function decoderOf(coding: Coding, hasHeader: boolean) {
  switch (coding) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return hasHeader ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: ZSTD_PARAMS });
  }
}

/**
 * RFC 9110 requires a zlib header for `deflate`, but some servers omit it. The first piece may be
 * shorter than a header.
 */
function hasZlibHeader(pieces: readonly Buffer[]): boolean {
  const head: number[] = [];
  for (const piece of pieces) {
    head.push(...piece.subarray(0, 2 - head.length));
    if (head.length === 2) break;
  }
  const [first, second] = head;
  if (first === undefined || second === undefined) return false;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}
