import type { AttemptEnd, AttemptRecord, ProviderDocument } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError, toGatewayError } from '@gw/kernel';
import { rateBuckets, type RateBucket, type RateCounters } from '@gw/limits';
import {
  createPlan,
  retryAfterMs,
  type AttemptOutcome,
  type RoutingCursor,
  type RoutingStep,
} from '@gw/routing';
import { parseJsonObject } from '../../http/json-body';
import { valueOf } from '../../http/header-rules';
import type { Answer, Upstream } from '../answer';
import type { RequestBuilder } from '../attempt/request-builder';
import { failureOf, type AttemptListener, type AttemptSender } from '../attempt/sender';
import type { Targeting } from '../attempt/targeting';
import type { Exchange, Stage } from '../exchange';
import { rateLimited } from './admit.stage';

type RoutingTry = Extract<RoutingStep, { kind: 'try' }>;
type Tried =
  { readonly answer: Answer } | { readonly failure: GatewayError; readonly outcome: AttemptOutcome };

/** Asks the plan for the next target until one answers well enough or nothing is left to try. */
export class AttemptStage implements Stage {
  private readonly providerBuckets = new WeakMap<ProviderDocument, readonly RateBucket[]>();

  constructor(
    private readonly targeting: Targeting,
    private readonly builder: RequestBuilder,
    private readonly sender: AttemptSender,
    private readonly counters: RateCounters,
  ) {}

  run(exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      new Attempts(this, exchange, this.plan(exchange), resolve, reject).goOn();
    });
  }

  /** Milliseconds that one attempt at the target may take. */
  timeoutOf(exchange: Exchange, target: CompiledTarget): number {
    return this.builder.timeoutOf(exchange, target);
  }

  /** Starts one attempt. Throws what keeps it from being made. */
  begin(exchange: Exchange, target: CompiledTarget, listener: AttemptListener): void {
    const picked = this.targeting.pick(exchange, target);
    if (picked instanceof Promise || (picked.saved && picked.saved.rateLimits.length > 0))
      this.beginLater(exchange, picked, listener).catch((thrown: unknown) => listener.refused(thrown));
    else this.send(exchange, picked, listener);
  }

  private async beginLater(
    exchange: Exchange,
    picked: Upstream | Promise<Upstream>,
    listener: AttemptListener,
  ): Promise<void> {
    const upstream = await picked;
    if (upstream.saved && upstream.saved.rateLimits.length > 0) await this.admit(exchange, upstream.saved);
    this.send(exchange, upstream, listener);
  }

  private send(exchange: Exchange, upstream: Upstream, listener: AttemptListener): void {
    const built = this.builder.build(exchange, upstream);
    const { clientBody } = built;
    this.sender.send(exchange, clientBody === null ? upstream : { ...upstream, clientBody }, built, listener);
  }

  private plan(exchange: Exchange): RoutingCursor {
    const { config, req, metadata } = exchange;
    if (config === null) throw new GatewayError('internal_error');
    const at = exchange.url.length - exchange.query.length;
    return createPlan(
      config,
      {
        metadata,
        params: () => (exchange.scan && !exchange.scan.isForm ? exchange.json(parseJsonObject) : undefined),
        header: (name) => {
          const value = req.headers[name];
          return Array.isArray(value) ? value.join(', ') : value;
        },
        pathname: exchange.url.slice(0, at),
        model: () => exchange.scan?.model ?? null,
      },
      RUNTIME,
    );
  }

  /** A provider's own rate limits count every attempt that picks it. */
  private async admit(exchange: Exchange, saved: ProviderDocument): Promise<void> {
    let buckets = this.providerBuckets.get(saved);
    if (!buckets) {
      buckets = rateBuckets('provider', saved.id, saved.rateLimits);
      this.providerBuckets.set(saved, buckets);
    }
    const verdict = await this.counters.admit(buckets, Date.now());
    exchange.limits.push(...verdict.states);
    if (!verdict.admitted) throw rateLimited(verdict);
    exchange.buckets = [...exchange.buckets, ...buckets];
  }
}

/** The attempts of one request, one after the other. */
class Attempts implements AttemptListener {
  private last: Tried | null = null;
  private outcome: AttemptOutcome | null = null;
  private step!: RoutingTry;
  private startedMs = 0;

  constructor(
    private readonly stage: AttemptStage,
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
      if (exchange.elapsedMs() + step.waitMs > this.stage.timeoutOf(exchange, step.target)) {
        this.finish();
        return;
      }
      this.discardLast();
      void waitFor(exchange, step.waitMs).then(() => this.begin());
    } catch (thrown) {
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
    try {
      this.stage.begin(this.exchange, this.step.target, this);
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  private note(tried: Tried): void {
    const { exchange, step, startedMs } = this;
    const elapsedMs = exchange.elapsedMs() - startedMs;
    exchange.waitedMs += elapsedMs;
    this.last = tried;
    this.outcome = 'answer' in tried ? outcomeOf(tried.answer, elapsedMs) : tried.outcome;
    record(exchange, step.target, step.retry, tried, startedMs, elapsedMs);
    // A streamed body has gone with the first try.
    if (exchange.bodyStream !== null) this.finish();
    else this.goOn();
  }

  private discardLast(): void {
    if (this.last && 'answer' in this.last) this.last.answer.discard();
  }

  private finish(): void {
    const { exchange, cursor } = this;
    exchange.strategy = cursor.strategyTrail;
    exchange.matchedCondition = cursor.matchedCondition;
    try {
      settleOn(exchange, this.last);
      this.resolve();
    } catch (thrown) {
      this.reject(thrown);
    }
  }
}

/** Of an attempt that got no answer. */
const outcomeWithout = (status: number, failure: AttemptOutcome['failure']): AttemptOutcome => ({
  status,
  failure,
  retryAfterMs: null,
  elapsedMs: 0,
});

const RUNTIME = { random: Math.random, now: Date.now };

function outcomeOf(answer: Answer, elapsedMs: number): AttemptOutcome {
  const { status, headers } = answer;
  if (status < 400) return { status, failure: null, retryAfterMs: null, elapsedMs };
  return {
    status,
    failure: null,
    retryAfterMs: retryAfterMs((name) => valueOf(headers, name), Date.now()),
    elapsedMs,
  };
}

function settleOn(exchange: Exchange, last: Tried | null): void {
  if (exchange.clientGone) {
    if (last && 'answer' in last) last.answer.call?.abort();
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
