import {
  settledOf,
  type Bucket,
  type Charge,
  type ChargeFlag,
  type Estimate,
  type Ledger,
  type Reservation,
} from '@gw/limits';
import type { Answer, Upstream } from '../pipeline/answer';
import type { Exchange, PricedEarlier } from '../pipeline/exchange';
import { tokensOf } from '../pipeline/extra-use';
import type { Pricer } from '../pipeline/settlement';
import type { Principal } from '../state/principals';
import { admitted, bucketsOfAttempt, bucketsOfRequest } from './admission';
import { budgetsOf, isUncounted, lineOf } from './charges';
import { DiscardedBody } from './discarded-body';
import type { Estimates } from './estimates';
import type { SessionAccounts } from './session-accounts';

/**
 * Keeps the limits of requests: reserves in those of the caller before anything else is done and in those of a target before it is called,
 * and charges both with what was used. What nothing limits passes through without a trace.
 */
export class Accounts {
  constructor(
    private readonly ledger: Ledger,
    private readonly estimates: Estimates,
    private readonly pricer: Pricer,
    /** Of requests that became sessions over WebSockets. */
    readonly sessions: SessionAccounts,
  ) {}

  /**
   * Throws the denial of a limit that this process knows to be used up, whatever the request will turn out to be. Nothing is taken
   * and nothing is awaited: `admit` decides, once the request is known.
   */
  refuseExhausted(exchange: Exchange): void {
    const { limits } = exchange.principal as Principal;
    if (limits === null || limits.buckets.length === 0) return;
    const denial = this.ledger.refusal(limits.buckets);
    if (denial !== null) admitted(exchange, denial);
  }

  /** Throws the denial of a limit of the caller. */
  admit(exchange: Exchange): void | Promise<void> {
    const { limits } = exchange.principal as Principal;
    if (limits === null) return undefined;
    const buckets = bucketsOfRequest(exchange, limits);
    if (buckets.length === 0) return undefined;
    const estimate = this.estimates.ofRequest(exchange, buckets);
    if (estimate !== null) return this.admitTo(exchange, buckets, estimate);
    return this.estimates
      .ofRequestAfterReading(exchange, buckets)
      .then((read) => this.admitTo(exchange, buckets, read));
  }

  private admitTo(exchange: Exchange, buckets: readonly Bucket[], estimate: Estimate): void | Promise<void> {
    const outcome = this.ledger.admit(buckets, estimate);
    if (outcome instanceof Promise) {
      return outcome.then((settled) => {
        exchange.reservation = admitted(exchange, settled);
      });
    }
    exchange.reservation = admitted(exchange, outcome);
    return undefined;
  }

  /** Reserves in the limits of a target; null where it has none. Throws their denial, or rejects with it. */
  reserve(exchange: Exchange, upstream: Upstream): Reservation | null | Promise<Reservation> {
    const buckets = bucketsOfAttempt(exchange, upstream);
    if (buckets.length === 0) return null;
    const estimate = this.estimates.ofAttempt(exchange, upstream, buckets);
    const outcome = this.ledger.admit(buckets, estimate);
    return outcome instanceof Promise
      ? outcome.then((settled) => admitted(exchange, settled))
      : admitted(exchange, outcome);
  }

  /** The target was not asked, or did not answer. */
  release(reservation: Reservation): void {
    this.ledger.release(reservation);
  }

  /** An answer that is not good enough: what it says that it used is charged, if it has said so by the end of the request. */
  discard(exchange: Exchange, answer: Answer): void {
    const line = lineOf(exchange);
    const { upstream } = answer;
    const own = upstream.reservation ?? null;
    DiscardedBody.read(answer, ({ usage, model }) => {
      if (usage === null || exchange.settled || upstream.model === null) {
        if (own) this.ledger.release(own);
        return;
      }
      const cost = this.pricer.price(upstream, model, usage, exchange.startedWallMs)?.total ?? null;
      const { charge, flags } = settledOf(usage, cost, { cost: 0, tokens: 0 }, 0);
      const callers = callersOf(exchange);
      if (callers) this.ledger.charge(callers, charge);
      if (own) this.ledger.settle(own, charge);
      this.note(exchange, upstream, charge, flags, line);
    });
  }

  /** What a call has used that another one of its hedge made needless: its own target is charged. */
  waste(exchange: Exchange, upstream: Upstream, inputTokens: number, cost: number | null): void {
    const charge = { cost, tokens: inputTokens, requests: 0 };
    const callers = callersOf(exchange);
    if (callers) this.ledger.charge(callers, charge);
    // It was released when the call was cancelled.
    if (upstream.reservation) this.ledger.chargeLate(upstream.reservation, charge);
    const flags: readonly ChargeFlag[] = cost === null ? ['estimated', 'unpriced'] : ['estimated'];
    const loser = exchange.attempts.findLast(({ end, hedge }) => hedge !== undefined && end === 'cancelled');
    this.note(exchange, upstream, charge, flags, lineOf(exchange, loser));
  }

