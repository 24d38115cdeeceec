import { setImmediate } from 'node:timers';

/** Work that must be over before anything else that is put off to the end of the turn. */
let first: (() => void)[] = [];

function workFirst(): void {
  if (first.length === 0) return;
  const all = first;
  first = [];
  for (const work of all) work();
}

/**
 * Runs `work` once at the end of the present turn of the event loop, before everything that `atTurnEnd` puts off to the same end,
 * however early that was. It must not throw.
 */
export function firstAtTurnEnd(work: () => void): void {
  if (first.length === 0) setImmediate(workFirst);
  first.push(work);
}

/**
 * Puts work off to the end of the present turn of the event loop, and does all of a turn's together, in order: one look for many
 * requests, however many there are.
 */
export function atTurnEnd<T>(work: (item: T) => void): (item: T) => void {
  let items: T[] = [];
  const workAll = (): void => {
    workFirst();
    const all = items;
    items = [];
    for (const item of all) work(item);
  };
  return (item) => {
    if (items.length === 0) setImmediate(workAll);
    items.push(item);
  };
}
