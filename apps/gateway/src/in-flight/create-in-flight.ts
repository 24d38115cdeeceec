import { RateLimitedReport, type Journal, type Sealer } from '@gw/journal';
import type { Log } from '@gw/web';
import type { LostUses } from '../usage/lost-use';
import type { BeforeCall } from '../attempt/sender';
import { createBeforeCall } from './before-call';
import { InFlightLog } from './in-flight-log';
import { lostRecord } from './lost-record';
import { RequestsInFlight } from './requests-in-flight';

export interface InFlightParts {
  readonly settings: { readonly JOURNAL_MAX_BYTES: number };
  /** The journal's folder, and the sealer of files there. */
  readonly home: { readonly directory: string; readonly sealer: Sealer };
  readonly journal: Journal;
  readonly log: Log;
  readonly gatewayId: string;
}

export interface InFlight {
  readonly requestsInFlight: RequestsInFlight;
  readonly inFlight: InFlightLog;
  readonly beforeCall: BeforeCall;
}

/**
 * Creates the list of in-flight requests, their log, and the writer that runs before each provider
 * call.
 */
export function createInFlight(parts: InFlightParts, uses: LostUses): InFlight {
  const { settings, home, journal, log, gatewayId } = parts;
  const requestsInFlight = new RequestsInFlight();
  const problems = new RateLimitedReport(({ count, message }) => {
    log.error({ count }, message);
  });
  const inFlight = new InFlightLog(
    requestsInFlight,
    (context, upstream) => lostRecord(context, upstream, uses, gatewayId),
    {
      ...home,
      onError: (error) => {
        problems.add('in-flight', 1, `Failed to write in-flight requests: ${String(error)}`);
      },
    },
  );
  const beforeCall = createBeforeCall({ inFlight, journal, journalCapBytes: settings.JOURNAL_MAX_BYTES });
  return { requestsInFlight, inFlight, beforeCall };
}
