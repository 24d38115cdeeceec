/**
 * A value that most of the time is there at once. What has nothing to wait for stays in the same turn and costs no promise, which
 * is most guardrails.
 */
export type Eventually<T> = T | Promise<T>;

export const then = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** As `Promise.all`, at once when nothing has to be waited for. */
export function together<T>(values: readonly Eventually<T>[]): Eventually<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}

/** One step after the other, each with what the one before it has made. */
export function inTurn<T, S>(
  items: readonly T[],
  first: S,
  step: (state: S, item: T) => Eventually<S>,
): Eventually<S> {
  let state = first;
  for (let index = 0; index < items.length; index++) {
    const next = step(state, items[index] as T);
    if (next instanceof Promise) {
      return next.then((reached) => inTurn(items.slice(index + 1), reached, step));
    }
    state = next;
  }
  return state;
}

/** Lets other work of the event loop go first. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
