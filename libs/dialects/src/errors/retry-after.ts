import { asObject, asString, objectsOf } from '../values/json';
import type { JsonObject } from '../call';

type Headers = Readonly<Record<string, string>>;

/** Maximum delay; longer ones are ignored. */
const RETRY_MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Returns after how many milliseconds from `now` (Unix milliseconds) a provider accepts the request
 * again; undefined when it does not say so. Header names are in lower case.
 */
export function retryAfterMs(headers: Headers, error: JsonObject | null, now: number): number | undefined {
  const found =
    milliseconds(headers['retry-after-ms']) ??
    milliseconds(headers['x-ms-retry-after-ms']) ??
    retryAfter(headers['retry-after'], now) ??
    retryInfo(error) ??
    resetOf(headers, now);
  return found === undefined ? undefined : Math.min(Math.max(0, Math.round(found)), RETRY_MAX_MS);
}

const DECIMAL = /^\d{1,12}(?:\.\d{1,9})?$/;

const milliseconds = (text: string | undefined): number | undefined =>
  text !== undefined && DECIMAL.test(text.trim()) ? Number(text) : undefined;

/** Reads `Retry-After`: seconds, or an HTTP date. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (DECIMAL.test(text.trim())) return Number(text) * 1000;
  return untilDate(text, now);
}

function untilDate(text: string, now: number): number | undefined {
  const at = text.length > 64 ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at - now;
}

/** Reads Google's `RetryInfo`: `{ "retryDelay": "37s" }`. */
function retryInfo(error: JsonObject | null): number | undefined {
  for (const detail of objectsOf(asObject(error?.['error'])?.['details'])) {
    const delay = asString(detail['retryDelay']);
    if (delay !== null) return duration(delay);
  }
  return undefined;
}

const DURATION =
  /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000, 1] as const;

/** Reads a duration such as `1m2.5s` or `20ms`. */
function duration(text: string): number | undefined {
  const match = text.length > 64 || text === '' ? null : DURATION.exec(text);
  if (match === null) return undefined;
  let total = 0;
  UNITS_MS.forEach((unit, index) => {
    total += Number(match[index + 1] ?? 0) * unit;
  });
  return total;
}

const OPENAI = 'x-ratelimit-reset-';
const ANTHROPIC = 'anthropic-ratelimit-';

/** Returns the time until an exhausted limit is reset. Ignores limits that are not exhausted. */
function resetOf(headers: Headers, now: number): number | undefined {
  let longest: number | undefined;
  for (const [name, value] of Object.entries(headers)) {
    const until = untilReset(headers, name, value, now) ?? -1;
    if (until >= 0 && until > (longest ?? -1)) longest = until;
  }
  return longest;
}

function untilReset(headers: Headers, name: string, value: string, now: number): number | undefined {
  const isLeft = (limit: string): boolean => Number(headers[limit] ?? 0) > 0;
  if (name.startsWith(OPENAI)) {
    if (isLeft(`x-ratelimit-remaining-${name.slice(OPENAI.length)}`)) return undefined;
    return duration(value) ?? retryAfter(value, now);
  }
  if (!name.startsWith(ANTHROPIC) || !name.endsWith('-reset')) return undefined;
  return isLeft(`${name.slice(0, -'reset'.length)}remaining`) ? undefined : untilDate(value, now);
}
