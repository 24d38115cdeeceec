import type { AttemptEnd, AttemptRecord, ProviderDocument } from '@gw/contracts';
import type { CompiledTarget } from '@gw/config-schema';
import { GatewayError, toGatewayError } from '@gw/kernel';
import { rateBuckets, type RateBucket, type RateCounters } from '@gw/limits';
import {
  createPlan,
  createRoutingState,
  retryAfterMs,
  type AttemptOutcome,
  type RoutingCursor,
} from '@gw/routing';
import { parseJsonObject } from '../../http/json-body';
import { valueOf } from '../../http/header-rules';
import type { Answer, Upstream } from '../answer';
import { endpointOf } from '../attempt/endpoint';
import type { RequestBuilder } from '../attempt/request-builder';
import { failureOf, type AttemptSender } from '../attempt/sender';
import type { Targeting } from '../attempt/targeting';
import type { Exchange, Stage } from '../exchange';
import { rateLimited } from './admit.stage';

type Tried =
  { readonly answer: Answer } | { readonly failure: GatewayError; readonly outcome: AttemptOutcome };

/** Asks the plan for the next target until one answers well enough or nothing is left to try. */
export class AttemptStage implements Stage {
  readonly name = 'attempt';
  private readonly providerBuckets = new WeakMap<ProviderDocument, readonly RateBucket[]>();

  constructor(
    private readonly targeting: Targeting,
    private readonly builder: RequestBuilder,
    private readonly sender: AttemptSender,
    private readonly counters: RateCounters,
  ) {}

  async run(exchange: Exchange): Promise<void> {
    const cursor = this.plan(exchange);
    let last: Tried | null = null;
    let outcome: AttemptOutcome | null = null;
    for (;;) {
      const step = cursor.next(outcome);
      if (step.kind === 'stop') break;
      // Waiting for a retry must not outlive what one call may take.
      if (
        step.waitMs > 0 &&
        exchange.elapsedMs() + step.waitMs > this.builder.timeoutOf(exchange, step.target)
      )
        break;
      if (last && 'answer' in last) last.answer.discard();
      if (step.waitMs > 0) await waitFor(exchange, step.waitMs);
      if (exchange.clientGone) break;
      const startedMs = exchange.elapsedMs();
      last = await this.attempt(exchange, step.target);
      const elapsedMs = exchange.elapsedMs() - startedMs;
      exchange.waitedMs += elapsedMs;
      outcome = 'answer' in last ? outcomeOf(last.answer, elapsedMs) : last.outcome;
      record(exchange, step.target, step.retry, last, startedMs, elapsedMs);
      // A streamed body has gone with the first try.
      if (exchange.bodyStream !== null) break;
    }
    exchange.strategy = cursor.strategyTrail;
    exchange.matchedCondition = cursor.matchedCondition;
    settleOn(exchange, last);
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
        caller: () => exchange.principal?.key.id ?? '',
        endpoint: (target) => endpointOf(exchange, target),
      },
      RUNTIME,
    );
  }

  private async attempt(exchange: Exchange, target: CompiledTarget): Promise<Tried> {
    let upstream: Upstream;
    let answer: Answer;
    try {
      const picked = this.targeting.pick(exchange, target);
      upstream = picked instanceof Promise ? await picked : picked;
      if (upstream.saved && upstream.saved.rateLimits.length > 0) await this.admit(exchange, upstream.saved);
      const built = this.builder.build(exchange, upstream);
      upstream = built.clientBody === null ? upstream : { ...upstream, clientBody: built.clientBody };
      answer = await this.sender.send(exchange, upstream, built);
    } catch (thrown) {
      const failure = toGatewayError(thrown);
      return {
        failure,
        outcome: { status: failure.status, failure: 'refused', retryAfterMs: null, elapsedMs: 0 },
      };
    }
    const { error } = answer;
    if (error === null || answer.status !== 0) return { answer };
    const failure = failureOf(error, exchange, upstream);
    return {
      failure,
      outcome: {
        status: failure.status,
        failure: error.failure === 'aborted' ? 'interrupted' : error.failure,
        retryAfterMs: null,
        elapsedMs: 0,
      },
    };
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

const RUNTIME = { random: Math.random, now: Date.now, state: createRoutingState() };

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
    exchange.whenClientGone(done);
  });
}
