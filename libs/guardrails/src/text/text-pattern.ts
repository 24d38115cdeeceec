import { Pattern, patternOfRule } from '@gw/config-schema';
import { CheckError } from '../check';
import { then, type Eventually } from '../eventually';
import type { Pace } from '../work';
import { gapBefore } from './pieces';

export interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Maximum overlap of two pieces of a long text, in characters. A longer match may be missed in a
 * text that is too long for one search. Large patterns have smaller pieces, of which a quarter
 * overlaps.
 */
const OVERLAP_MAX = 1_024;
/**
 * Bound of one search for all matches in a piece of a stream: instructions of the pattern times
 * characters read.
 */
const STEPS_AT_ONCE = 400_000;
const PLACES_MAX = 10_000;
/** Units of work of a search of as many characters as the pattern can search at once. */
const SEARCH_UNITS = 10_000;

/**
 * A user's pattern over texts of any length, in linear time (RE2 syntax).
 * One step blocks the event loop for about 10 ms in the worst case, and usually for microseconds. A
 * longer text is searched in pieces, so that other work runs in between.
 */
export class TextPattern {
  private constructor(
    private readonly pattern: Pattern,
    private readonly anchors: Anchors,
  ) {}

  /**
   * Compiles `pattern` or `/pattern/flags` with the flags i, m and s (g and u have no effect).
   * Returns a sentence that says why when the pattern is invalid.
   */
  static compile(rule: string): TextPattern | string {
    const { source, flags } = patternOfRule(rule);
    if (!/^[ims]*$/.test(flags)) return `The flags ${flags} are not supported; use i, m and s.`;
    const pattern = Pattern.compile(source);
    if (typeof pattern === 'string') return pattern;
    const anchors = anchorsOf(flags === '' ? source : source.slice(flags.length + 3, -1));
    // In multiline mode every line has both ends.
    return new TextPattern(pattern, flags.includes('m') && anchors !== 'none' ? 'both' : anchors);
  }

  /**
   * Returns whether the pattern matches anywhere. Throws `CheckError` for a text too long for an
   * anchored pattern.
   */
  found(text: string, pace: Pace): Eventually<boolean> {
    if (text.length > this.pattern.lengthMax) return this.foundInPieces(this.pieces(text), pace);
    return then(pace.step(this.unitsOf(text.length)), () => this.pattern.test(text));
  }

  /** Returns all matches in order, without overlaps; synchronously if that is fast. */
  places(text: string, pace: Pace): Eventually<readonly Place[]> {
    return then(pace.step(this.unitsOf(text.length)), () => {
      const { places } = this.quickPlaces(text);
      if (!places) return this.placesInPieces(text, pace);
      // Each match was found by a search of the text after the previous one.
      return then(pace.step((places.length * this.unitsOf(text.length)) / 2), () => places);
    });
  }

  /**
   * Returns the units of a search; one of `lengthMax` characters takes a turn of the event loop.
   */
  private unitsOf(length: number): number {
    return 1 + (Math.min(length, this.pattern.lengthMax) * SEARCH_UNITS) / this.pattern.lengthMax;
  }

  /**
   * Like `places`, but always synchronous, for pieces of a stream. When finding all matches takes
   * too long, the rest of the text is one match.
   */
  placesNow(text: string): readonly Place[] {
    const all: Place[] = [];
    for (const [start, piece] of this.everyPiece(text)) {
      const { places, before } = this.quickPlaces(piece);
      for (const place of places ?? before)
        addPlace(all, { start: start + place.start, end: start + place.end });
      if (!places) return [...all, { start: all.at(-1)?.end ?? 0, end: text.length }];
    }
    return all;
  }

  /**
   * Creates a follower that reports where a match may be open in a text that arrives in pieces;
   * null when it cannot tell.
   */
  follow(): ReturnType<Pattern['follow']> {
    return this.pattern.follow();
  }

