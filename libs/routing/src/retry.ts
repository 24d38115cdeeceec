import { CONFIG_LIMITS, type CompiledRetry, type CompiledTarget } from '@gw/config-schema';
import type { AttemptOutcome, RoutingRuntime } from './types';

/** All waits of one request together; a config can ask for less. A wait that does not fit ends the retries at once, and a fallback moves on. */
export const WAIT_BUDGET_MS = CONFIG_LIMITS.waitBudgetMsMax;

const BACK_OFF_BASE_MS = 1000;
const BACK_OFF_MAX_MS = 8000;

/** Statuses of a guardrail's verdict: the provider is not at fault, so repeating needs no pause. */
const VERDICT_STATUSES: readonly number[] = [246, 446];

/**
 * Whether an outcome is worth another try of the same target. Statuses follow the list. A connection that failed or broke off is
 * retried in any case; a timeout by its status, so that a slow target is not waited for again unless the list says 408 or 504;
 * a target that the gateway did not call, or that redirects, never; an answer that the client has part of only where it may be
 * continued.
 */
export function isRetryable({ status, failure }: AttemptOutcome, target: CompiledTarget): boolean {
  const { retry } = target;
  switch (failure) {
    case 'unreachable':
    case 'interrupted':
      return true;
    case 'cut':
      return target.onStreamFailure === 'continue';
    case 'refused':
    case 'redirected':
      return false;
    case 'timeout':
      return retry.onStatusCodes.includes(status ?? 408);
    case 'denied':
    case null:
      return status !== null && retry.onStatusCodes.includes(status);
  }
}

/**
 * Milliseconds before retry number `retry` (1 is the first), or null when the wait does not fit the budget of the config or the
 * time of the request. Back-off is a random part of 1 s, 2 s, 4 s, then 8 s: full jitter spreads callers that failed together
 * best.
 */
export function waitBefore(
  retry: number,
  outcome: AttemptOutcome,
  rules: CompiledRetry,
  waitedMs: number,
  runtime: RoutingRuntime,
): number | null {
  if (outcome.status !== null && VERDICT_STATUSES.includes(outcome.status)) return 0;
  const budgetMs = Math.min(rules.waitBudgetMs - waitedMs, outcome.waitMaxMs ?? Infinity);
  if (rules.useRetryAfterHeader && outcome.retryAfterMs !== null) {
    const waitMs = Math.max(0, outcome.retryAfterMs);
    return waitMs < WAIT_BUDGET_MS && waitMs <= budgetMs ? waitMs : null;
  }
  const backOffMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_BASE_MS * 2 ** (retry - 1));
  const waitMs = Math.round(backOffMs * (1 - runtime.random()));
  return waitMs <= budgetMs ? waitMs : null;
}

/** Whether a hedge is over with this outcome: an answer, and none that another endpoint would likely give better. */
export const endsHedge = ({ status, failure }: Pick<AttemptOutcome, 'status' | 'failure'>): boolean =>
  failure === null && status !== null && status < 500 && !ELSEWHERE_BETTER.includes(status);

/** Credential, quota and time: faults of one endpoint, not of the request. */
const ELSEWHERE_BETTER: readonly number[] = [401, 402, 403, 408, 429];
