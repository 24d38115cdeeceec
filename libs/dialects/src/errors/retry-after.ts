import { DAY_MS, durationMs, longestResetMs, requestedWaitMs } from '@gw/kernel';
import { asObject, asString, objectsOf } from '../values/json';
import type { JsonObject } from '../call';

type Headers = Readonly<Record<string, string>>;

/** Maximum delay; longer ones are cut. */
const RETRY_MAX_MS = DAY_MS;

/**
 * Returns after how many milliseconds from `now` (Unix milliseconds) a provider accepts the request
 * again; undefined when it does not say so. Header names are in lower case.
 */
export function retryAfterMs(headers: Headers, error: JsonObject | null, now: number): number | undefined {
  const header = (name: string): string | undefined => headers[name];
  const found = requestedWaitMs(header, now) ?? retryInfo(error) ?? longestResetMs(header, now);
  return found === null ? undefined : Math.min(found, RETRY_MAX_MS);
}

/** Reads Google's `RetryInfo`: `{ "retryDelay": "37s" }`. */
function retryInfo(error: JsonObject | null): number | null {
  for (const detail of objectsOf(asObject(error?.['error'])?.['details'])) {
    const delay = asString(detail['retryDelay']);
    if (delay !== null) return durationMs(delay);
  }
  return null;
}