  /**
   * Returns all matches as `places`; null when finding all of them takes too long. `before` then
   * has the matches that were found in time.
   */
  private quickPlaces(text: string): {
    readonly places: readonly Place[] | null;
    readonly before: readonly Place[];
  } {
    if (text.length > this.pattern.lengthMax) return { places: null, before: [] };
    // `lengthMax` is the bound of one search over the pattern's instructions.
    const costOfCharacter = 200_000 / this.pattern.lengthMax;
    // Testing for a match is much faster than locating it.
    if (!this.pattern.test(text)) return { places: [], before: [] };
    const places: Place[] = [];
    let steps = 0;
    for (const place of this.pattern.matches(text)) {
      if (place.end === place.start) continue;
      steps += (text.length - (places.at(-1)?.end ?? 0)) * costOfCharacter;
      if (steps > STEPS_AT_ONCE) return { places: null, before: places };
      places.push(place);
    }
    return { places, before: places };
  }

  private async placesInPieces(text: string, pace: Pace): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (const [start, piece] of this.pieces(text)) {
      await pace.step(this.unitsOf(piece.length));
      let since = performance.now();
      for (const place of this.pattern.matches(piece)) {
        if (place.end > place.start) addPlace(places, { start: start + place.start, end: start + place.end });
        if (places.length > PLACES_MAX) throw new CheckError('The pattern matches too often.');
        if (performance.now() - since < 5) continue;
        await pace.step(SEARCH_UNITS);
        since = performance.now();
      }
    }
    return places;
  }

  private async foundInPieces(pieces: Iterable<readonly [number, string]>, pace: Pace): Promise<boolean> {
    for (const [, piece] of pieces) {
      await pace.step(this.unitsOf(piece.length));
      if (this.pattern.test(piece)) return true;
    }
    return false;
  }

  private pieces(text: string): Iterable<readonly [number, string]> {
    const { lengthMax } = this.pattern;
    if (text.length <= lengthMax) return [[0, text]];
    switch (this.anchors) {
      case 'none':
        return this.everyPiece(text);
      case 'start':
        return [[0, text.slice(0, lengthMax)]];
      case 'end':
        return [[text.length - lengthMax, text.slice(-lengthMax)]];
      case 'both':
        throw new CheckError(
          `The text is longer than the ${String(lengthMax)} characters that this pattern can search.`,
        );
    }
  }

  private *everyPiece(text: string): Generator<readonly [number, string]> {
    const { lengthMax } = this.pattern;
    const overlap = Math.min(OVERLAP_MAX, Math.floor(lengthMax / 4));
    for (let start = 0; start < text.length;) {
      const isLast = start + lengthMax >= text.length;
      const end = isLast ? text.length : gapBefore(text, start + lengthMax, overlap / 2);
      yield [start, text.slice(start, end)];
      if (isLast) return;
      start = gapBefore(text, end - overlap, overlap / 2);
    }
  }
}

/**
 * Adds a match. Pieces overlap: a match found before is not added again, and of two overlapping
 * ones the longer reach is kept.
 */
function addPlace(places: Place[], place: Place): void {
  const last = places.at(-1);
  if (!last || place.start >= last.end) places.push(place);
  else if (place.end > last.end) places[places.length - 1] = { start: last.start, end: place.end };
}

/**
 * Which ends of the text a pattern is anchored to. A piece of a text may have one of these ends, or
 * none.
 */
type Anchors = 'none' | 'start' | 'end' | 'both';

function anchorsOf(source: string): Anchors {
  const { positions, hasAlternatives } = anchorPositions(source);
  const [position, ...others] = positions;
  if (position === undefined) return 'none';
  // With alternatives an anchor applies to only one of them.
  if (others.length > 0 || hasAlternatives) return 'both';
  if (position === 0) return /^(?:\^|\\A)/.test(source) ? 'start' : 'both';
  return /(?:\$|\\z)$/.test(source) && position >= source.length - 2 ? 'end' : 'both';
}

/** Returns the anchors outside character classes; an escaped one is a plain character. */
function anchorPositions(source: string): {
  readonly positions: readonly number[];
  readonly hasAlternatives: boolean;
} {
  const positions: number[] = [];
  let hasAlternatives = false;
  let inClass = false;
  for (const { 0: token, index } of source.matchAll(/\\[\s\S]|[[\]^$|]/g)) {
    if (token === '[' || token === ']') inClass = token === '[';
    else if (inClass) continue;
    else if (token === '|') hasAlternatives = true;
    else if (/^(?:[$^]|\\[AzZ])$/.test(token)) positions.push(index);
  }
  return { positions, hasAlternatives };
}
