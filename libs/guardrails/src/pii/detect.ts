import { folded } from '../heuristics/normalize';
import { then, type Eventually } from '../eventually';
import type { Pace } from '../work';
import { ipAddresses } from './addresses';
import { emails } from './email';
import { nationalIds } from './national-ids';
import { cards, ibans, phones, socialSecurityNumbers } from './numbers';
import type { Recognizer } from './recognizer';
import { secrets } from './secrets';

/** Most certain first: of two that overlap the earlier kind stays. */
const RECOGNIZERS = {
  // Part of an IBAN may look like a card; no card looks like an IBAN.
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
 * Personal data and secrets of a text, in order and without overlaps, whether written in full width or with characters in between
 * that no reader sees. Costs time linear to the text.
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

/** Both lists in order; what overlaps one of `kept` goes, and of two new ones that overlap the one that begins first stays. */
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
/** A scan of a piece also sees the text before it; a match at its end is left to the next piece. */
const BEFORE = 64;
const AFTER = 512;

/** As `detectPii`; long texts are gone through in pieces, with other work of the event loop in between. */
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

/** Not within a place: one that may go on is looked at again from its beginning, unless it is as long as the piece. */
function nextPiece(found: readonly PiiPlace[], from: number, end: number): number {
  const next = end - AFTER;
  const across = found.find((place) => place.start < next && place.end > next);
  if (!across) return next;
  const mayGoOn = across.end > end - 8 && across.start > from;
  return mayGoOn ? across.start : across.end;
}
