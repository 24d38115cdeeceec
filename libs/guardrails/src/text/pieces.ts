import { inTurn, then, type Eventually } from '../eventually';
import type { Pace } from '../work';

/** Characters of one step. Checks of ours need up to 1 µs for a character of a text made to be slow. */
const PIECE = 16_384;
const OVERLAP = 512;
/** What a step costs besides its characters. */
const STEP_UNITS = 16;

/**
 * Goes through a text in pieces that begin and end between words where there is a gap, with other work of the event loop in
 * between; at once for a short text. `overlap`: characters of a piece that are seen in the next one, too.
 */
export function overPieces<T>(
  text: string,
  first: T,
  step: (state: T, piece: string) => T,
  { pace, overlap = 0 }: { readonly pace: Pace; readonly overlap?: number },
): Eventually<T> {
  return inTurn(piecesOf(text, overlap), first, (state, piece) =>
    then(pace.step(piece.length + STEP_UNITS), () => step(state, piece)),
  );
}

/** Enough to find a text across the end of a piece whole in the next one. */
export const OVERLAPPING = OVERLAP;

/** A text of one piece, or none, is one piece. */
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

/** As `overPieces`, by positions: for what looks around itself in the whole text. Each range ends where the next one begins. */
export function overRanges<T>(
  length: number,
  first: T,
  step: (state: T, from: number, to: number) => T,
  pace: Pace,
): Eventually<T> {
  return inTurn(rangesOf(length), first, (state, [from, to]) =>
    then(pace.step(to - from + STEP_UNITS), () => step(state, from, to)),
  );
}

function* rangesOf(length: number): Generator<readonly [number, number]> {
  for (let from = 0; from === 0 || from < length; from += PIECE) yield [from, Math.min(length, from + PIECE)];
}

/** A place after white space, or where there is none nearby the position itself, so that no word is cut in two. */
export function gapBefore(text: string, position: number, nearby = 256): number {
  for (let at = position; at > position - nearby; at--) {
    if (/\s/.test(text[at - 1] ?? '')) return at;
  }
  return position;
}
