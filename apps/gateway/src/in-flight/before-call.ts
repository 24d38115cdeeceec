import type { Journal } from '@gw/journal';
import { GatewayError } from '@gw/kernel';
import type { Upstream } from '../core/upstream';
import type { BeforeCall } from '../attempt/sender';
import type { RequestContext } from '../core/request-context';
import type { InFlightLog } from './in-flight-log';

/**
 * Fraction of the journal's cap that is reserved for records of requests in flight: requests under
 * strict audit are refused once less is free.
 */
const HEADROOM = 1 / 8;

export interface BeforeCallParts {
  readonly inFlight: Pick<InFlightLog, 'begin' | 'beginNow'>;
  readonly journal: Pick<Journal, 'accepts'>;
  readonly journalCapBytes: number;
}

/**
 * Writes a request to the in-flight log before a provider is called for it. In workspaces under
 * strict audit, a request is served only if that write succeeds and the journal accepts records;
 * otherwise this throws `log_unavailable`.
 */
export const createBeforeCall =
  ({ inFlight, journal, journalCapBytes }: BeforeCallParts): BeforeCall =>
  (context: RequestContext, upstream: Upstream | null): void => {
    if (context.principal?.strictAudit !== true) {
      inFlight.begin(context, upstream);
      return;
    }
    if (!journal.accepts(journalCapBytes * HEADROOM) || !inFlight.beginNow(context, upstream))
      throw new GatewayError('log_unavailable', { headers: { 'retry-after': '5' } });
  };
