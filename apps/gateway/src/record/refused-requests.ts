import { MINUTE_MS } from '@gw/kernel';
import type { Log } from '@gw/web';
import type { RequestContext } from '../core/request-context';

/**
 * Log rows per minute for requests with one refused key, and with all keys of an organisation.
 * Requests without an owner count as one key.
 */
const KEY_ROWS_MAX = 60;
const ORGANISATION_ROWS_MAX = 300;
/**
 * Keys and organisations that are distinguished within a minute; requests of further ones get no
 * row.
 */
const COUNTED_MAX = 1_000;

/**
 * Why a request has no usable key. `ended`: a known key that is no longer valid. `unusable`: a
 * valid key that may not call providers, such as an organisation key.
 */
export type RefusalReason = 'missing' | 'unknown' | 'ended' | 'expired' | 'unusable' | 'other';

/**
 * Counts requests without a usable key. An attacker can send any number of them, so they get a
 * limited number of log rows and process log lines per minute; the counts include all.
 */
export class RefusedRequests {
  readonly counts = new Map<RefusalReason, number>();
  /** Number of requests without a log row. */
  unlogged = 0;
  private minute = -1;
  private readonly rows = new Map<string, number>();
  private reported = { minute: -1, counts: new Map<RefusalReason, number>(), unlogged: 0 };

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  /** Counts the request. Returns true if it gets a log row. */
  admits(context: RequestContext): boolean {
    const reason = reasonOf(context);
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + 1);
    const minute = Math.floor(context.startedWallMs / MINUTE_MS);
    if (minute > this.minute) {
      this.minute = minute;
      this.rows.clear();
    }
    const isLogged = this.takeRow(context);
    if (!isLogged) this.unlogged += 1;
    if (reason !== 'other') this.report(minute);
    return isLogged;
  }

  private takeRow({ principal, refusedKey }: RequestContext): boolean {
    const key = principal?.key ?? refusedKey;
    if (key === null) return this.take('', KEY_ROWS_MAX);
    return (
      this.take(`key ${key.id}`, KEY_ROWS_MAX) &&
      this.take(`organisation ${key.organisationId}`, ORGANISATION_ROWS_MAX)
    );
  }

  private take(name: string, max: number): boolean {
    const taken = this.rows.get(name) ?? 0;
    if (taken >= max || (taken === 0 && this.rows.size >= COUNTED_MAX)) return false;
    this.rows.set(name, taken + 1);
    return true;
  }

  /** Writes the counts since the last report, once a minute. */
  private report(minute: number): void {
    const { reported } = this;
    if (minute <= reported.minute) return;
    const since = [...this.counts].map(([reason, count]) => [
      reason,
      count - (reported.counts.get(reason) ?? 0),
    ]);
    this.log.warn(
      { ...Object.fromEntries(since), unlogged: this.unlogged - reported.unlogged },
      'refused requests without a usable key',
    );
    this.reported = { minute, counts: new Map(this.counts), unlogged: this.unlogged };
  }
}

/**
 * Whether the request had no usable key when it began. A request or a session that was ended because
 * its caller was withdrawn is none: its record includes charges, so it must be written.
 */
export const isRefused = ({ principal, reply, session }: RequestContext): boolean =>
  principal === null ||
  (reply.failure !== null && UNUSABLE.has(reply.failure.type) && !reply.isCut && session === null);

/** Failures of requests whose key is known and may not be used. */
const UNUSABLE: ReadonlySet<string> = new Set(['api_key_expired', 'api_key_invalid']);

function reasonOf({ reply, principal, refusedKey }: RequestContext): RefusalReason {
  const isKnown = principal !== null || refusedKey !== null;
  const type = reply.failure?.type;
  if (type === 'api_key_missing') return 'missing';
  if (type === 'api_key_expired') return 'expired';
  if (type === 'api_key_invalid') return isKnown ? 'ended' : 'unknown';
  return isKnown ? 'unusable' : 'other';
}
