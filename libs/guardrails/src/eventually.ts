/**
 * A value that is usually available synchronously. Most guardrails have nothing to wait for, so
 * they stay in the same turn and cost no promise.
 */
export type Eventually<T> = T | Promise<T>;

export const then = <T, U>(value: Eventually<T>, next: (value: T) => Eventually<U>): Eventually<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Like `Promise.all`, but synchronous when nothing must be waited for. */
export function together<T>(values: readonly Eventually<T>[]): Eventually<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}

/**
 * Runs steps in order, each with the state that the previous one returned. Returns the last state;
 * a promise only if a step must wait.
 */
export function reduceInOrder<T, S>(
  items: Iterable<T>,
  first: S,
  step: (state: S, item: T) => Eventually<S>,
): Eventually<S> {
  const rest = items[Symbol.iterator]();
  let state = first;
  for (let item = rest.next(); item.done !== true; item = rest.next()) {
    const next = step(state, item.value);
    if (next instanceof Promise) return resume(rest, next, step);
    state = next;
  }
  return state;
}

async function resume<T, S>(
  rest: Iterator<T>,
  reached: Promise<S>,
  step: (state: S, item: T) => Eventually<S>,
): Promise<S> {
  let state: S | Awaited<S> = await reached;
  for (let item = rest.next(); item.done !== true; item = rest.next()) {
    const next = step(state, item.value);
    state = next instanceof Promise ? await next : next;
  }
  return state;
}
