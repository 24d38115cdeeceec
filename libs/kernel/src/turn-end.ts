import { setImmediate } from 'node:timers';

/** Work that runs before all other work at the end of the turn. */
let first: (() => void)[] = [];

function runFirst(): void {
  if (first.length === 0) return;
  const all = first;
  first = [];
  for (const work of all) run(work);
}

/** Runs one item. Its exception is thrown as uncaught, after the others were processed. */
function run(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}

/**
 * Runs `work` at the end of the current turn of the event loop, before all work that `atTurnEnd`
 * has deferred to it.
 */
export function firstAtTurnEnd(work: () => void): void {
  if (first.length === 0) setImmediate(runFirst);
  first.push(work);
}

/**
 * Returns a function that defers items to the end of the current turn of the event loop, where
 * `work` processes all items of the turn in order. Many requests of a turn can share one operation
 * in this way.
 */
export function atTurnEnd<T>(work: (item: T) => void): (item: T) => void {
  let items: T[] = [];
  const runAll = (): void => {
    runFirst();
    const all = items;
    items = [];
    for (const item of all) run(() => work(item));
  };
  return (item) => {
    if (items.length === 0) setImmediate(runAll);
    items.push(item);
  };
}
