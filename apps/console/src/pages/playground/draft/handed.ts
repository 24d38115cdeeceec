import type { Replay } from './replay';

let pending: Replay | null = null;
let listener: ((replay: Replay) => void) | null = null;

/** Passes a request in memory to the open playground, or to the one that opens next. */
export function handReplay(replay: Replay): void {
  if (listener === null) pending = replay;
  else listener(replay);
}

/**
 * Calls `take` with each request passed to the playground, including a pending one. Returns a
 * function that unsubscribes it.
 */
export function onHanded(take: (replay: Replay) => void): () => void {
  listener = take;
  if (pending !== null) take(pending);
  pending = null;
  return () => {
    listener = null;
  };
}
