import { breathe, type Eventually } from '../eventually';

/** Characters of one step. Checks of ours need up to 1 µs for a character of a text made to be slow. */
const PIECE = 16_384;
const OVERLAP = 512;

/**
 * Goes through a text in pieces that begin and end between words where there is a gap, with other work of the event loop in
 * between; at once for a text of one piece. `overlapping`: what stands where a piece ends is seen whole in the next, too.
 */
export function overPieces<T>(
  text: string,
  first: T,
  step: (state: T, piece: string) => T,
  overlapping: boolean,
): Eventually<T> {
  return text.length <= PIECE ? step(first, text) : inPieces(text, first, step, overlapping ? OVERLAP : 0);
}

async function inPieces<T>(
  text: string,
  first: T,
  step: (state: T, piece: string) => T,
  overlap: number,
): Promise<T> {
  let state = first;
  for (let start = 0; start < text.length;) {
    const end = start + PIECE >= text.length ? text.length : gapBefore(text, start + PIECE);
    state = step(state, text.slice(start, end));
    if (end === text.length) break;
    start = overlap === 0 ? end : gapBefore(text, end - overlap);
    await breathe();
  }
  return state;
}

/** A place after white space, or where there is none nearby the position itself, so that no word is cut in two. */
export function gapBefore(text: string, position: number, nearby = 256): number {
  for (let at = position; at > position - nearby; at--) {
    if (/\s/.test(text[at - 1] ?? '')) return at;
  }
  return position;
}
