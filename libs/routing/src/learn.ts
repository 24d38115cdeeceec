import type { CompiledConfig, CompiledTarget } from '@gw/config-schema';
import { isBreakerFailure } from './breaker';
import type { Mark } from './health';
import type { AttemptOutcome, Situation } from './types';

/** How long a refused credential is put last. It is not ruled out: the refusal may have been about one model or one request. */
const CREDENTIAL_MARK_MS = 30_000;
/** How long a rate-limited endpoint is passed over when it does not say, and at most. */
const RATE_LIMIT_MARK_MS = 1_000;
const RATE_LIMIT_MARK_MS_MAX = 60_000;

export interface Tried {
  readonly target: CompiledTarget;
  /** Of a hedged try, where its second request went. */
  readonly second: CompiledTarget | null;
  /** The try was a probe of the target's breaker. */
  readonly isProbe: boolean;
}

/** The outcome of the request that won a hedge, or of the only one, says more than that of the other. */
type Call = Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs' | 'speed'> & {
  readonly retryAfterMs?: number | null;
  readonly cancelled?: boolean;
};

/** Keeps what an outcome says of the endpoints that took part. Does nothing for a config that has no use for it. */
export function learn(
  { target, second, isProbe }: Tried,
  outcome: AttemptOutcome,
  situation: Situation,
): void {
  const { compiled, runtime } = situation;
  if (!compiled.needsStatistics && !compiled.hasBreakers && !marks(compiled, outcome)) return;
  if (outcome.shared === true) {
    if (isProbe && target.breaker) runtime.state.health.release(situation.endpoint(target), target.breaker);
    return;
  }
  const { hedge } = outcome;
  if (hedge === undefined || second === null) {
    learnCall(target, outcome, isProbe, situation);
    return;
  }
  const isFirst = hedge.winner === 'first';
  runtime.state.hedges.settled(!isFirst);
  learnCall(target, isFirst ? outcome : hedge.other, isProbe, situation);
  learnCall(second, isFirst ? hedge.other : outcome, false, situation);
}

function learnCall(target: CompiledTarget, call: Call, isProbe: boolean, situation: Situation): void {
  const { compiled, runtime } = situation;
  const { health, statistics } = runtime.state;
  const endpoint = situation.endpoint(target);
  const nowMs = runtime.now();
  if (compiled.needsStatistics && isMeasured(call)) {
    statistics.latency(endpoint, call.elapsedMs, nowMs);
    if (typeof call.speed === 'number') statistics.speed(endpoint, call.speed, nowMs);
  }
  const mark = marks(compiled, call);
  if (mark !== null) health.mark(endpoint, mark, nowMs + markMs(mark, call.retryAfterMs ?? null), nowMs);
  const { breaker } = target;
  if (breaker === null) return;
  const failed = call.cancelled === true ? null : isBreakerFailure(call, breaker);
  if (failed === null) {
    if (isProbe) health.release(endpoint, breaker);
    return;
  }
  const turned = health.record(endpoint, breaker, { failed, isProbe }, nowMs);
  if (turned !== null) situation.note(target.path, turned === 'opened' ? 'breaker_opened' : 'breaker_closed');
}

/**
 * A failure that came quickly does not make a target fast, so it is left out. What was given up counts with the time that it was
 * waited for: leaving it out would cut off the slow calls, and with them each percentile that is learnt.
 */
function isMeasured({ status, failure, cancelled }: Call): boolean {
  if (cancelled === true || failure === 'timeout') return true;
  return failure === null && status !== null && status < 400;
}

/** Of use only where there is another target to go to. */
function marks(
  { targets }: CompiledConfig,
  outcome: Pick<AttemptOutcome, 'status' | 'failure'>,
): Mark | null {
  const { status, failure } = outcome;
  if (failure !== null || targets.length === 1) return null;
  if (status === 401 || status === 402 || status === 403) return 'credential_failing';
  return status === 429 ? 'rate_limited' : null;
}

function markMs(mark: Mark, retryAfterMs: number | null): number {
  if (mark === 'credential_failing') return CREDENTIAL_MARK_MS;
  return Math.min(retryAfterMs ?? RATE_LIMIT_MARK_MS, RATE_LIMIT_MARK_MS_MAX);
}
