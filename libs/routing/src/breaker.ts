import type { CompiledBreaker } from './compile/compiled';
import type { AttemptOutcome } from './types';

/** The outcome of one call, as far as a breaker needs it. */
type Call = Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs' | 'speed'>;

export type BreakerPhase =
  /** All requests pass. */
  | 'closed'
  /** No request passes until the cooldown is over. */
  | 'open'
  /** A few probes pass, and their outcomes decide. */
  | 'half_open';

/**
 * Returns whether a call counts as a failure of its target; null when the call says nothing about
 * the target, because the gateway did not make it or a guardrail denied it.
 */
export function isBreakerFailure(
  { status, failure, elapsedMs, speed = null }: Call,
  rules: CompiledBreaker,
): boolean | null {
  if (failure === 'refused' || failure === 'denied') return null;
  if (failure !== null || status === null) return true;
  if (rules.slowCallMs !== null && elapsedMs > rules.slowCallMs) return true;
  if (rules.slowStreamSpeed !== null && speed !== null && speed < rules.slowStreamSpeed) return true;
  return rules.statusCodes === null ? status >= 500 : rules.statusCodes.includes(status);
}

/**
 * One circuit breaker: a state machine whose callers pass the current time.
 * Requests and failures are counted over the last half to whole window, in two halves, so no list
 * of calls is needed. The breaker opens by any of its rules and lets probes through after the
 * cooldown. `probesMax` successful probes close it; one failed probe opens it again.
 */
export class Breaker {
  private openedAtMs = 0;
  private openForMs = 0;
  private halfStartedMs = 0;
  private requests = 0;
  private failures = 0;
  private earlierRequests = 0;
  private earlierFailures = 0;
  private consecutive = 0;
  private probes = 0;
  private probedAtMs = 0;
  private successes = 0;

  phase(nowMs: number): BreakerPhase {
    if (this.openForMs === 0) return 'closed';
    const openSinceMs = nowMs - this.openedAtMs;
    // When the clock was set back, the breaker counts as cooled down, so that it does not stay open
    // too long.
    return openSinceMs >= 0 && openSinceMs < this.openForMs ? 'open' : 'half_open';
  }

  /** Whether a request would be let through. */
  admits(rules: CompiledBreaker, nowMs: number): boolean {
    const phase = this.phase(nowMs);
    return phase === 'closed' || (phase === 'half_open' && this.probesLeft(rules, nowMs) > 0);
  }

  /** Lets a request through, as a probe if one is due. `rejected` changes nothing. */
  enter(rules: CompiledBreaker, nowMs: number): 'passed' | 'probe' | 'rejected' {
    if (this.phase(nowMs) === 'closed') return 'passed';
    if (!this.admits(rules, nowMs)) return 'rejected';
    if (this.probesLeft(rules, nowMs) === rules.probesMax) this.probes = 0;
    this.probes++;
    this.probedAtMs = nowMs;
    return 'probe';
  }

  /** Ends a probe without a verdict, for example when the client disconnected. */
  release(): void {
    this.probes = Math.max(0, this.probes - 1);
  }

  /** Counts a call. Returns whether that opened or closed the breaker; null when it did neither. */
  record(
    rules: CompiledBreaker,
    failed: boolean,
    isProbe: boolean,
    nowMs: number,
  ): 'opened' | 'closed' | null {
    const phase = this.phase(nowMs);
    if (isProbe) this.release();
    // A call that started before the breaker opened says nothing new while it is open.
    if (phase !== 'closed') return phase === 'half_open' && isProbe ? this.judge(rules, failed, nowMs) : null;
    this.roll(rules.windowMs, nowMs);
    this.requests++;
    this.consecutive = failed ? this.consecutive + 1 : 0;
    if (!failed) return null;
    this.failures++;
    if (!this.breaks(rules)) return null;
    this.open(rules.cooldownMs, nowMs);
    return 'opened';
  }

  open(forMs: number, nowMs: number): void {
    this.reset();
    this.openedAtMs = nowMs;
    this.openForMs = forMs;
  }

  close(): void {
    this.reset();
    this.openForMs = 0;
  }

  private judge(rules: CompiledBreaker, failed: boolean, nowMs: number): 'opened' | 'closed' | null {
    if (failed) {
      this.open(rules.cooldownMs, nowMs);
      return 'opened';
    }
    if (++this.successes < rules.probesMax) return null;
    this.close();
    return 'closed';
  }

  private breaks(rules: CompiledBreaker): boolean {
    const failures = this.failures + this.earlierFailures;
    const requests = this.requests + this.earlierRequests;
    return (
      (rules.failures !== null && failures >= rules.failures) ||
      (rules.consecutiveFailures !== null && this.consecutive >= rules.consecutiveFailures) ||
      (rules.failurePercentage !== null &&
        requests >= rules.requestsMin &&
        failures * 100 >= rules.failurePercentage * requests)
    );
  }

  /**
   * Returns how many more probes may start. A probe without a reported outcome stops counting after
   * a cooldown.
   */
  private probesLeft(rules: CompiledBreaker, nowMs: number): number {
    const sinceMs = nowMs - this.probedAtMs;
    return sinceMs < 0 || sinceMs >= rules.cooldownMs ? rules.probesMax : rules.probesMax - this.probes;
  }

  private roll(windowMs: number, nowMs: number): void {
    const halfMs = windowMs / 2;
    const elapsedMs = nowMs - this.halfStartedMs;
    if (elapsedMs >= 0 && elapsedMs < halfMs) return;
    const isNext = elapsedMs >= 0 && elapsedMs < windowMs;
    this.earlierRequests = isNext ? this.requests : 0;
    this.earlierFailures = isNext ? this.failures : 0;
    this.requests = 0;
    this.failures = 0;
    this.halfStartedMs = nowMs;
  }

  private reset(): void {
    this.requests = this.failures = this.earlierRequests = this.earlierFailures = 0;
    this.consecutive = this.probes = this.successes = 0;
    this.probedAtMs = 0;
  }
}
