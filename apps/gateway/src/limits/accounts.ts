import {
  settledOf,
  type Bucket,
  type Charge,
  type ChargeFlag,
  type Estimate,
  type Ledger,
  type Reservation,
} from '@gw/limits';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { CutCall } from '../attempt/request-attempts';
import type { Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import type { PricedEarlier } from '../usage/use';
import { tokensOf } from '../usage/use';
import type { TargetPricer } from '../usage/use';
import type { GatewayPrincipal } from '../auth/principals';
import { admitted, bucketsOfAttempt, bucketsOfRequest } from './admission';
import { budgetsOf, isUncounted, lineOf } from '../usage/charges';
import { DiscardedBody } from '../usage/discarded-body';
import type { Estimates, UsageEstimate } from '../usage/estimates';
import { keepReservation, limitsOf } from './request-limits';
import type { SessionAccounts } from './session-accounts';

/**
 * Enforces the limits of requests: reserves in the caller's limits before any other work and in a
 * target's limits before it is called, and charges both with the actual usage. A request without
 * limits causes no ledger work.
 */
export class Accounts {
  constructor(
    private readonly ledger: Ledger,
    private readonly estimates: Estimates,
    private readonly pricer: TargetPricer,
    /** Charges sessions over WebSockets. */
    readonly sessions: SessionAccounts,
  ) {}

  /**
   * Throws the denial of a limit that this process knows to be exhausted, before the request is
   * read. It reserves nothing and does not wait; `admit` makes the final decision once the request
   * has been read.
   */
  refuseExhausted(context: RequestContext): void {
    const { limits } = context.principal as GatewayPrincipal;
    if (limits === null || limits.buckets.length === 0) return;
    const denial = this.ledger.refusal(limits.buckets);
    if (denial !== null) admitted(context, denial);
  }

  /** Reserves in the caller's limits. Throws or rejects with the denial of a limit. */
  admit(context: RequestContext): void | Promise<void> {
    const { limits } = context.principal as GatewayPrincipal;
    if (limits === null) return undefined;
    const buckets = bucketsOfRequest(context, limits);
    if (buckets.length === 0) return undefined;
    const estimate = this.estimates.ofRequest(context, buckets);
    if (estimate !== null) return this.admitTo(context, buckets, estimate);
    return this.estimates
      .ofRequestAfterReading(context, buckets)
      .then((read) => this.admitTo(context, buckets, read));
  }

  private admitTo(
    context: RequestContext,
    buckets: readonly Bucket[],
    estimate: Estimate,
  ): void | Promise<void> {
    const outcome = this.ledger.admit(buckets, estimate);
    if (outcome instanceof Promise) {
      return outcome.then((settled) => {
        keepReservation(this.ledger, context, admitted(context, settled));
      });
    }
    limitsOf(context).reservation = admitted(context, outcome);
    return undefined;
  }

  /**
   * Reserves in the limits of a target; null if it has none. Throws or rejects with the denial of a
   * limit.
   */
  reserve(context: RequestContext, upstream: Upstream): Reservation | null | Promise<Reservation> {
    const buckets = bucketsOfAttempt(context, upstream);
    if (buckets.length === 0) return null;
    const estimate = this.estimates.ofAttempt(context, upstream, buckets);
    const outcome = this.ledger.admit(buckets, estimate);
    return outcome instanceof Promise
      ? outcome.then((settled) => admitted(context, settled))
      : admitted(context, outcome);
  }

  /** Releases the reservation of a target that was not called or did not respond. */
  release(reservation: Reservation): void {
    this.ledger.release(reservation);
  }

  /**
   * Charges the usage of a response that is not sent to the client, if the response reports it
   * before the request ends.
   */
  discard(context: RequestContext, response: GatewayResponse): void {
    const line = lineOf(context);
    const { upstream } = response;
    const own = upstream.reservation ?? null;
    DiscardedBody.read(response, ({ usage, model }) => {
      if (usage === null || context.settled) {
        if (own) this.ledger.release(own);
        return;
      }
      const cost = this.pricer.price(upstream, model, usage, context.startedWallMs)?.total ?? null;
      const { charge, flags } = settledOf(usage, cost, { cost: 0, tokens: 0 }, 0);
      const callers = callersOf(context);
      if (callers) this.ledger.charge(callers, charge);
      if (own) this.ledger.settle(own, charge);
      this.note(context, upstream, charge, flags, line);
    });
  }

  /** Charges the usage of a cancelled hedge call to the caller and to the call's own target. */
  waste(context: RequestContext, upstream: Upstream, inputTokens: number, cost: number | null): void {
    const charge = { cost, tokens: inputTokens, requests: 0 };
    const callers = callersOf(context);
    if (callers) this.ledger.charge(callers, charge);
    // The reservation was released when the call was cancelled.
    if (upstream.reservation) this.ledger.chargeLate(upstream.reservation, charge);
    const flags: readonly ChargeFlag[] = cost === null ? ['estimated', 'unpriced'] : ['estimated'];
    const loser = context.attempts.records.findLast(
      ({ end, hedge }) => hedge !== undefined && end === 'cancelled',
    );
    this.note(context, upstream, charge, flags, lineOf(context, loser));
  }

  /**
   * Charges an embeddings call of the semantic cache to the caller's budgets, on its own line,
   * while the request is open. `cost`: 1e-8 USD; null: no price is known. Limits of requests and
   * tokens do not count the call.
   */
  chargeEmbedding(
    context: RequestContext,
    upstream: Upstream,
    cost: number | null,
    isEstimate: boolean,
  ): void {
    const charge = { cost, tokens: 0, requests: 0 };
    const callers = callersOf(context);
    if (callers) this.ledger.charge(callers, charge);
    const flags: ChargeFlag[] = isEstimate ? ['estimated'] : [];
    if (cost === null) flags.push('unpriced');
    this.note(context, upstream, charge, flags, 'embedding');
  }

  /**
   * Settles a request. Call it once, when usage and cost are known. `upstream` null: no provider
   * call was completed. `isTold`: the final response reports usage; usage of earlier calls does not
   * count.
   */
  settle(context: RequestContext, upstream: Upstream | null, isTold: boolean): void {
    const { usage } = context;
    const reservation = reservationOf(context);
    if (context.attempts.cutHedgeCall !== null) this.chargeLeft(context, context.attempts.cutHedgeCall);
    if (upstream === null) {
      if (reservation) this.ledger.release(reservation);
      usage.addChargesToCost();
      return;
    }
    const limited = reservation !== null || upstream.reservation !== undefined;
    if (usage.createdWork !== null || (!isTold && isUncounted(context))) this.estimate(context, upstream);
    if (usage.earlier !== null) this.chargeEarlier(context, upstream, usage.earlier);
    else if (limited || usage.charges !== null || usage.createdWork !== null) this.charge(context, upstream);
  }

  /**
   * Settles a request that `settle` could not settle. `use`: the estimate to charge; null: nothing
   * is known to be used. Reservations that are settled already stay as they are.
   */
  settleEstimated(context: RequestContext, upstream: Upstream | null, use: UsageEstimate | null): void {
    for (const reservation of [reservationOf(context), upstream?.reservation ?? null]) {
      if (reservation === null) continue;
      if (use === null) this.ledger.release(reservation);
      else this.ledger.settle(reservation, { ...use, requests: context.madeFor === null ? 1 : 0 });
    }
  }

  /**
   * Charges an estimate for the second of two hedged calls that the client's disconnect cut, unless
   * another request pays for it.
   */
  private chargeLeft(context: RequestContext, { upstream, isFree }: CutCall): void {
    const { reservation } = upstream;
    if (isFree || !isUncounted(context)) {
      if (reservation) this.ledger.release(reservation);
      return;
    }
    const charge = { ...this.estimates.ofUncounted(context, upstream), requests: 0 };
    const callers = callersOf(context);
    if (callers) this.ledger.charge(callers, charge);
    if (reservation) this.ledger.settle(reservation, charge);
    const flags: readonly ChargeFlag[] = charge.cost === null ? ['estimated', 'unpriced'] : ['estimated'];
    const other = context.attempts.records.at(-2);
    this.note(context, upstream, charge, flags, lineOf(context, other));
  }

  /**
   * Charges usage of earlier requests. The durable record decides how much of it was charged
   * before, and corrects the counters. The request that created the work reports it first, so its
   * counters are charged at once.
   */
  private chargeEarlier(
    context: RequestContext,
    upstream: Upstream,
    reported: readonly PricedEarlier[],
  ): void {
    const { requests, ...all } = this.chargeOf(context);
    const own = { cost: 0, tokens: 0, requests };
    const known = context.method === 'GET' ? own : { ...all, requests };
    const reservation = reservationOf(context);
    if (reservation) this.ledger.settle(reservation, known);
    if (upstream.reservation) this.ledger.settle(upstream.reservation, known);
    // These are the charges of the request's other calls; those of earlier requests follow.
    context.usage.addChargesToCost();
    const line = lineOf(context);
    for (const { once, usage, cost, output } of reported) {
      const tokens = usage.inputTokens + usage.outputTokens;
      const flags: ChargeFlag[] = output?.isEstimate === true ? ['estimated'] : [];
      if (cost === null || output?.isUnpriced === true) flags.push('unpriced');
      this.note(context, upstream, { cost, tokens, requests: 0 }, flags, line, once);
    }
    this.note(context, upstream, own, [], line);
  }

  private charge(context: RequestContext, upstream: Upstream): void {
    const { reported } = context.usage;
    const reservation = reservationOf(context);
    if (reported !== null && isLesson(context))
      this.estimates.learn(context, upstream, reported.outputTokens);
    const charge = this.chargeOf(context);
    const left = rest(charge, context);
    if (reservation) this.ledger.settle(reservation, left);
    // Usage of a check is part of its request's usage.
    else if (context.madeFor?.limits?.reservation)
      this.ledger.charge(context.madeFor.limits.reservation, left);
    if (upstream.reservation) this.ledger.settle(upstream.reservation, left);
    context.usage.addChargesToCost();
    const line = lineOf(context);
    const { createdWork } = context.usage;
    if (createdWork === null) {
      this.note(context, upstream, charge, flagsOf(context), line);
      return;
    }
    this.note(context, upstream, { ...charge, requests: 0 }, flagsOf(context), line, createdWork);
    this.note(context, upstream, { cost: 0, tokens: 0, requests: charge.requests }, [], line);
  }

  private estimate(context: RequestContext, upstream: Upstream): void {
    const { cost, tokens } =
      context.usage.createdWork === null
        ? this.estimates.ofUncounted(context, upstream)
        : this.estimates.ofBackgroundWork(
            context,
            upstream,
            upstream.model ?? context.reply.meter?.model() ?? null,
          );
    context.usage.estimate(cost, tokens);
  }

  private chargeOf({ usage, madeFor }: RequestContext): Charge {
    const { reported, cost, estimatedTokens } = usage;
    const requests = madeFor === null ? 1 : 0;
    if (estimatedTokens !== null) return { cost, tokens: estimatedTokens, requests };
    if (reported === null) return { cost: 0, tokens: 0, requests };
    return { cost, tokens: tokensOf(reported), requests };
  }

  private note(
    context: RequestContext,
    { provider, reservation }: Upstream,
    { cost, tokens, requests }: Charge,
    flags: readonly ChargeFlag[],
    line: ReturnType<typeof lineOf>,
    once: string | null = null,
  ): void {
    const from = budgetsOf(callersOf(context), reservation ?? null);
    // The cost in the log record is enough.
    if (from.length === 0 && requests > 0 && context.usage.charges === null) return;
    context.usage.addCharge({
      line,
      provider: provider.id,
      cost,
      tokens,
      requests: requests === 1 ? 1 : 0,
      flags,
      ...(once !== null && { once }),
      from,
    });
  }
}

/**
 * Whether the response is evidence of typical output lengths. Each response of a session was
 * counted when it ended.
 */
const isLesson = ({ usage, response }: RequestContext): boolean =>
  usage.parts === null &&
  usage.estimatedTokens === null &&
  response?.cache?.isFree !== true &&
  (response === null || response.status < 400);

/**
 * The reservation in the caller's limits: the request's own, or that of the request that a check
 * belongs to.
 */
const callersOf = ({ limits, madeFor }: RequestContext): Reservation | null =>
  limits?.reservation ?? madeFor?.limits?.reservation ?? null;

const reservationOf = ({ limits }: RequestContext): Reservation | null => limits?.reservation ?? null;

function flagsOf({ usage }: RequestContext): readonly ChargeFlag[] {
  const { reported, cost, estimatedTokens } = usage;
  if (estimatedTokens !== null) return cost === null ? ['estimated', 'unpriced'] : ['estimated'];
  return reported !== null && cost === null ? ['unpriced'] : [];
}

/** Returns what the parts of a session have not charged yet. */
function rest(charge: Charge, { usage }: RequestContext): Charge {
  const { parts } = usage;
  if (parts === null) return charge;
  return {
    cost: Math.max(0, (charge.cost ?? 0) - (parts.cost ?? 0)),
    tokens: Math.max(0, charge.tokens - parts.tokens),
    requests: charge.requests,
  };
}
