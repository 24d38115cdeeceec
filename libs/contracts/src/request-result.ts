import { RESULT_RULES } from '@gw/kernel';
import type { LogRecord } from './log-record';

/** The inputs of `resultOf`. An empty outcome is unknown, so the status alone decides. */
export interface RequestEnd {
  readonly outcome: LogRecord['outcome'] | '';
  readonly status: number;
}

/**
 * `neither`: a redirect, or a client that disconnected during a successful response. That response
 * is incomplete, but not because of the gateway or the provider.
 */
export type RequestResult = 'success' | 'error' | 'neither';

const SUCCESSES: ReadonlySet<string> = new Set(RESULT_RULES.success.outcomes);
const NO_ERRORS: ReadonlySet<string> = new Set(RESULT_RULES.error.exceptOutcomes);

/**
 * Returns whether a request succeeded. Everything that shows, counts or filters successes and
 * errors uses this.
 */
export function resultOf({ outcome, status }: RequestEnd): RequestResult {
  const { success, error } = RESULT_RULES;
  if (SUCCESSES.has(outcome) && success.statuses.some(([from, to]) => status >= from && status <= to))
    return 'success';
  return status >= error.statusMin || !NO_ERRORS.has(outcome) ? 'error' : 'neither';
}

export const isSuccess = (end: RequestEnd): boolean => resultOf(end) === 'success';
