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

/** A content coding that one decoder undoes. */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** The coding of an answer; null: none, an unknown one, or several of them, which nothing here undoes. */
export const codingOf = (contentEncoding: string | undefined): Coding | null =>
  contentEncoding === undefined ? null : (CODINGS.get(contentEncoding.trim().toLowerCase()) ?? null);

/** The codings of an `Accept-Encoding` that can be undone here, as they were sent; `identity` where there is none. */
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

/** RFC 9659: a decoder of `zstd` need not keep a window over 8 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;
/** Decoders hold windows of up to 16 MiB, so that many work at one time; the rest wait their turn. */
const DECODERS_MAX = 8;

let working = 0;
const waiting: (() => void)[] = [];

/**
 * Undoes `coding` outside the event loop, and hands what comes out to `take`, piece by piece. Stops once more than `maxBytes`
 * have come out, so that a small answer can't become a large one. Resolves with true when the pieces were decoded to their
 * end; never rejects. What waits for a decoder holds its pieces and nothing else.
 */
export async function decode(
  pieces: readonly Buffer[],
  coding: Coding,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<boolean> {
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

/** Frames of zstd may follow each other; of more than so many the rest is not read. */
const FRAMES_MAX = 64;

async function run(
  pieces: readonly Buffer[],
  coding: Coding,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<boolean> {
  let left = maxBytes;
  const takeSome = (chunk: Buffer): boolean => {
    left -= chunk.length;
    if (left >= 0) take(chunk);
    return left >= 0;
  };
  let rest = pieces;
  for (let frame = 0; frame < FRAMES_MAX; frame += 1) {
    const read = await decodeOne(rest, coding, takeSome);
    if (read === null) return false;
    // Other decoders go on by themselves, or there is nothing to go on with.
    rest = coding === 'zstd' ? behind(rest, read) : [];
    if (rest.length === 0) return true;
  }
  return false;
}

/** How many bytes were read until the decoder was at its end; null: it broke, or `take` has had enough. */
function decodeOne(
  pieces: readonly Buffer[],
  coding: Coding,
  take: (chunk: Buffer) => boolean,
): Promise<number | null> {
  return new Promise((resolve) => {
    const decoder = decoderOf(coding, pieces[0]);
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

/** What comes after so many bytes. */
function behind(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skip = bytes;
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    if (skip < piece.length) rest.push(skip > 0 ? piece.subarray(skip) : piece);
    skip = Math.max(0, skip - piece.length);
  }
  return rest;
}

/** Undoes the coding of a short body at once, where nothing can wait for it; null: it is broken, or becomes longer than `maxBytes`. */
export function decodeNow(body: Buffer, coding: Coding, maxBytes: number): Buffer | null {
  const options = { maxOutputLength: maxBytes };
  try {
    switch (coding) {
      case 'gzip':
        return gunzipSync(body, options);
      case 'deflate':
        return hasZlibHeader(body) ? inflateSync(body, options) : inflateRawSync(body, options);
      case 'br':
        return brotliDecompressSync(body, options);
      case 'zstd':
        return zstdDecompressSync(body, options);
    }
  } catch {
    return null;
  }
}

/** Of an answer that is undone while it goes by; `deflate` with its zlib header. */
export const streamDecoder = (coding: Coding) =>
  coding === 'deflate' ? createInflate() : decoderOf(coding, undefined);

function decoderOf(coding: Coding, first: Buffer | undefined) {
  switch (coding) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return hasZlibHeader(first) ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } });
  }
}

/** `deflate` has a zlib header by RFC 9110, and some servers leave it out. */
const hasZlibHeader = (first: Buffer | undefined): boolean =>
  first !== undefined &&
  first.length > 1 &&
  ((first[0] as number) & 0x0f) === 8 &&
  first.readUInt16BE(0) % 31 === 0;
