import type { Replay } from './replay';

let pending: Replay | null = null;
let listener: ((replay: Replay) => void) | null = null;

/** Gives a request to the playground that is open, or that opens next. In memory alone. */
export function handReplay(replay: Replay): void {
  if (listener === null) pending = replay;
  else listener(replay);
}

/** Takes requests that are handed to the playground while it is open. Returns a function that stops it. */
export function onHanded(take: (replay: Replay) => void): () => void {
  listener = take;
  if (pending !== null) take(pending);
  pending = null;
  return () => {
    listener = null;
  };
}
