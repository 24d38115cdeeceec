import { reduceInOrder, then, type Eventually } from '../eventually';
import type { Pace } from '../work';

/**
 * Maximum characters of one step. Checks take up to 1 µs per character of a text that is designed
 * to be slow.
 */
const PIECE = 16_384;
const OVERLAP = 512;
/** Fixed cost of a step, in units of work. */
const STEP_UNITS = 16;

/**
 * Calls `step` with the state and each piece of a text, and returns the last state. Other work of
 * the event loop runs between pieces; a short text is one piece. Pieces start and end between words
 * if there is white space nearby. `overlap` is the number of characters of a piece that the next
 * one repeats.
 */
export function overPieces<T>(
  text: string,
  first: T,
  step: (state: T, piece: string) => T,
  { pace, overlap = 0 }: { readonly pace: Pace; readonly overlap?: number },
): Eventually<T> {
  return reduceInOrder(piecesOf(text, overlap), first, (state, piece) =>
    then(pace.step(piece.length + STEP_UNITS), () => step(state, piece)),
  );
}

/**
 * Overlap with which the next piece contains the whole of a phrase that the end of a piece cuts.
 */
export const OVERLAPPING = OVERLAP;

/** Returns the pieces of a text; a short or empty text is one piece. */
export function piecesOf(text: string, overlap = 0): Iterable<string> {
  return text.length <= PIECE ? [text] : cut(text, overlap);
}

function* cut(text: string, overlap: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + PIECE >= text.length ? text.length : gapBefore(text, start + PIECE);
    yield text.slice(start, end);
    if (end === text.length) return;
    start = overlap === 0 ? end : gapBefore(text, end - overlap);
  }
}

/**
 * Like `overPieces`, but by positions, for steps that look around in the whole text. Each range
 * ends where the next one starts.
 */
export function overRanges<T>(
  length: number,
  first: T,
  step: (state: T, from: number, to: number) => T,
  pace: Pace,
): Eventually<T> {
  return reduceInOrder(rangesOf(length), first, (state, [from, to]) =>
    then(pace.step(to - from + STEP_UNITS), () => step(state, from, to)),
  );
}

function* rangesOf(length: number): Generator<readonly [number, number]> {
  for (let from = 0; from === 0 || from < length; from += PIECE) yield [from, Math.min(length, from + PIECE)];
}

/**
 * Returns a position after white space, or the position itself if there is none nearby, so that no
 * word is cut.
 */
export function gapBefore(text: string, position: number, nearby = 256): number {
  for (let at = position; at > position - nearby; at--) {
    if (/\s/.test(text[at - 1] ?? '')) return at;
  }
  return position;
}
