import { CONFIG_LIMITS } from '@gw/config-schema';
import type { CompiledRetry, CompiledTarget } from './compile/compiled';
import type { AttemptOutcome, RoutingRuntime } from './types';

/**
 * Upper bound on the total wait of a request, in milliseconds; a config can set less. A wait that
 * does not fit ends the retries at once, and a fallback moves on.
 */
export const WAIT_BUDGET_MS = CONFIG_LIMITS.waitBudgetMsMax;

const BACK_OFF_BASE_MS = 1000;
const BACK_OFF_MAX_MS = 8000;

/** Statuses of a guardrail verdict. The provider is not at fault, so a retry needs no pause. */
const VERDICT_STATUSES: readonly number[] = [246, 446];

/**
 * Returns whether to attempt the same target again.
 * Statuses follow the configured list. A connection that failed or broke off is always retried. A
 * timeout is retried by its status, so only if the list has 408 or 504. A target that the gateway
 * did not call, or that redirects, is never retried. A stream that broke off after a part of it
 * reached the client is retried only with `on_stream_failure: continue`.
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
 * Returns the milliseconds to wait before retry number `retry` (1 is the first); null when the wait
 * does not fit the config's budget or the request's time.
 * The back-off is a random part of 1 s, 2 s, 4 s, then 8 s. This full jitter spreads the retries of
 * callers that failed at the same time.
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

/**
 * Whether a hedge ends with this outcome: a response that another endpoint is unlikely to improve
 * on.
 */
export const endsHedge = ({ status, failure }: Pick<AttemptOutcome, 'status' | 'failure'>): boolean =>
  failure === null && status !== null && status < 500 && !ENDPOINT_FAULTS.includes(status);

/** Failures of credential, quota or time concern one endpoint, not the request. */
const ENDPOINT_FAULTS: readonly number[] = [401, 402, 403, 408, 429];
