import { detectPii, PII_CATEGORIES, type PiiCategory } from '../pii/detect';
import type { LabelledSentence } from './pii-set';

export interface Quality {
  readonly label: PiiCategory;
  readonly labelled: number;
  /** Share of the findings that are correct, 0 to 1. */
  readonly precision: number;
  /** Share of the labelled ranges that were found, 0 to 1. */
  readonly recall: number;
  readonly missed: readonly string[];
}

/** Measures the detection. A range counts as found when all of it is found under its own label. */
export function piiQuality(sentences: readonly LabelledSentence[]): readonly Quality[] {
  const results = sentences.map(({ text, places }) => ({
    text,
    places,
    found: detectPii(text, PII_CATEGORIES),
  }));
  return PII_CATEGORIES.map((label) => {
    let labelled = 0;
    let hits = 0;
    let found = 0;
    let correct = 0;
    const missed: string[] = [];
    for (const { text, places, found: all } of results) {
      const detected = all.filter((place) => place.label === label);
      const wanted = places.filter((place) => place.label === label);
      const covers = (place: { start: number; end: number }) =>
        detected.some(({ start, end }) => start <= place.start && end >= place.end);
      labelled += wanted.length;
      for (const place of wanted)
        if (covers(place)) hits++;
        else missed.push(text);
      found += detected.length;
      correct += detected.filter(({ start, end }) =>
        wanted.some((place) => start < place.end && end > place.start),
      ).length;
    }
    const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
    return { label, labelled, precision: share(correct, found), recall: share(hits, labelled), missed };
  });
}