  /**
   * Once for each request, when its usage and cost are known. `upstream` null: no provider was asked to the end. `isTold`: the answer has
   * said what was used, whatever calls before it have.
   */
  settle(exchange: Exchange, upstream: Upstream | null, isTold: boolean): void {
    const { reservation } = exchange;
    if (upstream === null) {
      if (reservation) this.ledger.release(reservation);
      if (exchange.charges !== null) addDropped(exchange);
      return;
    }
    const limited = reservation !== null || upstream.reservation !== undefined;
    if (exchange.begun !== null || (!isTold && isUncounted(exchange))) this.estimate(exchange, upstream);
    if (exchange.earlier !== null) this.chargeEarlier(exchange, upstream, exchange.earlier);
    else if (limited || exchange.charges !== null || exchange.begun !== null) this.charge(exchange, upstream);
  }

  /**
   * The durable record decides what of it was charged before, and brings the counters in line. The request that has made it is the first
   * to tell, so the counters know of that at once.
   */
  private chargeEarlier(exchange: Exchange, upstream: Upstream, told: readonly PricedEarlier[]): void {
    const { requests, ...all } = this.chargeOf(exchange);
    const own = { cost: 0, tokens: 0, requests };
    const known = exchange.method === 'GET' ? own : { ...all, requests };
    if (exchange.reservation) this.ledger.settle(exchange.reservation, known);
    if (upstream.reservation) this.ledger.settle(upstream.reservation, known);
    const line = lineOf(exchange);
    for (const { once, usage, cost, output } of told) {
      const tokens = usage.inputTokens + usage.outputTokens;
      const flags: ChargeFlag[] = output?.isEstimate === true ? ['estimated'] : [];
      if (cost === null || output?.isUnpriced === true) flags.push('unpriced');
      this.note(exchange, upstream, { cost, tokens, requests: 0 }, flags, line, once);
    }
    this.note(exchange, upstream, own, [], line);
  }

  private charge(exchange: Exchange, upstream: Upstream): void {
    const { usage, reservation } = exchange;
    if (usage !== null && isLesson(exchange)) this.estimates.learn(exchange, upstream, usage.outputTokens);
    const charge = this.chargeOf(exchange);
    const left = rest(charge, exchange);
    if (reservation) this.ledger.settle(reservation, left);
    // What a check asks is a part of what its request uses.
    else if (exchange.madeFor?.reservation) this.ledger.charge(exchange.madeFor.reservation, left);
    if (upstream.reservation) this.ledger.settle(upstream.reservation, left);
    if (exchange.charges !== null) addDropped(exchange);
    const line = lineOf(exchange);
    const { begun } = exchange;
    if (begun === null) {
      this.note(exchange, upstream, charge, flagsOf(exchange), line);
      return;
    }
    this.note(exchange, upstream, { ...charge, requests: 0 }, flagsOf(exchange), line, begun);
    this.note(exchange, upstream, { cost: 0, tokens: 0, requests: charge.requests }, [], line);
  }

  private estimate(exchange: Exchange, upstream: Upstream): void {
    const { cost, tokens } =
      exchange.begun === null
        ? this.estimates.ofUncounted(exchange, upstream)
        : this.estimates.ofBegun(exchange, upstream, upstream.model ?? exchange.meter?.model() ?? null);
    // Beside what other calls of the request have cost.
    if (cost !== null) exchange.cost = (exchange.cost ?? 0) + cost;
    exchange.estimatedTokens = tokens + (exchange.usage === null ? 0 : tokensOf(exchange.usage));
  }

  private chargeOf({ usage, cost, estimatedTokens, madeFor }: Exchange): Charge {
    const requests = madeFor === null ? 1 : 0;
    if (estimatedTokens !== null) return { cost, tokens: estimatedTokens, requests };
    if (usage === null) return { cost: 0, tokens: 0, requests };
    return { cost, tokens: usage.inputTokens + usage.outputTokens, requests };
  }

  private note(
    exchange: Exchange,
    { provider, reservation }: Upstream,
    { cost, tokens, requests }: Charge,
    flags: readonly ChargeFlag[],
    line: ReturnType<typeof lineOf>,
    once: string | null = null,
  ): void {
    const from = budgetsOf(callersOf(exchange), reservation ?? null);
    // The record's own cost says it all.
    if (from.length === 0 && requests > 0 && exchange.charges === null) return;
    (exchange.charges ??= []).push({
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

/** Whether an answer says how long others will be. A session has learnt from each of its responses. */
const isLesson = ({ parts, answer, estimatedTokens }: Exchange): boolean =>
  parts === null &&
  estimatedTokens === null &&
  answer?.cache?.isFree !== true &&
  (answer === null || answer.status < 400);

/** In the limits of the caller: the request's own, or that of the request that a check belongs to. */
const callersOf = ({ reservation, madeFor }: Exchange): Reservation | null =>
  reservation ?? madeFor?.reservation ?? null;

/** What attempts have cost whose answers nobody got. */
function addDropped(exchange: Exchange): void {
  for (const { cost } of exchange.charges ?? []) {
    if (cost !== null) exchange.cost = (exchange.cost ?? 0) + cost;
  }
}

function flagsOf({ usage, cost, estimatedTokens }: Exchange): readonly ChargeFlag[] {
  if (estimatedTokens !== null) return cost === null ? ['estimated', 'unpriced'] : ['estimated'];
  return usage !== null && cost === null ? ['unpriced'] : [];
}

/** What the parts of a session have not charged yet. */
function rest(charge: Charge, { parts }: Exchange): Charge {
  if (parts === null) return charge;
  return {
    cost: Math.max(0, (charge.cost ?? 0) - (parts.cost ?? 0)),
    tokens: Math.max(0, charge.tokens - parts.tokens),
    requests: charge.requests,
  };
}
