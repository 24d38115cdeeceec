import type { Journal } from '@gw/journal';
import { GatewayError } from '@gw/kernel';
import type { Upstream } from '../core/upstream';
import type { BeforeCall } from '../attempt/sender';
import type { RequestContext } from '../core/request-context';
import type { InFlightLog } from './in-flight-log';

/** Of the journal's cap: left for the records of requests that are in flight when strict ones are no longer taken. */
const HEADROOM = 1 / 8;

export interface BeforeCallParts {
  readonly inFlight: Pick<InFlightLog, 'begin' | 'beginNow'>;
  readonly journal: Pick<Journal, 'accepts'>;
  readonly journalCapBytes: number;
}

/**
 * Notes a request before a provider is called for it. Workspaces under strict audit are served only while that works and the journal
 * takes records: `log_unavailable` otherwise.
 */
export const createBeforeCall =
  ({ inFlight, journal, journalCapBytes }: BeforeCallParts): BeforeCall =>
  (context: RequestContext, upstream: Upstream): void => {
    if (context.principal?.strictAudit !== true) {
      inFlight.begin(context, upstream);
      return;
    }
    if (!journal.accepts(journalCapBytes * HEADROOM) || !inFlight.beginNow(context, upstream))
      throw new GatewayError('log_unavailable', { headers: { 'retry-after': '5' } });
  };
