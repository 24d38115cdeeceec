import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { CONFIG_LIMITS } from './bounds';
import { firstOf, isFollowable, MatchFollower, type Program } from './match-follower';

/**
 * Bound of one search: instructions of the pattern times length of the text. Measured at up to 50 ns a step for patterns made to
 * be slow, so one search holds the event loop for some 10 ms at worst and for microseconds as a rule.
 */
const STEPS_MAX = 200_000;
const PROGRAM_SIZE_MAX = 1000;
/** Classes of Unicode in one pattern: each is thousands of characters. */
const UNICODE_CLASSES_MAX = 50;

/** Instructions of the patterns that are kept, since validating and compiling a document asks for each more than once; about 10 MB. */
const KEPT_SIZE_MAX = 50_000;

/**
 * A pattern in RE2 syntax, searched in time linear to the text: no look-around and no back-references. The compiled form stays
 * private, so that two equal patterns compare equal.
 */
export class Pattern {
  readonly #regex: RE2JS;
  readonly #lengthMax: number;
  /** Where a match begins; null: the pattern is not followed. */
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

  /** Returns what is wrong with the pattern as a sentence, never throws. */
  static compile(source: string): Pattern | string {
    const known = compiled.get(source);
    if (known !== undefined) return known;
    const made = Pattern.make(source);
    compiled.set(source, made);
    return made;
  }

  private static make(source: string): Pattern | string {
    if (source.length > CONFIG_LIMITS.patternLengthMax) {
      return `A pattern has at most ${String(CONFIG_LIMITS.patternLengthMax)} characters.`;
    }
    if (hasOpenFlags(source)) {
      return 'Flags need a group, as in (?i:abc); a pattern cannot switch them for all that follows.';
    }
    if ((source.match(/\\[pP]/g)?.length ?? 0) > UNICODE_CLASSES_MAX) {
      return `A pattern has at most ${String(UNICODE_CLASSES_MAX)} classes of Unicode.`;
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
   * True when the pattern is found anywhere in the text. A text too long for the bound of a search counts as not found: a pattern
   * of 10 instructions (about as many characters) searches up to 20,000 UTF-16 units, one of 100 up to 2,000.
   */
  test(text: string): boolean {
    return text.length <= this.#lengthMax && this.#regex.test(text);
  }

  /** Instructions. */
  get size(): number {
    return this.#regex.programSize();
  }

  /** UTF-16 units of the longest text that one search may take. */
  get lengthMax(): number {
    return this.#lengthMax;
  }

  /** For a text that comes in pieces; null: nothing can be said before it is whole. */
  follow(): MatchFollower | null {
    return this.#first === null ? null : new MatchFollower(programOf(this.#regex), this.#first);
  }

  /**
   * The places where the pattern is found, from left to right and without overlaps; none for a text that is too long. Each one
   * costs up to a search of what is left of the text, so a caller that searches for many keeps the time.
   */
  *matches(text: string): Generator<{ readonly start: number; readonly end: number }> {
    if (text.length > this.#lengthMax) return;
    const matcher = this.#regex.matcher(text);
    while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
  }
}

const programOf = (regex: RE2JS): Program => regex.re2().prog as Program;

const compiled = new LRUCache<string, Pattern | string>({
  maxSize: KEPT_SIZE_MAX,
  sizeCalculation: (made, source) => source.length + (typeof made === 'string' ? 1 : made.size),
});

/** The pattern and the flags of a check's rule, which is bare or written as `/pattern/flags`. */
export function patternOfRule(rule: string): { readonly source: string; readonly flags: string } {
  const delimited = /^\/(.+)\/([a-z]*)$/s.exec(rule);
  const flags = [...new Set(delimited?.[2] ?? '')].filter((flag) => !'gu'.includes(flag)).join('');
  const source = delimited?.[1] ?? rule;
  return { source: flags === '' || !/^[ims]*$/.test(flags) ? source : `(?${flags}:${source})`, flags };
}

/** `(?i)` is RE2 but not JavaScript, so a pattern would mean different things in the console and here. */
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
