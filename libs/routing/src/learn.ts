import type { CompiledConfig, CompiledTarget } from './compile/compiled';
import { isBreakerFailure } from './breaker';
import type { Mark } from './health';
import type { AttemptOutcome, ChoiceContext } from './types';

/**
 * How long an endpoint that refused its credential is put last. It stays usable, because the
 * refusal may concern one model or one request.
 */
const CREDENTIAL_MARK_MS = 30_000;
/** How long a rate-limited endpoint is skipped when its response gives no time, and the maximum. */
const RATE_LIMIT_MARK_MS = 1_000;
const RATE_LIMIT_MARK_MS_MAX = 60_000;

export interface AttemptTargets {
  readonly target: CompiledTarget;
  /** For a hedged attempt, the target of its second request. */
  readonly second: CompiledTarget | null;
  /** The attempt was a probe of the target's breaker. */
  readonly isProbe: boolean;
}

/** The only call of an attempt, or one of the two calls of a hedged attempt. */
type Call = Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs' | 'speed'> & {
  readonly retryAfterMs?: number | null;
  readonly cancelled?: boolean;
};

/**
 * Records what an outcome says about the endpoints involved. Does nothing for a config that does
 * not use it.
 */
export function learn(
  { target, second, isProbe }: AttemptTargets,
  outcome: AttemptOutcome,
  situation: ChoiceContext,
): void {
  const { compiled, runtime } = situation;
  if (!compiled.needsStatistics && !compiled.hasBreakers && !markOf(compiled, outcome)) return;
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

function learnCall(target: CompiledTarget, call: Call, isProbe: boolean, situation: ChoiceContext): void {
  const { compiled, runtime } = situation;
  const { health, statistics } = runtime.state;
  const endpoint = situation.endpoint(target);
  const nowMs = runtime.now();
  if (compiled.needsStatistics && isMeasured(call)) {
    statistics.latency(endpoint, call.elapsedMs, nowMs);
    if (typeof call.speed === 'number') statistics.speed(endpoint, call.speed, nowMs);
  }
  const mark = markOf(compiled, call);
  if (mark !== null) health.mark(endpoint, mark, nowMs + markMs(mark, call.retryAfterMs ?? null), nowMs);
  const { breaker } = target;
  if (breaker === null) return;
  const failed = call.cancelled === true ? null : isBreakerFailure(call, breaker);
  if (failed === null) {
    if (isProbe) health.release(endpoint, breaker);
    return;
  }
  const transition = health.record(endpoint, breaker, { failed, isProbe }, nowMs);
  if (transition !== null)
    situation.note(target.path, transition === 'opened' ? 'breaker_opened' : 'breaker_closed');
}

/**
 * Whether a call's duration counts as a measurement.
 * A fast failure does not make a target fast, so it does not count. A call that timed out or was
 * cancelled counts with the time waited: without the slow calls every learnt percentile would be
 * too low.
 */
function isMeasured({ status, failure, cancelled }: Call): boolean {
  if (cancelled === true || failure === 'timeout') return true;
  return failure === null && status !== null && status < 400;
}

/** Returns the mark that an outcome gives; null when there is no other target to prefer. */
function markOf(
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
