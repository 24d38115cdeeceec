import { folded } from '../heuristics/normalize';
import { then, type Eventually } from '../eventually';
import type { Pace } from '../work';
import { ipAddresses } from './addresses';
import { emails } from './email';
import { nationalIds } from './national-ids';
import { cards, ibans, phones, socialSecurityNumbers } from './numbers';
import type { Recognizer } from './recognizer';
import { secrets } from './secrets';

/**
 * Recognizers in order of certainty. Of two overlapping findings, the one of the earlier kind is
 * kept.
 */
const RECOGNIZERS = {
  // A part of an IBAN may look like a card; no card looks like an IBAN.
  IBAN: ibans,
  CREDIT_CARD: cards,
  EMAIL_ADDRESS: emails,
  SECRET: secrets,
  SSN: socialSecurityNumbers,
  NATIONAL_ID: nationalIds,
  IP_ADDRESS: ipAddresses,
  PHONE_NUMBER: phones,
} as const satisfies Readonly<Record<string, Recognizer>>;

export type PiiCategory = keyof typeof RECOGNIZERS;
export const PII_CATEGORIES = Object.keys(RECOGNIZERS) as readonly PiiCategory[];

export interface PiiPlace {
  readonly start: number;
  readonly end: number;
  readonly label: PiiCategory;
}

/**
 * Returns personal data and secrets of a text in order, without overlaps, including those in full
 * width or with invisible characters in between. Takes linear time.
 */
export function detectPii(text: string, categories: readonly PiiCategory[]): readonly PiiPlace[] {
  const { text: plain, places } = folded(text);
  const found = detectIn(plain, categories);
  if (places === null) return found;
  return found.map(({ start, end, label }) => ({
    label,
    start: places[start] ?? 0,
    end: (places[end - 1] ?? text.length - 1) + 1,
  }));
}

function detectIn(text: string, categories: readonly PiiCategory[]): readonly PiiPlace[] {
  const wanted = new Set(categories);
  let places: PiiPlace[] = [];
  for (const label of PII_CATEGORIES) {
    if (!wanted.has(label)) continue;
    const found: PiiPlace[] = [];
    RECOGNIZERS[label](text, (start, end) => found.push({ start, end, label }));
    if (found.length > 0) places = merged(places, found);
  }
  return places;
}

/**
 * Merges both lists in order. A new finding that overlaps one of `kept` is dropped; of two
 * overlapping new ones the first is kept.
 */
function merged(kept: readonly PiiPlace[], found: readonly PiiPlace[]): PiiPlace[] {
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const all: PiiPlace[] = [];
  let next = 0;
  for (const place of sorted) {
    for (let old = kept[next]; old && old.start < place.end; old = kept[++next]) all.push(old);
    if ((all.at(-1)?.end ?? 0) <= place.start) all.push(place);
  }
  return [...all, ...kept.slice(next)];
}

const PIECE = 16_384;
/**
 * Characters before a piece that its scan also sees, and characters at its end that are left to the
 * next piece.
 */
const BEFORE = 64;
const AFTER = 512;

/**
 * Like `detectPii`, but long texts are read in pieces, so that other work of the event loop runs in
 * between.
 */
export function detectPiiInTurns(
  text: string,
  categories: readonly PiiCategory[],
  pace: Pace,
): Eventually<readonly PiiPlace[]> {
  if (text.length > PIECE) return detectInPieces(text, categories, pace);
  return then(pace.step(text.length), () => detectPii(text, categories));
}

async function detectInPieces(
  text: string,
  categories: readonly PiiCategory[],
  pace: Pace,
): Promise<readonly PiiPlace[]> {
  const places: PiiPlace[] = [];
  for (let from = 0; from < text.length;) {
    const offset = Math.max(0, from - BEFORE);
    const end = Math.min(text.length, from + PIECE);
    await pace.step(end - offset);
    const found = detectPii(text.slice(offset, end), categories)
      .map(({ start, end: last, label }) => ({ start: start + offset, end: last + offset, label }))
      .filter((place) => place.end > from);
    const next = end === text.length ? end : nextPiece(found, from, end);
    places.push(...found.filter((place) => place.start < next));
    from = next;
  }
  return places;
}

/**
 * Returns the start of the next piece, outside any finding. A finding that may continue is scanned
 * again from its start, unless it is as long as the piece.
 */
function nextPiece(found: readonly PiiPlace[], from: number, end: number): number {
  const next = end - AFTER;
  const across = found.find((place) => place.start < next && place.end > next);
  if (!across) return next;
  const mayGoOn = across.end > end - 8 && across.start > from;
  return mayGoOn ? across.start : across.end;
}
