import { Buffer } from 'node:buffer';

export const CREDENTIAL_MARK = '[credential]';
/**
 * Minimum length, in characters, of a part of a credential that is replaced. A shorter credential
 * is replaced when at most one of its characters is missing.
 */
const RUN_MIN = 16;
const SHORT_RUN_MIN = 8;
/** Separates the texts that are searched for; no byte decodes to this character. */
const SEPARATOR = '\uffff';

/**
 * Replaces each part of a text that is long enough: in either case, with JSON escapes (also nested
 * ones), percent-encoded, or in base64. Makes one look-up for about every nine characters of the
 * body.
 */
export function withoutTexts(body: Buffer, texts: readonly string[]): Buffer {
  const { plain, origins } = spelledOut(body);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [start, end] of runsIn(plain.toString('latin1').toLowerCase(), texts)) {
    pieces.push(body.subarray(from, originOf(origins, start)), MARK);
    from = originOf(origins, end);
  }
  return from === 0 ? body : Buffer.concat([...pieces, body.subarray(from)]);
}

const MARK = Buffer.from(CREDENTIAL_MARK);

interface SpelledOut {
  readonly plain: Buffer;
  /**
   * Offset in the body for each byte of `plain`, and the body's end; null when nothing is escaped.
   */
  readonly origins: Uint32Array | null;
}

const originOf = (origins: Uint32Array | null, index: number): number =>
  origins === null ? index : (origins[index] as number);

const [PERCENT, BACKSLASH, QUOTE, SLASH, U, ZERO] = [0x25, 0x5c, 0x22, 0x2f, 0x75, 0x30] as const;

/** Decodes JSON escapes, also nested ones, and percent encoding. */
function spelledOut(body: Buffer): SpelledOut {
  if (!body.includes(PERCENT) && !body.includes(BACKSLASH)) return { plain: body, origins: null };
  const plain = Buffer.allocUnsafe(body.length);
  const origins = new Uint32Array(body.length + 1);
  let [length, at] = [0, 0];
  while (at < body.length) {
    const begin = at;
    let value = body[at] as number;
    while (value === BACKSLASH && body[at + 1] === BACKSLASH) at += 1;
    const hexAt = escapedHexAt(body, at, value);
    const hex = hexAt === -1 ? -1 : hexOf(body, hexAt);
    if (hex !== -1) {
      value = hex;
      at = hexAt + 2;
    } else {
      if (value === BACKSLASH && isSign(body[at + 1])) value = body[(at += 1)] as number;
      at += 1;
    }
    plain[length] = value;
    origins[length] = begin;
    length += 1;
  }
  origins[length] = body.length;
  return { plain: plain.subarray(0, length), origins };
}

const isSign = (byte: number | undefined): boolean => byte === QUOTE || byte === SLASH;

/** Offset of the two hex digits of `%73` or `\\u0073`; -1 when neither is there. */
function escapedHexAt(body: Buffer, at: number, value: number): number {
  if (value === PERCENT) return at + 1;
  const isEscape =
    value === BACKSLASH && body[at + 1] === U && body[at + 2] === ZERO && body[at + 3] === ZERO;
  return isEscape ? at + 4 : -1;
}

/** Value of two hex digits; -1 when they are not digits. */
function hexOf(body: Buffer, at: number): number {
  const [high, low] = [digitOf(body[at]), digitOf(body[at + 1])];
  return high === -1 || low === -1 ? -1 : 16 * high + low;
}

function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

type Run = readonly [start: number, end: number];

/** Returns matches that do not overlap, in order. */
function runsIn(plain: string, texts: readonly string[]): readonly Run[] {
  const runMin = Math.min(...texts.map(({ length }) => runMinOf(length)));
  // A run of the minimum length contains a whole piece at one of every `step` offsets.
  const size = Math.floor(runMin / 2);
  const step = runMin - size + 1;
  const all = texts.flatMap(spellingsOf).join(SEPARATOR).toLowerCase();
  const places = placesOf(all, size);
  const runs: Run[] = [];
  let from = 0;
  for (let at = 0; at + size <= plain.length; at += step) {
    for (const place of places.get(plain.slice(at, at + size)) ?? NONE) {
      const run = extended(plain, at, all, place, from);
      if (run[1] - run[0] < runMin) continue;
      runs.push(run);
      from = run[1];
      at = from - step;
      break;
    }
  }
  return runs;
}

const runMinOf = (length: number): number => Math.max(SHORT_RUN_MIN, Math.min(RUN_MIN, length - 1));

/** Returns the text, and its base64 forms for each possible alignment. */
function spellingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // The first and the last base64 character may also encode neighbouring text, so they are left
    // out.
    return whole.slice(before === 0 ? 0 : before + 1, -1);
  });
  return [...new Set([bytes.toString('latin1'), ...encoded, ...encoded.map(standardBase64)])];
}

const standardBase64 = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/');

/**
 * Maximum number of offsets kept for a piece that occurs repeatedly in a credential, to bound the
 * search time.
 */
const PLACES_MAX = 4;

/** Returns the offsets of each piece of `size` characters in `all`. */
function placesOf(all: string, size: number): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + size <= all.length; at += 1) {
    const piece = all.slice(at, at + size);
    const known = places.get(piece);
    if (known === undefined) places.set(piece, [at]);
    else if (known.length < PLACES_MAX) known.push(at);
  }
  return places;
}

/** Extends a match in both directions to the longest run that begins at `from` or later. */
function extended(plain: string, at: number, all: string, place: number, from: number): Run {
  let [start, end] = [at, at];
  const shift = place - at;
  while (start > from && start + shift > 0 && plain[start - 1] === all[start - 1 + shift]) start -= 1;
  while (end < plain.length && plain[end] === all[end + shift]) end += 1;
  return [start, end];
}

const NONE: readonly number[] = [];
