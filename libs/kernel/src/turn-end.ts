import { setImmediate } from 'node:timers';

/**
 * Puts work off to the end of the present turn of the event loop, and does all of a turn's together, in order: one look for many
 * requests, however many there are.
 */
export function atTurnEnd<T>(work: (item: T) => void): (item: T) => void {
  let items: T[] = [];
  const workAll = (): void => {
    const all = items;
    items = [];
    for (const item of all) work(item);
  };
  return (item) => {
    if (items.length === 0) setImmediate(workAll);
    items.push(item);
  };
}
