import type { AttemptRecord } from '@gw/contracts';
import type { OutboundError } from '@gw/outbound';
import type { AttemptOutcome, RoutingCursor, RoutingStep } from '@gw/routing';
import { isEventStream, isPlainEvents, type AttemptListener, type GatewayResponse } from './gateway-response';
import { type Upstream } from '../core/upstream';
import { noteCacheUse } from '../cache/request-cache';
import type { RequestContext } from '../core/request-context';
import type { OpenStream } from './request-attempts';
import { RECEIVE_STAGE } from '../core/order';
import { recordOf } from './attempt-record';
import type { StreamListener } from './first-event';
import { awaitResponse } from './held-response';
import type { HedgedCall, HedgeListener } from '../hedge/hedged-attempt';
import { AttemptCall } from './attempt-call';
import { StreamPace } from './stream-pace';
import { isStopped, noteCutCall, noteCutCalls, settleOn } from './settle-attempts';
import { waitFor } from './wait-for';
import { brokenAttempt, outcomeOf, refusedAttempt, type AttemptResult } from './attempt-result';
import type { AttemptMaker } from './attempt-maker';

type AttemptStep = Extract<RoutingStep, { kind: 'attempt' }>;

/** Idempotent methods (RFC 9110, section 9.2.2), which may be sent twice. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Makes the attempts of one request, one after another. */
export class Attempts implements AttemptListener, StreamListener, HedgeListener, OpenStream {
  private last: AttemptResult | null = null;
  private outcome: AttemptOutcome | null = null;
  private step!: AttemptStep;
  private startedMs = 0;
  /**
   * Milliseconds that the request waited before the attempt; 0 once the attempt's record includes
   * them.
   */
  private waitedMs = 0;
  /** True once the request was sent again because the provider had closed a reused connection. */
  private resent = false;
  /**
   * Start of the wait budget for retries, in milliseconds since the start of the request: the
   * arrival of the body, or the moment when the stream broke off.
   */
  private sinceMs: number;

  constructor(
    private readonly maker: AttemptMaker,
    private readonly context: RequestContext,
    private readonly cursor: RoutingCursor,
    private resolve: () => void,
    private reject: (error: unknown) => void,
  ) {
    this.sinceMs = Math.max(0, context.stageMs[RECEIVE_STAGE] ?? 0);
  }

  /** Takes the next step of the plan, or ends the attempts. */
  takeStep(): void {
    try {
      const { context } = this;
      const step = this.cursor.next(this.outcome && this.withinBounds(this.outcome));
      if (step.kind === 'stop') {
        this.finish();
        return;
      }
      this.step = step;
      if (step.waitMs === 0) {
        // Deferred, because this may run inside the callback of the call that has just ended.
        if (this.outcome === null) this.begin();
        else queueMicrotask(() => context.guard(() => this.begin()));
        return;
      }
      this.discardLast();
      const sinceMs = context.elapsedMs();
      const begin = (): void => this.beginAfter(context.elapsedMs() - sinceMs);
      context.guard(() => waitFor(context, step.waitMs).then(begin));
    } catch (thrown) {
      this.cursor.abandon();
      this.reject(thrown);
    }
  }

  /** Begins an attempt after a wait, which does not count as overhead of the gateway. */
  private beginAfter(waitedMs: number): void {
    this.waitedMs = waitedMs;
    this.excludeFromOverhead(waitedMs);
    this.begin();
  }

  /**
   * Excludes milliseconds from the gateway's overhead. Once the reply is being written, its
   * duration already includes them.
   */
  private excludeFromOverhead(ms: number): void {
    if (this.context.reply.writer === null) this.context.attempts.waitedMs += ms;
  }

  /**
   * Adds the limits for the next step: a wait for a retry must fit into the timeout of one call,
   * and the calls of a request are bounded.
   */
  private withinBounds(outcome: AttemptOutcome): AttemptOutcome {
    const { context, step, sinceMs, maker } = this;
    const waitMaxMs = maker.timeoutOf(context, step.target) - (context.elapsedMs() - sinceMs);
    return { ...outcome, waitMaxMs, isLast: !maker.mayCall(context) };
  }

  callStarted(response: GatewayResponse): void {
    this.context.attempts.callBegins(response.upstream);
    noteCacheUse(this.context, response.cache);
    this.context.whenClientGone(response);
  }

  responded(response: GatewayResponse): void {
    awaitResponse(response, this.context, this.awaitsEvent(response), this);
  }

  decidable(response: GatewayResponse): void {
    this.note({ response });
  }

  failed(response: GatewayResponse, error: OutboundError): void {
    const { context } = this;
    if (error.failure === 'aborted' && context.clientGone) noteCutCall(context, response);
    // The response had begun, so the target's limits still hold a reservation; discarding the
    // response releases it.
    if (response.status !== 0 && !context.clientGone) this.maker.discard(context, response);
    const result = brokenAttempt(error, context, response);
    if (this.isResendable(error)) this.resend(result, response.upstream);
    else this.note(result, response.upstream);
  }

