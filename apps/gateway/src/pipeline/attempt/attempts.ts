import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { AttemptOutcome, RoutingCursor, RoutingStep } from '@gw/routing';
import { isEventStream, isPlainEvents, type Answer, type Upstream } from '../answer';
import type { Exchange, OpenStream } from '../exchange';
import { RECEIVE_STAGE } from '../pipeline';
import { recordOf } from './attempt-record';
import type { StreamListener } from './first-event';
import { awaitAnswer } from './held-answer';
import { HedgedTry, isHedgeable, type HedgedCall, type HedgeListener } from './hedged-try';
import type { AttemptListener } from './sender';
import { StreamPace } from './stream-pace';
import { brokenTry, outcomeOf, refusedTry, type Tried } from './tried';

type RoutingTry = Extract<RoutingStep, { kind: 'try' }>;

/** Makes one attempt. */
export interface AttemptMaker {
  /** Milliseconds that one attempt at the target may take. */
  timeoutOf(exchange: Exchange, target: CompiledTarget): number;
  /** Whether the request may call a provider once more, while `pending` calls of it are about to be made. */
  mayCall(exchange: Exchange, pending?: number): boolean;
  /** Starts one attempt. Throws what keeps it from being made. */
  begin(exchange: Exchange, target: CompiledTarget, listener: AttemptListener): void;
  /** Reads an answer that the client does not get to its end. */
  discard(exchange: Exchange, answer: Answer): void;
}

/** RFC 9110, section 9.2.2: carried out twice, they come to the same. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** The attempts of one request, one after the other. */
export class Attempts implements AttemptListener, StreamListener, HedgeListener, OpenStream {
  private last: Tried | null = null;
  private outcome: AttemptOutcome | null = null;
  private step!: RoutingTry;
  private startedMs = 0;
  /** The request was sent again after the provider had closed a reused connection. */
  private resent = false;
  /** Waits count from here on: from when the client's body was there, or from where its stream broke off. */
  private sinceMs: number;

  constructor(
    private readonly maker: AttemptMaker,
    private readonly exchange: Exchange,
    private readonly cursor: RoutingCursor,
    private resolve: () => void,
    private reject: (error: unknown) => void,
  ) {
    this.sinceMs = Math.max(0, exchange.stageMs[RECEIVE_STAGE] ?? 0);
  }

  /** Takes the next step of the plan, or ends. */
  goOn(): void {
    try {
      const { exchange } = this;
      const step = this.cursor.next(this.outcome && this.withinBounds(this.outcome));
      if (step.kind === 'stop') {
        this.finish();
        return;
      }
      this.step = step;
      if (step.waitMs === 0) {
        // Not from within the callback of the call that has just ended.
        if (this.outcome === null) this.begin();
        else queueMicrotask(() => this.begin());
        return;
      }
      this.discardLast();
      void waitFor(exchange, step.waitMs).then(() => this.begin());
    } catch (thrown) {
      this.cursor.abandon();
      this.reject(thrown);
    }
  }

  /** Waiting for a retry must not outlive what one call may take, and calls of one request are bounded. */
  private withinBounds(outcome: AttemptOutcome): AttemptOutcome {
    const { exchange, step, sinceMs, maker } = this;
    const waitMaxMs = maker.timeoutOf(exchange, step.target) - (exchange.elapsedMs() - sinceMs);
    return { ...outcome, waitMaxMs, isLast: !maker.mayCall(exchange) };
  }

  begun(answer: Answer): void {
    this.exchange.asked = answer.upstream;
    this.exchange.cacheUse = answer.cache;
    this.exchange.whenClientGone(answer);
  }

  answered(answer: Answer): void {
    awaitAnswer(answer, this.exchange, this.awaitsEvent(answer), this);
  }

  streams(answer: Answer): void {
    this.note({ answer });
  }

  broke(answer: Answer, error: OutboundError): void {
    const { exchange } = this;
    if (error.failure === 'aborted' && exchange.clientGone) exchange.left = answer.upstream;
    // It had begun to answer, so that its limits still hold what was reserved.
    if (answer.status !== 0 && !exchange.clientGone) this.maker.discard(exchange, answer);
    const tried = brokenTry(error, exchange, answer);
    if (this.isResendable(error)) this.resend(tried, answer.upstream);
    else this.note(tried, answer.upstream);
  }

  refused(thrown: unknown): void {
    this.note(refusedTry(thrown));
  }

