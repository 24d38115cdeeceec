import type { Journal } from '@gw/journal';
import type { GatewayError } from '@gw/kernel';
import type { InFlightLog } from '../in-flight/in-flight-log';
import { unsettledRecord } from '../in-flight/lost-record';
import type { Accounts } from '../limits/accounts';
import type { ChargesAlone } from '../record/charges-alone';
import { lineOf } from '../usage/charges';
import type { UsageEstimate } from '../usage/estimates';
import type { LostUse, LostUses } from '../usage/lost-use';
import type { Faults } from './faults';
import type { RequestContext } from './request-context';

export interface UnsettledRequestsParts {
  readonly journal: Pick<Journal, 'append'>;
  readonly accounts: Pick<Accounts, 'settleEstimated'>;
  readonly lostUses: Pick<LostUses, 'of' | 'ofCall'>;
  readonly faults: Faults;
  readonly inFlight: Pick<InFlightLog, 'end'>;
  readonly chargesAlone: Pick<ChargesAlone, 'keep'> | null;
  readonly gatewayId: string;
}

/**
 * Ends requests whose settlement threw. What cannot be accounted for is not delivered: the client
 * gets an error, or its response is cut. Nothing here throws.
 */
export class UnsettledRequests {
  constructor(private readonly parts: UnsettledRequestsParts) {}

  /** `isCharged`: the reservations are settled already, by the actual use. */
  end(context: RequestContext, thrown: unknown, isCharged: boolean, onDurable: () => void): void {
    const { journal, faults, inFlight, chargesAlone, gatewayId } = this.parts;
    const error = faults.ofRequest(context, thrown);
    // Before the error replaces the response, whose bytes are the measure of an estimate.
    const use = isCharged ? usedBy(context) : this.charge(context);
    const replace = this.replacement(context, error);
    const end = replace === undefined ? onDurable : (): void => faults.endAfter(context, replace);
    const isRecorded = faults.contained(context, () => {
      const record = unsettledRecord(context, upstreamOf(context), use, gatewayId);
      if (!journal.append(record, null, null, end)) chargesAlone?.keep(record);
    });
    inFlight.end(context);
    if (!isRecorded) end();
  }

  /** Returns what sends the error; undefined when no response has begun. */
  private replacement(context: RequestContext, error: GatewayError): (() => void) | undefined {
    const { reply, res } = context;
    let replace: (() => void) | undefined;
    const isPrepared = this.parts.faults.contained(context, () => {
      replace = reply.writer?.replaceBy(error);
    });
    if (isPrepared) return replace;
    reply.brokenBy(error);
    return () => res.destroy();
  }

  /** Charges an estimate, or releases the reservations when no provider was called. */
  charge(context: RequestContext): LostUse {
    const { accounts, lostUses, faults } = this.parts;
    const upstream = upstreamOf(context);
    let use = earlierUse(context);
    let own: UsageEstimate | null = null;
    faults.contained(context, () => {
      if (upstream === null) return;
      use = lostUses.of(context, upstream, lineOf(context));
      own = lostUses.ofCall(context, upstream);
    });
    faults.contained(context, () => accounts.settleEstimated(context, upstream, own));
    return use;
  }
}

const usedBy = ({ usage: { cost, charges } }: RequestContext): LostUse => ({ cost, charges: charges ?? [] });

/** Returns what attempts and checks were charged before the settlement. */
function earlierUse({ usage }: RequestContext): LostUse {
  const charges = usage.charges ?? [];
  return { cost: charges.reduce((sum, { cost }) => sum + (cost ?? 0), 0), charges };
}

const upstreamOf = ({ response, attempts }: RequestContext) =>
  response === null ? attempts.cutUpstream : response.upstream;