  refused(thrown: unknown): void {
    this.note(refusedAttempt(thrown));
  }

  hedged(winner: HedgedCall, other: HedgedCall | null): void {
    const { context, step } = this;
    const tookMs = context.elapsedMs() - this.startedMs;
    const isPair = other !== null;
    this.takeWinner(winner, isPair);
    for (const call of isPair ? [other, winner] : [winner]) {
      const { target, result, response, startedMs, outcome, which } = call;
      const upstream = response?.upstream ?? null;
      const { elapsedMs } = outcome;
      const record = recordOf(context, target, step.retry, result, startedMs, elapsedMs, upstream);
      const waited = which === 'first' ? this.withWait(record) : record;
      context.attempts.records.push(isPair ? { ...waited, hedge: which } : waited);
    }
    if (context.clientGone) noteCutCalls(context, isPair ? [winner, other] : [winner]);
    if (!isPair) {
      this.conclude(winner.result as AttemptResult, winner.outcome, tookMs);
      return;
    }
    const { status, failure, elapsedMs } = other.outcome;
    const cancelled = other.result === null;
    if (cancelled && other.response !== null) {
      context.usage.addExtra({ upstream: other.response.upstream, model: null, usage: null });
    }
    const hedge = { winner: winner.which, other: { status, failure, elapsedMs, cancelled } };
    this.conclude(winner.result as AttemptResult, { ...winner.outcome, hedge }, tookMs);
  }

  private takeWinner({ response, hidesUsage, target }: HedgedCall, isPair: boolean): void {
    const { context, cursor } = this;
    noteCacheUse(context, response?.cache ?? null);
    if (response !== null) context.attempts.hidesUsage = hidesUsage;
    if (isPair) context.attempts.busyEndpoint = cursor.endpoint(target);
  }

  completed(): void {
    const { context, outcome } = this;
    const { attempts, reply } = context;
    const speed = attempts.pace?.speed(reply.meter?.usage() ?? null) ?? null;
    attempts.openStream = attempts.pace = null;
    this.cursor.next(outcome && { ...outcome, speed });
    this.cursor.abandon();
    this.copyRouting();
  }

  lost(reason: string): void {
    this.noteCut(reason);
    this.cursor.next(this.outcome);
    this.cursor.abandon();
    this.copyRouting();
  }

  clientLeft(): void {
    this.cursor.abandon();
  }

  drop(response: GatewayResponse): void {
    this.maker.discard(this.context, response);
  }

  refuse(next: GatewayResponse, broken: GatewayResponse): void {
    this.drop(next);
    this.context.response = broken;
    this.context.attempts.openStream = null;
  }

  continueFrom(text: string, reason: string, done: () => void): void {
    this.noteCut(reason);
    this.context.attempts.partial = text;
    this.sinceMs = this.context.elapsedMs();
    // Deferred, because this may run inside the callback of the call that brings the next response.
    this.resolve = this.reject = () => queueMicrotask(() => this.context.guard(done));
    this.takeStep();
  }