  hedged(winner: HedgedCall, other: HedgedCall | null): void {
    const { exchange, step } = this;
    const tookMs = exchange.elapsedMs() - this.startedMs;
    const isPair = other !== null;
    for (const call of isPair ? [other, winner] : [winner]) {
      const { target, tried, answer, startedMs, outcome, which } = call;
      const upstream = answer?.upstream ?? null;
      const { elapsedMs } = outcome;
      const record = recordOf(exchange, target, step.retry, tried, startedMs, elapsedMs, upstream);
      exchange.attempts.push(isPair ? { ...record, hedge: which } : record);
    }
    if (!isPair) {
      this.conclude(winner.tried as Tried, winner.outcome, tookMs);
      return;
    }
    const { status, failure, elapsedMs } = other.outcome;
    const cancelled = other.tried === null;
    if (cancelled && other.answer !== null) {
      (exchange.extraUse ??= []).push({ upstream: other.answer.upstream, model: null, usage: null });
    }
    const hedge = { winner: winner.which, other: { status, failure, elapsedMs, cancelled } };
    this.conclude(winner.tried as Tried, { ...winner.outcome, hedge }, tookMs);
  }

  completed(): void {
    const { exchange, outcome } = this;
    const { pace, meter } = exchange;
    exchange.openStream = exchange.pace = null;
    const speed = pace?.speed(meter?.usage() ?? null) ?? null;
    this.cursor.next(outcome && { ...outcome, speed });
    this.cursor.abandon();
    this.tell();
  }

  lost(reason: string): void {
    this.cut(reason);
    this.cursor.next(this.outcome);
    this.cursor.abandon();
    this.tell();
  }

  left(): void {
    this.cursor.abandon();
  }

  drop(answer: Answer): void {
    this.maker.discard(this.exchange, answer);
  }

  goOnFrom(text: string, reason: string, done: () => void): void {
    this.cut(reason);
    this.exchange.partial = text;
    this.sinceMs = this.exchange.elapsedMs();
    // Not from within the callback of the call that brings the next answer.
    this.resolve = this.reject = () => queueMicrotask(done);
    this.goOn();
  }

