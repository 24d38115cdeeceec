import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api';
import { isWorthTrying } from '../../../app';
import { decisionOf, type LogDetail } from './record';

/** Time during which verdicts of asynchronous guardrails can still be added to a log. */
const LATE_MS = 120_000;

const mayChange = (log: LogDetail | undefined): boolean =>
  log !== undefined && decisionOf(log).guardrails.some((guardrail) => guardrail.async);

/**
 * Time after the request during which a missing log is read again, because logs are stored a moment
 * after the response.
 */
const STORED_MS = 15_000;
const LOOK_MS = 400;

/**
 * Whether a request is recent, by its id (UUID version 7), which begins with 48 bits of Unix
 * milliseconds.
 */
const isRecent = (logId: string): boolean =>
  Math.abs(Date.now() - Number.parseInt(logId.replaceAll('-', '').slice(0, 12), 16)) < STORED_MS;

/** Reads a log without its bodies, which their tabs read when they open. */
export const useLog = (logId: string) =>
  useQuery({
    ...read('logs_get', { path: { logId }, query: { bodies: false } }),
    retry: (count, problem) => (problem.status === 404 ? isRecent(logId) : isWorthTrying(count, problem)),
    retryDelay: (count, problem) => (problem.status === 404 ? LOOK_MS : 1_000 * 2 ** count),
    staleTime: ({ state }) => (mayChange(state.data) ? LATE_MS : Infinity),
  });