  private begin(): void {
    const { context, step, cursor, maker } = this;
    this.discardLast();
    if (context.clientGone) {
      this.finish();
      return;
    }
    this.startedMs = context.elapsedMs();
    context.cache?.attemptBegins(step.retry > 0);
    if (cursor.compiled.needsStatistics) this.markBusy();
    if (context.attempts.partial !== null) cursor.note(step.target.path, 'stream_continued');
    const hedge = step.hedge === null ? null : { offer: step.hedge, cursor, maker, listener: this };
    try {
      maker.begin(new AttemptCall(context, step.target, this, hedge));
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  /**
   * Whether to wait for the first event of a stream: until the stream reaches the client, another
   * attempt can replace it.
   */
  private awaitsEvent(response: GatewayResponse): boolean {
    return response.upstream.target.onStreamFailure !== 'fail' || this.cursor.inHedge;
  }

  /**
   * Whether to send the request again without a retry rule of the config: once, and only an
   * idempotent request, because the provider may have processed it already.
   */
  private isResendable({ reason }: OutboundError): boolean {
    const { context } = this;
    if (reason !== 'reused_connection_closed' || this.resent || context.clientGone) return false;
    if (!this.maker.mayCall(context)) return false;
    return IDEMPOTENT.has(context.method) && context.route.followUp === null;
  }

  private resend(result: AttemptResult, upstream: Upstream): void {
    this.resent = true;
    this.addRecord(result, upstream);
    this.context.attempts.requested = null;
    this.markIdle();
    queueMicrotask(() => this.context.guard(() => this.begin()));
  }

  private addRecord(result: AttemptResult, upstream: Upstream | null): number {
    const { context, step, startedMs } = this;
    const elapsedMs = context.elapsedMs() - startedMs;
    const record = recordOf(context, step.target, step.retry, result, startedMs, elapsedMs, upstream);
    context.attempts.records.push(this.withWait(record));
    return elapsedMs;
  }

  private withWait(record: AttemptRecord): AttemptRecord {
    const { waitedMs } = this;
    this.waitedMs = 0;
    return waitedMs === 0 ? record : { ...record, waitedMs };
  }

  private note(result: AttemptResult, upstream: Upstream | null = null): void {
    const elapsedMs = this.addRecord(result, upstream);
    this.conclude(result, outcomeOf(result, elapsedMs), elapsedMs);
  }

  private conclude(result: AttemptResult, outcome: AttemptOutcome, tookMs: number): void {
    const { context } = this;
    context.attempts.requested = null;
    this.excludeFromOverhead(tookMs);
    this.last = result;
    this.outcome = outcome;
    if ('failure' in result) this.markIdle();
    if (context.cache?.use?.isHit === true) this.markIdle();
    // A client disconnect is not evidence about the target's health.
    if (context.clientGone || isStopped(result)) this.finish();
    else if (this.staysOpen(result, outcome)) this.keepOpen();
    else {
      this.measurePace(result, outcome);
      this.takeStep();
    }
  }

  /**
   * Starts to measure the chosen stream when the config needs it; the stream then reports on its
   * target when it ends.
   */
  private measurePace(result: AttemptResult, outcome: AttemptOutcome): void {
    const { context, cursor, startedMs } = this;
    const { needsStatistics, hasBreakers } = cursor.compiled;
    if (!(needsStatistics || hasBreakers) || 'failure' in result || outcome.shared === true) return;
    const { response } = result;
    if (response.status > 299 || !isEventStream(response) || outcome.hedge || !cursor.endsWith(outcome))
      return;
    // An encoded stream cannot continue the partial response, so it does not become the reply.
    if (context.attempts.partial !== null && !isPlainEvents(response)) return;
    context.attempts.pace = new StreamPace(context, cursor, response.status, startedMs, outcome.elapsedMs);
    this.outcome = { ...outcome, goesOn: true };
  }

  /**
   * Whether the outcome is known only at the end of the chosen stream, because another attempt may
   * still continue it.
   */
  private staysOpen(result: AttemptResult, outcome: AttemptOutcome): boolean {
    if ('failure' in result || result.response.upstream.target.onStreamFailure !== 'continue') return false;
    const { response } = result;
    const { route, spooled } = this.context;
    if (route.kind !== 'chat.completions' && route.kind !== 'messages') return false;
    if (response.cache?.isHit === true) return false;
    return (
      spooled === null && response.status < 300 && isPlainEvents(response) && this.cursor.endsWith(outcome)
    );
  }

  private keepOpen(): void {
    const { context, cursor, startedMs, outcome } = this;
    context.attempts.openStream = this;
    if (cursor.compiled.needsStatistics || cursor.compiled.hasBreakers) {
      const { status, elapsedMs } = outcome as AttemptOutcome;
      context.attempts.pace = new StreamPace(context, cursor, status ?? 200, startedMs, elapsedMs);
    }
    this.copyRouting();
    this.settle();
  }

  private noteCut(reason: string): void {
    const { context } = this;
    context.attempts.openStream = context.attempts.pace = null;
    const { records } = context.attempts;
    const last = records.at(-1);
    if (last) {
      const durationMs = context.elapsedMs() - last.startedMs;
      records[records.length - 1] = { ...last, end: 'interrupted', reason, durationMs };
    }
    if (this.outcome) this.outcome = { ...this.outcome, status: null, failure: 'cut' };
  }

  private discardLast(): void {
    if (this.last && 'response' in this.last) this.maker.discard(this.context, this.last.response);
    this.markIdle();
  }

  /**
   * Counts the endpoint as busy until the attempt fails or, when its response goes to the client,
   * until settlement.
   */
  private markBusy(): void {
    const endpoint = this.cursor.endpoint(this.step.target);
    this.context.attempts.busyEndpoint = endpoint;
    this.cursor.runtime.state.statistics.started(endpoint);
  }

  private markIdle(): void {
    const busyEndpoint = this.context.attempts.takeBusyEndpoint();
    if (busyEndpoint !== null) this.cursor.runtime.state.statistics.ended(busyEndpoint);
  }

  private finish(): void {
    this.cursor.abandon();
    this.copyRouting();
    this.settle();
  }

  private copyRouting(): void {
    const { context, cursor } = this;
    context.attempts.routedBy(cursor);
  }

  private settle(): void {
    try {
      settleOn(this.context, this.last);
      this.resolve();
    } catch (thrown) {
      this.reject(thrown);
    }
  }
}
