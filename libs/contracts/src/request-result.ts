import { RESULT_RULES } from '@gw/kernel';
import type { LogRecord } from './log-record';

/** What the verdict on a request is made of. An empty outcome is unknown: the status alone decides. */
export interface RequestEnd {
  readonly outcome: LogRecord['outcome'] | '';
  readonly status: number;
}

/**
 * `neither`: a redirect, or a client that left an answer that had begun well; it is not whole, and says nothing against the gateway or
 * the provider.
 */
export type RequestResult = 'success' | 'error' | 'neither';

const SUCCESSES: ReadonlySet<string> = new Set(RESULT_RULES.success.outcomes);
const NO_ERRORS: ReadonlySet<string> = new Set(RESULT_RULES.error.exceptOutcomes);

/** Tells success from error. All that shows, counts or filters successes and errors decides by it. */
export function resultOf({ outcome, status }: RequestEnd): RequestResult {
  const { success, error } = RESULT_RULES;
  if (SUCCESSES.has(outcome) && success.statuses.some(([from, to]) => status >= from && status <= to))
    return 'success';
  return status >= error.statusMin || !NO_ERRORS.has(outcome) ? 'error' : 'neither';
}

export const isSuccess = (end: RequestEnd): boolean => resultOf(end) === 'success';
