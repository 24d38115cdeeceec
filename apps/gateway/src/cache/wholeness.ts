import { isEventStream, type ResponseCheck } from '@gw/cache';
import type { RouteKind } from '@gw/contracts';
import { codingOf, decodeNow } from '@gw/outbound';
import type { JsonObject, StreamTap } from '@gw/providers';
import { contentTypeOf, valueOf } from '../http/header-rules';
import { RESPONSE_READ_WHOLE, exceededBy } from '../bodies/read-whole';
import type { Upstream } from '../core/upstream';
import { hasError } from '../attempt/response-check';

/**
 * Returns the check that a 2xx response is a complete success: a 200 may hold an error, end early,
 * or report work still in progress. Null when the response cannot be checked, so that it must not
 * be stored. `bytesMax`: the maximum length of JSON once it is decoded.
 */
export function checkOf(
  route: RouteKind,
  { provider }: Upstream,
  headers: readonly string[],
  bytesMax: number,
): ResponseCheck | null {
  const encoding = valueOf(headers, 'content-encoding');
  const isPlain = encoding === undefined || encoding === 'identity';
  if (isEventStream(headers)) return isPlain ? new EventsCheck(provider.tap()) : null;
  if (contentTypeOf(headers)?.includes('json') !== true) return new BodyCheck(null);
  if (isPlain) return new BodyCheck((body) => isSuccess(body, route));
  const coding = codingOf(encoding);
  if (coding === null) return null;
  return new BodyCheck((body) => {
    const decoded = decodeNow(body, coding, bytesMax);
    return decoded !== null && isSuccess(decoded, route);
  });
}

class EventsCheck implements ResponseCheck {
  constructor(private readonly tap: StreamTap) {}

  write(chunk: Buffer): void {
    this.tap.write(chunk);
  }

  isWhole(): boolean {
    return this.tap.complete && !this.tap.failed;
  }
}

class BodyCheck implements ResponseCheck {
  /** `holds` is null for a body that is not JSON and is not inspected. */
  constructor(private readonly holds: ((body: Buffer) => boolean) | null) {}

  write(): void {
    // The framing of HTTP tells whether a plain body is whole.
  }

  isWhole(chunks: readonly Buffer[]): boolean {
    return this.holds === null || this.holds(Buffer.concat(chunks));
  }
}

const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'failed', 'cancelled']);
/** Routes whose responses may report work still in progress. */
const RUNS_LATER: ReadonlySet<RouteKind> = new Set(['responses', 'passthrough']);

function isSuccess(body: Buffer, route: RouteKind): boolean {
  if (exceededBy(body, RESPONSE_READ_WHOLE) !== null) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return false;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return true;
  return !hasError(parsed) && !(RUNS_LATER.has(route) && UNFINISHED.has((parsed as JsonObject)['status']));
}
