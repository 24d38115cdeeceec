const SECONDS = /^\d{1,12}(?:\.\d{1,6})?$/;
/** The three date forms of RFC 9110: `Sun, 06 Nov 1994 …`, `Sunday, 06-Nov-94 …`, `Sun Nov  6 …`. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const HAS_ZONE = / (?:GMT|UTC)$/;

/**
 * How long an answer asks to be left alone, in milliseconds: `retry-after-ms`, else `x-ms-retry-after-ms`, else `retry-after` in
 * seconds or as an HTTP date (a past one is 0). Null when no header says so in a form that can be read.
 */
export function retryAfterMs(header: (name: string) => string | undefined, nowMs: number): number | null {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const text = header(name)?.trim();
    if (text !== undefined && SECONDS.test(text)) return Math.ceil(Number(text));
  }
  const text = header('retry-after')?.trim();
  if (text === undefined) return null;
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form names no zone; like the others it is in UTC.
  const at = Date.parse(HAS_ZONE.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
