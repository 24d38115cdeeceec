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

/** Personal data and secrets of a text, in order and without overlaps. Costs time linear to the text. */
export function detectPii(text: string, categories: readonly PiiCategory[]): readonly PiiPlace[] {
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
