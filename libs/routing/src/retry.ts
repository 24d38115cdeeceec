import type { CompiledRetry } from '@gw/config-schema';
import type { AttemptOutcome, RoutingRuntime } from './types';

/** All waits of one request together. A wait that does not fit ends the retries at once. */
export const WAIT_BUDGET_MS = 60_000;

const BACK_OFF_BASE_MS = 1000;
const BACK_OFF_MAX_MS = 8000;

/** Statuses of a guardrail's verdict: the provider is not at fault, so repeating needs no pause. */
const VERDICT_STATUSES: readonly number[] = [246, 446];

/**
 * Whether an outcome is worth another try of the same target. Statuses follow the list. A connection that failed or broke off is
 * retried in any case; a timeout by its status, so that a slow target is not waited for again unless the list says 408 or 504;
 * a target that the gateway did not call never.
 */
export function isRetryable({ status, failure }: AttemptOutcome, retry: CompiledRetry): boolean {
  switch (failure) {
    case 'unreachable':
    case 'interrupted':
      return true;
    case 'refused':
      return false;
    case 'timeout':
      return retry.onStatusCodes.includes(status ?? 408);
    case 'denied':
    case null:
      return status !== null && retry.onStatusCodes.includes(status);
  }
}

/**
 * Milliseconds before retry number `retry` (1 is the first), or null when the wait does not fit the budget. Back-off is 1 s,
 * 2 s, 4 s, then 8 s, each shortened by up to half at random so that callers spread.
 */
export function waitBefore(
  retry: number,
  outcome: AttemptOutcome,
  rules: CompiledRetry,
  budgetMs: number,
  runtime: RoutingRuntime,
): number | null {
  if (outcome.status !== null && VERDICT_STATUSES.includes(outcome.status)) return 0;
  if (rules.useRetryAfterHeader && outcome.retryAfterMs !== null) {
    const waitMs = Math.max(0, outcome.retryAfterMs);
    return waitMs < WAIT_BUDGET_MS && waitMs <= budgetMs ? waitMs : null;
  }
  const backOffMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_BASE_MS * 2 ** (retry - 1));
  const waitMs = Math.round(backOffMs * (1 - runtime.random() / 2));
  return waitMs <= budgetMs ? waitMs : null;
}
