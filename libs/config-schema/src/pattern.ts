import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { CONFIG_LIMITS } from './bounds';
import { firstOf, isFollowable, MatchFollower, type Program } from './match-follower';

/**
 * Bound of one search: instructions of the pattern times length of the text. A step takes up to 50
 * ns for a deliberately slow pattern, so one search blocks the event loop for about 10 ms at most,
 * and usually for microseconds.
 */
const STEPS_MAX = 200_000;
const PROGRAM_SIZE_MAX = 1000;
/** Maximum Unicode classes in one pattern. Each covers thousands of characters. */
const UNICODE_CLASSES_MAX = 50;

/**
 * Maximum instructions of all cached patterns, about 10 MB. Patterns are cached because validating
 * and compiling a document needs each of them more than once.
 */
const CACHE_SIZE_MAX = 50_000;

/**
 * A pattern in RE2 syntax, searched in time linear to the text: no look-around and no
 * back-references. The compiled form is private, so that two equal patterns compare equal.
 */
export class Pattern {
  readonly #regex: RE2JS;
  readonly #lengthMax: number;
  /**
   * Instructions that consume the first character of a match. Null: the pattern cannot be followed.
   */
  readonly #first: readonly number[] | null;

  private constructor(
    readonly source: string,
    regex: RE2JS,
  ) {
    this.#regex = regex;
    this.#lengthMax = Math.floor(STEPS_MAX / regex.programSize());
    const program = programOf(regex);
    this.#first = isFollowable(program) ? firstOf(program) : null;
    Object.freeze(this);
  }

  /** Compiles a pattern. Returns an error message for an invalid pattern; never throws. */
  static compile(source: string): Pattern | string {
    const cached = compiled.get(source);
    if (cached !== undefined) return cached;
    const result = Pattern.create(source);
    compiled.set(source, result);
    return result;
  }

  private static create(source: string): Pattern | string {
    if (source.length > CONFIG_LIMITS.patternLengthMax) {
      return `A pattern has at most ${String(CONFIG_LIMITS.patternLengthMax)} characters.`;
    }
    if (hasOpenFlags(source)) {
      return 'Flags need a group, such as (?i:abc); a pattern cannot set them for the rest of its text.';
    }
    if ((source.match(/\\[pP]/g)?.length ?? 0) > UNICODE_CLASSES_MAX) {
      return `A pattern has at most ${String(UNICODE_CLASSES_MAX)} Unicode classes.`;
    }
    try {
      const regex = RE2JS.compile(source);
      if (regex.programSize() > PROGRAM_SIZE_MAX) return 'The pattern is too large; use fewer repetitions.';
      return new Pattern(source, regex);
    } catch {
      return 'The pattern is not valid RE2 syntax (no look-around, no back-references).';
    }
  }

  /**
   * Returns whether the pattern matches anywhere in the text. A text beyond the bound of a search
   * does not match: a pattern of 10 instructions (about as many characters) searches up to 20,000
   * UTF-16 units, one of 100 up to 2,000.
   */
  test(text: string): boolean {
    return text.length <= this.#lengthMax && this.#regex.test(text);
  }

  /** Number of instructions. */
  get size(): number {
    return this.#regex.programSize();
  }

  /** Length of the longest text that one search accepts, in UTF-16 units. */
  get lengthMax(): number {
    return this.#lengthMax;
  }

  /**
   * Returns a follower for a text that arrives in pieces, or null if this pattern needs the whole
   * text.
   */
  follow(): MatchFollower | null {
    return this.#first === null ? null : new MatchFollower(programOf(this.#regex), this.#first);
  }

  /**
   * Yields all matches from left to right, without overlaps; none for a text that is too long. Each
   * match costs up to one search of the remaining text, so a caller with many matches must watch
   * the time.
   */
  *matches(text: string): Generator<{ readonly start: number; readonly end: number }> {
    if (text.length > this.#lengthMax) return;
    const matcher = this.#regex.matcher(text);
    while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
  }
}

const programOf = (regex: RE2JS): Program => regex.re2().prog as Program;

const compiled = new LRUCache<string, Pattern | string>({
  maxSize: CACHE_SIZE_MAX,
  sizeCalculation: (result, source) => source.length + (typeof result === 'string' ? 1 : result.size),
});

/** Splits a check's rule, which is a plain pattern or `/pattern/flags`, into pattern and flags. */
export function patternOfRule(rule: string): { readonly source: string; readonly flags: string } {
  const delimited = /^\/(.+)\/([a-z]*)$/s.exec(rule);
  const flags = [...new Set(delimited?.[2] ?? '')].filter((flag) => !'gu'.includes(flag)).join('');
  const source = delimited?.[1] ?? rule;
  return { source: flags === '' || !/^[ims]*$/.test(flags) ? source : `(?${flags}:${source})`, flags };
}

/**
 * Returns whether a pattern sets flags outside a group. `(?i)` is valid in RE2 but not in
 * JavaScript, so the pattern would differ in the console.
 */
function hasOpenFlags(source: string): boolean {
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '(' && !inClass && /^\(\?[a-zA-Z-]+\)/.test(source.slice(i, i + 12))) return true;
  }
  return false;
}
