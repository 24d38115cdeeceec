const SECONDS = /^\d{1,12}(?:\.\d{1,6})?$/;
/**
 * The three date forms of RFC 9110: `Sun, 06 Nov 1994 …`, `Sunday, 06-Nov-94 …`, `Sun Nov  6 …`.
 */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const HAS_ZONE = / (?:GMT|UTC)$/;

/** Durations as OpenAI and others write them: `6m0s`, `1h2m3.5s`, `20ms`. */
const DURATION =
  /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,6})?)s)?(?:(\d{1,9}(?:\.\d{1,6})?)ms)?$/;
const ISO_DATE = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
const MOMENT_MS = /^\d{13}$/;
/** A number of seconds from here on can only be a point in time: 2001, or 31 years from now. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

type Header = (name: string) => string | undefined;

/**
 * Returns how long a response asks the caller to wait, in milliseconds.
 * Reads `retry-after-ms`, else `x-ms-retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date (0 for a past one). With status 429 and none of these, returns the longest reset time of the
 * limits that are used up. Null when no header is readable.
 */
export function retryAfterMs(header: Header, nowMs: number, status: number | null = null): number | null {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const text = header(name)?.trim();
    if (text !== undefined && SECONDS.test(text)) return Math.ceil(Number(text));
  }
  const text = header('retry-after')?.trim();
  const waitMs = text === undefined ? null : retryAfterOf(text, nowMs);
  return waitMs === null && status === 429 ? longestReset(header, nowMs) : waitMs;
}

function retryAfterOf(text: string, nowMs: number): number | null {
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form has no zone; like the others it is in UTC.
  return until(HAS_ZONE.test(text) ? text : `${text} GMT`, nowMs);
}

function until(date: string, nowMs: number): number | null {
  const at = Date.parse(date);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** Headers that report a limit: when it resets, and what is left of it. */
const LIMITS: readonly (readonly [reset: string, remaining: string])[] = [
  ['x-ratelimit-reset-requests', 'x-ratelimit-remaining-requests'],
  ['x-ratelimit-reset-tokens', 'x-ratelimit-remaining-tokens'],
  ['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-requests-remaining'],
  ['anthropic-ratelimit-tokens-reset', 'anthropic-ratelimit-tokens-remaining'],
  ['anthropic-ratelimit-input-tokens-reset', 'anthropic-ratelimit-input-tokens-remaining'],
  ['anthropic-ratelimit-output-tokens-reset', 'anthropic-ratelimit-output-tokens-remaining'],
  ['x-ratelimit-reset', 'x-ratelimit-remaining'],
  ['ratelimit-reset', 'ratelimit-remaining'],
];

/**
 * Returns the longest reset of the used-up limits. A limit that does not report what is left may be
 * used up.
 */
function longestReset(header: Header, nowMs: number): number | null {
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
  const match = text === '' ? null : DURATION.exec(text);
  if (!match) return null;
  const [hours, minutes, seconds, ms] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.ceil((hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1000 + (ms ?? 0));
}
