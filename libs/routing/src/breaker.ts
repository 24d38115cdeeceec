import type { CompiledBreaker } from '@gw/config-schema';
import type { AttemptOutcome } from './types';

/** What became of one call, as far as a breaker looks. */
type Call = Pick<AttemptOutcome, 'status' | 'failure' | 'elapsedMs' | 'speed'>;

export type BreakerPhase =
  /** Everything passes. */
  | 'closed'
  /** Nothing passes until the cooldown is over. */
  | 'open'
  /** A few probes pass and decide. */
  | 'half_open';

/**
 * Whether a call counts against its target. Null: it says nothing of it, since the gateway did not call it or a guardrail spoke.
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
 * One circuit breaker: a state machine without a clock of its own. Requests and failures are counted over the last half to whole
 * window, in two halves, so that it needs no list of calls. It opens on any of its rules, and lets probes through after the cooldown: as
 * many successes as there may be probes at a time close it, one failure opens it anew.
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
    // A clock that was set back must not keep it open: then it counts as cooled down.
    return openSinceMs >= 0 && openSinceMs < this.openForMs ? 'open' : 'half_open';
  }

  /** Whether a request would be let through. */
  admits(rules: CompiledBreaker, nowMs: number): boolean {
    const phase = this.phase(nowMs);
    return phase === 'closed' || (phase === 'half_open' && this.probesLeft(rules, nowMs) > 0);
  }

  /** Lets a request through, as a probe where one is due; `rejected` changes nothing. */
  enter(rules: CompiledBreaker, nowMs: number): 'passed' | 'probe' | 'rejected' {
    if (this.phase(nowMs) === 'closed') return 'passed';
    if (!this.admits(rules, nowMs)) return 'rejected';
    if (this.probesLeft(rules, nowMs) === rules.probesMax) this.probes = 0;
    this.probes++;
    this.probedAtMs = nowMs;
    return 'probe';
  }

  /** A probe ended without a verdict, such as when the client left. */
  release(): void {
    this.probes = Math.max(0, this.probes - 1);
  }

  /** Counts a call. Tells when that opened or closed the breaker. */
  record(
    rules: CompiledBreaker,
    failed: boolean,
    isProbe: boolean,
    nowMs: number,
  ): 'opened' | 'closed' | null {
    const phase = this.phase(nowMs);
    if (isProbe) this.release();
    // What began before the breaker opened says nothing new while it is open.
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

  /** A probe that is never heard of again gives its place back after a cooldown. */
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
