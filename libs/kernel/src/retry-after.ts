import { DAY_MS, HOUR_MS, MINUTE_MS } from './units';

const SECONDS = /^\d{1,12}(?:\.\d{1,6})?$/;
/**
 * The three date forms of RFC 9110: `Sun, 06 Nov 1994 …`, `Sunday, 06-Nov-94 …`, `Sun Nov  6 …`.
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const HAS_ZONE = / (?:GMT|UTC)$/;

/** Durations as OpenAI and others write them: `6m0s`, `1h2m3.5s`, `20ms`, `1d`. */
const DURATION =
  /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const UNITS_MS = [DAY_MS, HOUR_MS, MINUTE_MS, 1_000, 1] as const;
/** Maximum length of a text that is read as a date or a duration. */
const LENGTH_MAX = 64;
const ISO_DATE = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
const MOMENT_MS = /^\d{13}$/;
/** A number of seconds from here on can only be a point in time: 2001, or 31 years from now. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/** Returns the value of a response's header, by its name in lower case. */
type Header = (name: string) => string | undefined;

/**
 * Returns how long a response asks the caller to wait, in milliseconds. With status 429 and no such
 * request, returns the longest reset time of the limits that are used up. Null when no header is
 * readable.
 */
export function retryAfterMs(header: Header, nowMs: number, status: number | null = null): number | null {
  const waitMs = requestedWaitMs(header, nowMs);
  return waitMs === null && status === 429 ? longestResetMs(header, nowMs) : waitMs;
}

/**
 * Returns the milliseconds in `retry-after-ms`, else in `x-ms-retry-after-ms`, else in
 * `retry-after`, which has seconds or an HTTP date (0 for a past one). Null when none is readable.
 */
export function requestedWaitMs(header: Header, nowMs: number): number | null {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const text = header(name)?.trim();
    if (text !== undefined && SECONDS.test(text)) return Math.ceil(Number(text));
  }
  const text = header('retry-after')?.trim();
  return text === undefined ? null : retryAfterOf(text, nowMs);
}

function retryAfterOf(text: string, nowMs: number): number | null {
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  if (text.length > LENGTH_MAX || !HTTP_DATE.test(text)) return null;
  // The oldest form has no zone; like the others it is in UTC.
  return until(HAS_ZONE.test(text) ? text : `${text} GMT`, nowMs);
}

function until(date: string, nowMs: number): number | null {
  const at = Date.parse(date);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/**
 * Headers that report a limit: when it resets, and what is left of it. Some providers report limits
 * of several windows.
 */
const LIMITS: readonly (readonly [reset: string, remaining: string])[] = [
  ...['requests', 'tokens'].flatMap((unit) =>
    ['', '-minute', '-hour', '-day'].map(
      (window) => [`x-ratelimit-reset-${unit}${window}`, `x-ratelimit-remaining-${unit}${window}`] as const,
    ),
  ),
  ['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-requests-remaining'],
  ['anthropic-ratelimit-tokens-reset', 'anthropic-ratelimit-tokens-remaining'],
  ['anthropic-ratelimit-input-tokens-reset', 'anthropic-ratelimit-input-tokens-remaining'],
  ['anthropic-ratelimit-output-tokens-reset', 'anthropic-ratelimit-output-tokens-remaining'],
  ['x-ratelimit-reset', 'x-ratelimit-remaining'],
  ['ratelimit-reset', 'ratelimit-remaining'],
];

/**
 * Returns the milliseconds until the last of the used-up limits is reset; null when no header has
 * one. A limit that does not report what is left may be used up.
 */
export function longestResetMs(header: Header, nowMs: number): number | null {
  let longest: number | null = null;
  for (const [resetName, remainingName] of LIMITS) {
    const text = header(resetName)?.trim();
    if (text === undefined || Number(header(remainingName)?.trim() ?? 0) > 0) continue;
    const waitMs = resetMs(text, nowMs);
    if (waitMs !== null && (longest === null || waitMs > longest)) longest = waitMs;
  }
  return longest;
}

function resetMs(text: string, nowMs: number): number | null {
  if (SECONDS.test(text) || MOMENT_MS.test(text)) {
    const seconds = Number(text);
    // Some providers send the point in time in milliseconds.
    const atMs = seconds >= EPOCH_SECONDS_MIN * 1000 ? seconds : seconds * 1000;
    return seconds < EPOCH_SECONDS_MIN ? Math.ceil(seconds * 1000) : Math.max(0, Math.ceil(atMs - nowMs));
  }
  if (ISO_DATE.test(text)) return until(text, nowMs);
  return durationMs(text);
}

/** Returns the milliseconds in a duration such as `1m2.5s` or `20ms`; null for other texts. */
export function durationMs(text: string): number | null {
  const match = text === '' || text.length > LENGTH_MAX ? null : DURATION.exec(text);
  if (match === null) return null;
  return Math.ceil(UNITS_MS.reduce((total, unit, at) => total + Number(match[at + 1] ?? 0) * unit, 0));
}
