import { LRUCache } from 'lru-cache';

/** How long an answer or a failure serves all who ask for the URL. */
const KEPT_MS = 10_000;
const BYTES_MAX = 33_554_432;
const ENTRY_BYTES = 1_024;

interface Options<T> {
  readonly sizeOf: (answer: T) => number;
  readonly now?: () => number;
}

type Outcome<T> = { readonly answer: T } | { readonly error: unknown };

/**
 * Reads each URL once in ten seconds at most, however many organisations ask for it: all who ask in that time get what the first got,
 * failures too.
 */
export function sharedReads<T>(
  read: (url: string) => Promise<T>,
  { sizeOf, now = Date.now }: Options<T>,
): (url: string) => Promise<T> {
  const running = new Map<string, Promise<Outcome<T>>>();
  const kept = new LRUCache<string, { readonly outcome: Outcome<T>; readonly until: number }>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ outcome }) => ENTRY_BYTES + ('answer' in outcome ? sizeOf(outcome.answer) : 0),
  });
  const begin = (url: string): Promise<Outcome<T>> => {
    const reading = read(url)
      .then(
        (answer): Outcome<T> => ({ answer }),
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
    return outcome.answer;
  };
}
