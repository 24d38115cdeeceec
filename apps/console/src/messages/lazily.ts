/**
 * A value that is made when it is first needed. Formats of `Intl` take milliseconds each, which the
 * first paint would wait for.
 */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
