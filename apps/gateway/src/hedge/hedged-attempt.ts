import type { CompiledTarget } from '@gw/config-schema';
import type { OutboundError } from '@gw/outbound';
import { endsHedge, type AttemptOutcome, type HedgeOffer, type RoutingCursor } from '@gw/routing';
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

/** What became of one of the calls. */
export interface HedgedCall {
  readonly which: 'first' | 'second';
  readonly target: CompiledTarget;
  /** Null: it was given up while it was under way. */
  readonly tried: AttemptResult | null;
  /** The latest call that was begun for it, if any. */
  readonly answer: GatewayResponse | null;
  readonly outcome: AttemptOutcome;
  readonly startedMs: number;
  /** Its request asks for usage that the client must not see. */
  readonly hidesUsage: boolean;
}

/** What an attempt needs to be hedged. */
export interface HedgePlan {
  /** The second call that the plan offers. */
  readonly offer: HedgeOffer;
  readonly cursor: RoutingCursor;
  /** Makes each of the two calls. */
  readonly maker: AttemptMaker;
  readonly listener: HedgeListener;
}

export interface HedgeListener {
  /** Called once. `winner` is the call that counts, the last one to fail if none was good; `other` is null if it was the only one. */
  hedged(winner: HedgedCall, other: HedgedCall | null): void;
}

/**
 * Whether the same request may be under way twice. Uploads are not: forms, bodies that are neither JSON nor empty, and what lies on
 * the disk. Neither are sessions, routes that need two calls, and requests that make something that stays.
 */
export function isHedgeable({ route, method, upgrade, spooled, scan, body }: RequestContext): boolean {
  if (upgrade !== null || spooled !== null || route.followUp !== null) return false;
  if (scan === null ? body.length > 0 : scan.isForm) return false;
  return method === 'GET' || method === 'HEAD' || routeFamily(route.kind).makesLasting !== true;
}

/**
 * One try of a plan as two calls: the second one begins when the first has not answered after the offered delay, and the budget of
 * second calls agrees. The first good answer is taken, a stream's with its first event, and the other call is cancelled at once. A call
 * that fails while the other is under way waits for it.
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
    this.timer = setTimeout(() => this.hedge(), this.plan.offer.delayMs);
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
    // The first call may still wait for its credential.
    if (!maker.mayCall(this.context, this.first.answer === null ? 1 : 0)) {
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
    // Before the second call is noted on the disk: a gateway that dies now is billed for both.
    const upstream = this.first.answer?.upstream;
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

  /** The winner's endpoint stays busy until its answer is over. */
  private settle(winner: HedgeCall, other: HedgeCall | null): void {
    const { context } = this;
    const { cursor, maker, listener } = this.plan;
    context.whenClientGone(winner.answer);
    if (other !== null) {
      if (other.tried !== null && 'answer' in other.tried) maker.discard(context, other.tried.answer);
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
  tried: AttemptResult | null = null;
  answer: GatewayResponse | null = null;
  over = false;
  /** As the request of this call was built. */
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

  /** A second call that waits for what the first one brings would be none. */
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

  /** A call that begins late, since something had to be looked up first, may be wanted no more. */
  begun(answer: GatewayResponse): void {
    this.answer = answer;
    this.context.attempts.callBegins(answer.upstream);
    this.hidesUsage = this.context.attempts.hidesUsage;
    if (this.over || this.context.clientGone) this.leave();
  }

  answered(answer: GatewayResponse): void {
    if (this.over) this.maker.discard(this.context, answer);
    else awaitResponse(answer, this.context, true, this);
  }

  streams(answer: GatewayResponse): void {
    this.end({ answer });
  }

  broke(answer: GatewayResponse, error: OutboundError): void {
    // It had begun to answer, so that its limits still hold what was reserved.
    if (answer.status !== 0 && !this.context.clientGone) this.maker.discard(this.context, answer);
    this.end(brokenAttempt(error, this.context, answer));
  }

  refused(thrown: unknown): void {
    this.end(refusedAttempt(thrown));
  }

  leave(): void {
    this.answer?.call?.abort();
  }

  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.outcome = { ...this.outcome, elapsedMs: this.context.elapsedMs() - this.startedMs };
    this.leave();
  }

  private end(tried: AttemptResult): void {
    if (this.over) return;
    this.over = true;
    this.tried = tried;
    this.outcome = outcomeOf(tried, this.context.elapsedMs() - this.startedMs);
    this.ended(this);
  }
}
