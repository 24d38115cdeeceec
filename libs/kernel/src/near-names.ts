/** A longer text has no nearest name; longer names are cut before they are compared, and no more names than these are. */
const COMPARED_CHARACTERS = 64;
const NAMES_MAX = 500;
/** A part of a name that is long enough to stand for it. */
const PART_MIN = 4;

/**
 * The known name that most likely was meant, or null: one within an edit distance of a third of the text, else one that begins or
 * ends with it (`timeout` for `request_timeout`). Case, `-`, `_` and a plural do not count. Looks at 500 names at most.
 */
export function nearestName(text: string, known: Iterable<string>): string | null {
  if (text.length > COMPARED_CHARACTERS) return null;
  const plain = simplified(text);
  let best: string | null = null;
  let partly: string | null = null;
  let bestDistance = Math.max(1, Math.floor(plain.length / 3)) + 1;
  let looked = 0;
  for (const name of known) {
    looked += 1;
    if (looked > NAMES_MAX) break;
    const other = simplified(name);
    // Names whose lengths differ by more are no nearer.
    const isNear = Math.abs(other.length - plain.length) < bestDistance;
    const distance = isNear ? editDistance(plain, other) : bestDistance;
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
    if (plain.length >= PART_MIN && (other.endsWith(plain) || other.startsWith(plain))) partly ??= name;
  }
  return best ?? partly;
}

/** From so many characters on, one and two letters may be wrong. */
const ONE_WRONG_MIN = 5;
const TWO_WRONG_MIN = 12;

/**
 * The known name that an unknown one is a misspelling of, or null. Closer than `nearestName`, since it is a reason to refuse: only
 * case, `-`, `_` and a plural may differ, from 5 characters on one letter, from 12 on two. Looks at 500 names at most.
 */
export function misspeltName(text: string, known: Iterable<string>): string | null {
  const plain = simplified(text);
  let looked = 0;
  for (const name of known) {
    looked += 1;
    if (looked > NAMES_MAX) break;
    const other = simplified(name);
    if (plain === other) return name;
    const wrongMax = other.length >= TWO_WRONG_MIN ? 2 : other.length >= ONE_WRONG_MIN ? 1 : 0;
    if (Math.abs(other.length - plain.length) > wrongMax) continue;
    if (editDistance(plain, other) <= wrongMax) return name;
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

/** Levenshtein's distance. */
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
