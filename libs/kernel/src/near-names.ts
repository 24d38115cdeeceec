/**
 * Maximum length of a compared text; longer texts have no nearest name, and longer names are
 * truncated. `NAMES_MAX` names are compared at most.
 */
const COMPARED_CHARACTERS = 64;
const NAMES_MAX = 500;
/** Minimum length of a text that matches the start or end of a longer name. */
const PART_MIN = 4;

/**
 * Returns the known name that the text most likely means, or null: one within an edit distance of a
 * third of the text, else one that begins or ends with it (`timeout` for `request_timeout`).
 * Ignores case, `-`, `_` and plurals, and compares 500 names at most.
 */
export function nearestName(text: string, known: Iterable<string>): string | null {
  if (text.length > COMPARED_CHARACTERS) return null;
  const simple = simplified(text);
  let best: string | null = null;
  let partialMatch: string | null = null;
  let bestDistance = Math.max(1, Math.floor(simple.length / 3)) + 1;
  let compared = 0;
  for (const name of known) {
    compared += 1;
    if (compared > NAMES_MAX) break;
    const other = simplified(name);
    // The edit distance is at least the difference in length.
    const isNear = Math.abs(other.length - simple.length) < bestDistance;
    const distance = isNear ? editDistance(simple, other) : bestDistance;
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
    if (simple.length >= PART_MIN && (other.endsWith(simple) || other.startsWith(simple)))
      partialMatch ??= name;
  }
  return best ?? partialMatch;
}

/** Lengths from which one and two letters of a name may be wrong. */
const ONE_WRONG_MIN = 5;
const TWO_WRONG_MIN = 12;

/**
 * Returns the known name that an unknown one misspells, or null. It is stricter than `nearestName`,
 * because callers refuse such names: only case, `-`, `_` and a plural may differ; from 5 characters
 * on also one letter, from 12 on two. Compares 500 names at most.
 */
export function misspeltName(text: string, known: Iterable<string>): string | null {
  const simple = simplified(text);
  let compared = 0;
  for (const name of known) {
    compared += 1;
    if (compared > NAMES_MAX) break;
    const other = simplified(name);
    if (simple === other) return name;
    const wrongMax = other.length >= TWO_WRONG_MIN ? 2 : other.length >= ONE_WRONG_MIN ? 1 : 0;
    if (Math.abs(other.length - simple.length) > wrongMax) continue;
    if (editDistance(simple, other) <= wrongMax) return name;
  }
  return null;
}

const simplified = (text: string): string =>
  text
    .slice(0, COMPARED_CHARACTERS)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, '')
    .replace(/ies$/, 'y')
    .replace(/s$/, '');

/** Returns the Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
