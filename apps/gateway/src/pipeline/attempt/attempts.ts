import type { AttemptEnd, AttemptRecord } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError, toGatewayError } from '@gw/kernel';
import { retryAfterMs, type AttemptOutcome, type RoutingCursor, type RoutingStep } from '@gw/routing';
import { valueOf } from '../../http/header-rules';
import type { Answer } from '../answer';
import type { Exchange } from '../exchange';
import { RECEIVE_STAGE } from '../pipeline';
import { failureOf, type AttemptListener } from './sender';

type RoutingTry = Extract<RoutingStep, { kind: 'try' }>;
/** Of an attempt that got no answer. */
type Unanswered = Omit<AttemptOutcome, 'elapsedMs'>;
type Tried = { readonly answer: Answer } | { readonly failure: GatewayError; readonly outcome: Unanswered };

/** Makes one attempt. */
export interface AttemptMaker {
  /** Milliseconds that one attempt at the target may take. */
  timeoutOf(exchange: Exchange, target: CompiledTarget): number;
  /** Starts one attempt. Throws what keeps it from being made. */
  begin(exchange: Exchange, target: CompiledTarget, listener: AttemptListener): void;
  /** Reads an answer that the client does not get to its end. */
  discard(exchange: Exchange, answer: Answer): void;
}

/** The attempts of one request, one after the other. */
export class Attempts implements AttemptListener {
  private last: Tried | null = null;
  private outcome: AttemptOutcome | null = null;
  private step!: RoutingTry;
  private startedMs = 0;

  constructor(
    private readonly maker: AttemptMaker,
    private readonly exchange: Exchange,
    private readonly cursor: RoutingCursor,
    private readonly resolve: () => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  /** Takes the next step of the plan, or ends. */
  goOn(): void {
    try {
      const { exchange } = this;
      const step = this.cursor.next(this.outcome);
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
      // Waiting for a retry must not outlive what one call may take.
      if (sinceReceived(exchange) + step.waitMs > this.maker.timeoutOf(exchange, step.target)) {
        this.finish();
        return;
      }
      this.discardLast();
      void waitFor(exchange, step.waitMs).then(() => this.begin());
    } catch (thrown) {
      this.cursor.abandon();
      this.reject(thrown);
    }
  }

  answered(answer: Answer): void {
    const { error } = answer;
    if (error === null || answer.status !== 0) {
      this.note({ answer });
      return;
    }
    const failure = failureOf(error, this.exchange, answer.upstream);
    if (error.failure === 'aborted' && this.exchange.clientGone) this.exchange.left = answer.upstream;
    const kind = error.failure === 'aborted' ? 'interrupted' : error.failure;
    this.note({ failure, outcome: outcomeWithout(failure.status, kind) });
  }

  refused(thrown: unknown): void {
    const failure = toGatewayError(thrown);
    this.note({ failure, outcome: outcomeWithout(failure.status, 'refused') });
  }

  private begin(): void {
    this.discardLast();
    if (this.exchange.clientGone) {
      this.finish();
      return;
    }
    this.startedMs = this.exchange.elapsedMs();
    if (this.cursor.compiled.needsStatistics) this.markBusy();
    try {
      this.maker.begin(this.exchange, this.step.target, this);
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  private note(tried: Tried): void {
    const { exchange, step, startedMs } = this;
    const elapsedMs = exchange.elapsedMs() - startedMs;
    exchange.waitedMs += elapsedMs;
    this.last = tried;
    if ('failure' in tried) this.markIdle();
    this.outcome = 'answer' in tried ? outcomeOf(tried.answer, elapsedMs) : { ...tried.outcome, elapsedMs };
    record(exchange, step.target, step.retry, tried, startedMs, elapsedMs);
    // What ends because the client leaves says nothing of the target.
    if (exchange.clientGone) this.finish();
    else this.goOn();
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
    const { exchange, cursor } = this;
    cursor.abandon();
    exchange.strategy = cursor.strategyTrail;
    exchange.matchedCondition = cursor.matchedCondition;
    exchange.routing = cursor.routingEvents;
    try {
      settleOn(exchange, this.last);
      this.resolve();
    } catch (thrown) {
      this.reject(thrown);
    }
  }
}

const outcomeWithout = (status: number, failure: AttemptOutcome['failure']): Unanswered => ({
  status,
  failure,
  retryAfterMs: null,
});

/** Milliseconds without those in which the client sent its body, which may be minutes. */
const sinceReceived = (exchange: Exchange): number =>
  exchange.elapsedMs() - Math.max(0, exchange.stageMs[RECEIVE_STAGE] ?? 0);

function outcomeOf(answer: Answer, elapsedMs: number): AttemptOutcome {
  const { status, headers } = answer;
  if (status < 400) return { status, failure: null, retryAfterMs: null, elapsedMs };
  return {
    status,
    failure: null,
    retryAfterMs: retryAfterMs((name) => valueOf(headers, name), Date.now(), status),
    elapsedMs,
  };
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

function record(
  exchange: Exchange,
  target: CompiledTarget,
  retry: number,
  tried: Tried,
  startedMs: number,
  durationMs: number,
): void {
  exchange.attempts.push({
    target: target.path,
    ...namesOf(exchange, target, tried),
    retry,
    status: 'answer' in tried ? tried.answer.status : null,
    end: exchange.clientGone ? 'client_closed' : endOf(tried),
    reason: 'failure' in tried ? tried.failure.message : null,
    startedMs,
    durationMs,
  });
}

/** Of an attempt that was never made, only what the target or the request called it is known. */
function namesOf(
  exchange: Exchange,
  target: CompiledTarget,
  tried: Tried,
): Pick<AttemptRecord, 'provider' | 'credential' | 'model'> {
  if ('failure' in tried) {
    return { provider: target.provider ?? exchange.gw.provider ?? '', credential: null, model: null };
  }
  const { provider, saved, model } = tried.answer.upstream;
  return { provider: provider.id, credential: saved?.slug ?? null, model };
}

function endOf(tried: Tried): AttemptEnd {
  if ('answer' in tried) return tried.answer.status < 400 ? 'answered' : 'status';
  const { failure } = tried.outcome;
  // Nothing was sent where the outbound door was never reached.
  if (failure === 'timeout' || failure === 'unreachable' || failure === 'interrupted') return failure;
  return tried.failure.type === 'custom_host_refused' ? 'refused' : 'skipped';
}

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
