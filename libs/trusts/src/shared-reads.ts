import { LRUCache } from 'lru-cache';

/** Milliseconds for which the content of a URL, or the failure to read it, is reused. */
const KEPT_MS = 10_000;
const BYTES_MAX = 33_554_432;
const ENTRY_BYTES = 1_024;

interface Options<T> {
  readonly sizeOf: (content: T) => number;
  readonly now?: () => number;
}

type Outcome<T> = { readonly content: T } | { readonly error: unknown };

/**
 * Returns a function that reads each URL at most once in ten seconds for all organisations.
 * Requests within that time share the content or the failure of the first one. It keeps up to 32
 * MiB and drops the least recently used URLs beyond that.
 */
export function sharedReads<T>(
  read: (url: string) => Promise<T>,
  { sizeOf, now = Date.now }: Options<T>,
): (url: string) => Promise<T> {
  const running = new Map<string, Promise<Outcome<T>>>();
  const kept = new LRUCache<string, { readonly outcome: Outcome<T>; readonly until: number }>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ outcome }) => ENTRY_BYTES + ('content' in outcome ? sizeOf(outcome.content) : 0),
  });
  const begin = (url: string): Promise<Outcome<T>> => {
    const reading = read(url)
      .then(
        (content): Outcome<T> => ({ content }),
        (error: unknown): Outcome<T> => ({ error }),
      )
      .then((outcome) => {
        running.delete(url);
        kept.set(url, { outcome, until: now() + KEPT_MS });
        return outcome;
      });
    running.set(url, reading);
    return reading;
  };
  return async (url) => {
    const known = kept.get(url);
    const outcome =
      known !== undefined && known.until > now() ? known.outcome : await (running.get(url) ?? begin(url));
    if ('error' in outcome) throw outcome.error;
    return outcome.content;
  };
}
