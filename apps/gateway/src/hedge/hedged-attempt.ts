import type { OutboundError } from '@gw/outbound';
import {
  endsHedge,
  type AttemptOutcome,
  type HedgeOffer,
  type RoutingCursor,
  type CompiledTarget,
} from '@gw/routing';
import type { GatewayResponse } from '../attempt/gateway-response';
import type { RequestContext, LeaveListener } from '../core/request-context';
import { AttemptCall } from '../attempt/attempt-call';
import type { AttemptMaker } from '../attempt/attempt-maker';
import type { StreamListener } from '../attempt/first-event';
import { awaitResponse } from '../attempt/held-response';
import type { AttemptListener } from '../attempt/gateway-response';
import { brokenAttempt, outcomeOf, refusedAttempt, type AttemptResult } from '../attempt/attempt-result';
import { routeFamily } from '@gw/contracts';
import { RequestHedge } from './request-hedge';

/** Result of one of the two calls. */
export interface HedgedCall {
  readonly which: 'first' | 'second';
  readonly target: CompiledTarget;
  /** Null: the call was cancelled while it was in flight. */
  readonly result: AttemptResult | null;
  /** Response of the latest call that was started for it; null if none was. */
  readonly response: GatewayResponse | null;
  readonly outcome: AttemptOutcome;
  readonly startedMs: number;
  /** The call's request asks for usage that must be hidden from the client. */
  readonly hidesUsage: boolean;
}

/** Inputs of a hedged attempt. */
export interface HedgePlan {
  /** The second call that the plan offers. */
  readonly offer: HedgeOffer;
  readonly cursor: RoutingCursor;
  /** Makes each of the two calls. */
  readonly maker: AttemptMaker;
  readonly listener: HedgeListener;
}

export interface HedgeListener {
  /**
   * Called once. `winner` is the call whose result is used; if none was good, the last one to fail.
   * `other` is null if there was only one call.
   */
  hedged(winner: HedgedCall, other: HedgedCall | null): void;
}

/**
 * Whether the same request may be in flight twice. Excluded are uploads (forms, bodies that are
 * neither JSON nor empty, spooled bodies), sessions, routes that need two calls, and requests that
 * create a lasting object.
 */
export function isHedgeable({ route, method, upgrade, spooled, scan, body }: RequestContext): boolean {
  if (upgrade !== null || spooled !== null || route.followUp !== null) return false;
  if (scan === null ? body.length > 0 : scan.isForm) return false;
  return method === 'GET' || method === 'HEAD' || routeFamily(route.kind).makesLasting !== true;
}

/**
 * One attempt of a plan, made as up to two calls. The second call starts if the first has not
 * responded after the offered delay and the hedge budget allows it. The first good response wins
 * (for a stream: its first event), and the other call is cancelled at once. If a call fails while
 * the other is in flight, the attempt waits for the other.
 */
export class HedgedAttempt implements LeaveListener {
  private readonly first: HedgeCall;
  private second: HedgeCall | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly context: RequestContext,
    target: CompiledTarget,
    private readonly plan: HedgePlan,
  ) {
    this.first = this.call('first', target);
  }

  begin(): void {
    this.context.whenClientGone(this);
    this.timer = setTimeout(() => this.context.guard(() => this.hedge()), this.plan.offer.delayMs);
    this.first.begin();
  }

  clientGone(): void {
    this.clear();
    this.first.leave();
    this.second?.leave();
  }

  private call(which: HedgedCall['which'], target: CompiledTarget): HedgeCall {
    return new HedgeCall(which, target, this.context, this.plan.maker, (call) => this.ended(call));
  }

  private hedge(): void {
    this.timer = null;
    const { offer, cursor, maker } = this.plan;
    const { state } = cursor.runtime;
    // The first call may still be waiting for its credential; then it counts as one more call.
    if (!maker.mayCall(this.context, this.first.response === null ? 1 : 0)) {
      cursor.note(offer.target.path, 'call_limit_reached');
      return;
    }
    if (!state.hedges.take(offer)) {
      cursor.note(offer.target.path, 'hedge_budget_spent');
      return;
    }
    cursor.note(offer.target.path, 'hedged');
    state.statistics.started(cursor.endpoint(offer.target));
    this.second = this.call('second', offer.target);
    // Set before the second call is written to the in-flight log: if the gateway dies now, both
    // calls are billed.
    const upstream = this.first.response?.upstream;
    this.context.hedge = upstream === undefined ? null : new RequestHedge(upstream);
    this.second.begin();
  }

  private ended(call: HedgeCall): void {
    this.context.hedge = null;
    const other = call === this.first ? this.second : this.first;
    if (other === null) {
      this.clear();
      this.settle(call, null);
    } else if (endsHedge(call.outcome)) {
      other.cancel();
      this.settle(call, other);
    } else if (other.over) this.settle(call, other);
  }

  /**
   * Settles the attempt. The loser's endpoint is free again; the winner's stays busy until its
   * response is complete.
   */
  private settle(winner: HedgeCall, other: HedgeCall | null): void {
    const { context } = this;
    const { cursor, maker, listener } = this.plan;
    context.whenClientGone(winner.response);
    if (other !== null) {
      if (other.result !== null && 'response' in other.result) maker.discard(context, other.result.response);
      cursor.runtime.state.statistics.ended(cursor.endpoint(other.target));
    }
    listener.hedged(winner, other);
  }

  private clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

/** One of the two calls. */
class HedgeCall implements HedgedCall, AttemptListener, StreamListener {
  result: AttemptResult | null = null;
  response: GatewayResponse | null = null;
  over = false;
  /** True if this call's request was built with hidden usage. */
  hidesUsage = false;
  readonly startedMs: number;
  outcome: AttemptOutcome = { status: null, failure: null, retryAfterMs: null, elapsedMs: 0 };

  constructor(
    readonly which: HedgedCall['which'],
    readonly target: CompiledTarget,
    private readonly context: RequestContext,
    private readonly maker: AttemptMaker,
    private readonly ended: (call: HedgeCall) => void,
  ) {
    this.startedMs = context.elapsedMs();
  }

  /** True for the second call, which would not help if it waited for work of the first one. */
  get isApart(): boolean {
    return this.which === 'second';
  }

  begin(): void {
    try {
      this.maker.begin(new AttemptCall(this.context, this.target, this, null));
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  /** A call may start late, after a lookup; by then it may no longer be needed. */
  callStarted(response: GatewayResponse): void {
    this.response = response;
    this.context.attempts.callBegins(response.upstream);
    this.hidesUsage = this.context.attempts.hidesUsage;
    if (this.over || this.context.clientGone) this.leave();
  }

  responded(response: GatewayResponse): void {
    if (this.over) this.maker.discard(this.context, response);
    else awaitResponse(response, this.context, true, this);
  }

  decidable(response: GatewayResponse): void {
    this.end({ response });
  }

  failed(response: GatewayResponse, error: OutboundError): void {
    // The response had started, so its limits still hold the reservation.
    if (response.status !== 0 && !this.context.clientGone) this.maker.discard(this.context, response);
    this.end(brokenAttempt(error, this.context, response));
  }

  refused(thrown: unknown): void {
    this.end(refusedAttempt(thrown));
  }

  leave(): void {
    this.response?.call?.abort();
  }

  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.outcome = { ...this.outcome, elapsedMs: this.context.elapsedMs() - this.startedMs };
    this.leave();
  }

  private end(result: AttemptResult): void {
    if (this.over) return;
    this.over = true;
    this.result = result;
    this.outcome = outcomeOf(result, this.context.elapsedMs() - this.startedMs);
    this.ended(this);
  }
}