  private begin(): void {
    const { exchange, step, cursor, maker } = this;
    this.discardLast();
    if (exchange.clientGone) {
      this.finish();
      return;
    }
    this.startedMs = exchange.elapsedMs();
    exchange.asksAnew = step.retry > 0 && (exchange.asksAnew || exchange.cacheUse?.isHit === true);
    exchange.cacheUse = null;
    if (cursor.compiled.needsStatistics) this.markBusy();
    if (exchange.partial !== null) cursor.note(step.target.path, 'stream_continued');
    if (step.hedge !== null && isHedgeable(exchange)) {
      new HedgedTry(maker, exchange, cursor, step.hedge, step.target, this).begin();
      return;
    }
    try {
      maker.begin(exchange, step.target, this);
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  /** As long as nothing of a stream was handed on, another try can take its place. */
  private awaitsEvent(answer: Answer): boolean {
    return answer.upstream.target.onStreamFailure !== 'fail' || this.cursor.inHedge;
  }

  /** Once, without a rule of the config: what may have been carried out already only where it may be carried out twice. */
  private isResendable({ reason }: OutboundError): boolean {
    const { exchange } = this;
    if (reason !== 'reused_connection_closed' || this.resent || exchange.clientGone) return false;
    if (!this.maker.mayCall(exchange)) return false;
    return IDEMPOTENT.has(exchange.method) && exchange.route.followUp === null;
  }

  private resend(tried: Tried, upstream: Upstream): void {
    this.resent = true;
    this.push(tried, upstream);
    this.exchange.asked = null;
    this.markIdle();
    queueMicrotask(() => this.begin());
  }

  private push(tried: Tried, upstream: Upstream | null): number {
    const { exchange, step, startedMs } = this;
    const elapsedMs = exchange.elapsedMs() - startedMs;
    exchange.attempts.push(
      recordOf(exchange, step.target, step.retry, tried, startedMs, elapsedMs, upstream),
    );
    return elapsedMs;
  }

  private note(tried: Tried, upstream: Upstream | null = null): void {
    const elapsedMs = this.push(tried, upstream);
    this.conclude(tried, outcomeOf(tried, elapsedMs), elapsedMs);
  }

  private conclude(tried: Tried, outcome: AttemptOutcome, tookMs: number): void {
    const { exchange } = this;
    exchange.asked = null;
    // While the reply is under way, its own time holds this.
    if (exchange.reply === null) exchange.waitedMs += tookMs;
    this.last = tried;
    this.outcome = outcome;
    if ('failure' in tried) this.markIdle();
    if (exchange.cacheUse?.isHit === true) this.markIdle();
    // What ends because the client leaves says nothing of the target.
    if (exchange.clientGone || isStopped(tried)) this.finish();
    else if (this.staysOpen(tried, outcome)) this.open();
    else {
      this.pace(tried, outcome);
      this.goOn();
    }
  }

  /** Where the config has a use for it, a stream that is the answer tells of its target once it is over. */
  private pace(tried: Tried, outcome: AttemptOutcome): void {
    const { exchange, cursor, startedMs } = this;
    const { needsStatistics, hasBreakers } = cursor.compiled;
    if (!(needsStatistics || hasBreakers) || 'failure' in tried || outcome.shared === true) return;
    const { answer } = tried;
    if (answer.status > 299 || !isEventStream(answer) || outcome.hedge || !cursor.endsWith(outcome)) return;
    // Nothing can go on with it.
    if (exchange.partial !== null && !isPlainEvents(answer)) return;
    exchange.pace = new StreamPace(exchange, cursor, answer.status, startedMs, outcome.elapsedMs);
    this.outcome = { ...outcome, goesOn: true };
  }

  /** A stream that may be continued is an outcome only once it is over. */
  private staysOpen(tried: Tried, outcome: AttemptOutcome): boolean {
    if ('failure' in tried || tried.answer.upstream.target.onStreamFailure !== 'continue') return false;
    const { answer } = tried;
    const { route, spooled } = this.exchange;
    if (route.kind !== 'chat.completions' && route.kind !== 'messages') return false;
    if (answer.cache?.isHit === true) return false;
    return spooled === null && answer.status < 300 && isPlainEvents(answer) && this.cursor.endsWith(outcome);
  }

  private open(): void {
    const { exchange, cursor, startedMs, outcome } = this;
    exchange.openStream = this;
    if (cursor.compiled.needsStatistics || cursor.compiled.hasBreakers) {
      const { status, elapsedMs } = outcome as AttemptOutcome;
      exchange.pace = new StreamPace(exchange, cursor, status ?? 200, startedMs, elapsedMs);
    }
    this.tell();
    this.settle();
  }

  private cut(reason: string): void {
    const { exchange } = this;
    exchange.openStream = exchange.pace = null;
    const last = exchange.attempts.at(-1);
    if (last) {
      const durationMs = exchange.elapsedMs() - last.startedMs;
      exchange.attempts[exchange.attempts.length - 1] = { ...last, end: 'interrupted', reason, durationMs };
    }
    if (this.outcome) this.outcome = { ...this.outcome, status: null, failure: 'cut' };
  }

  private discardLast(): void {
    if (this.last && 'answer' in this.last) this.maker.discard(this.exchange, this.last.answer);
    this.markIdle();
  }

  /** An answer that goes to the client keeps its endpoint busy until it is settled. */
  private markBusy(): void {
    const endpoint = this.cursor.endpoint(this.step.target);
    this.exchange.busyEndpoint = endpoint;
    this.cursor.runtime.state.statistics.started(endpoint);
  }

  private markIdle(): void {
    const { busyEndpoint } = this.exchange;
    if (busyEndpoint === null) return;
    this.exchange.busyEndpoint = null;
    this.cursor.runtime.state.statistics.ended(busyEndpoint);
  }

  private finish(): void {
    this.cursor.abandon();
    this.tell();
    this.settle();
  }

  private tell(): void {
    const { exchange, cursor } = this;
    exchange.strategy = cursor.strategyTrail;
    exchange.matchedCondition = cursor.matchedCondition;
    exchange.routing = cursor.routingEvents;
  }

  private settle(): void {
    try {
      settleOn(this.exchange, this.last);
      this.resolve();
    } catch (thrown) {
      this.reject(thrown);
    }
  }
}

function settleOn(exchange: Exchange, last: Tried | null): void {
  if (exchange.clientGone) {
    if (last && 'answer' in last) {
      exchange.left = last.answer.upstream;
      last.answer.call?.abort();
    }
    exchange.outcome = 'client_closed';
    return;
  }
  if (last === null) throw new GatewayError('internal_error');
  if ('failure' in last) throw last.failure;
  exchange.answer = last.answer;
}

/** This process is about to end, and no other target can be called: that says nothing of this one either. */
const isStopped = (tried: Tried): boolean => 'failure' in tried && tried.failure.type === 'gateway_stopping';

/** Waits, unless the client leaves first. */
function waitFor(exchange: Exchange, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      exchange.whenClientGone(null);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    exchange.whenClientGone({ clientGone: done });
  });
}
