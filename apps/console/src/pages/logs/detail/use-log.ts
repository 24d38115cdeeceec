import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api';
import { isWorthTrying } from '../../../app';
import { decisionOf, type LogDetail } from './record';

/** Verdicts of guardrails in the background may be added for some time. */
const LATE_MS = 120_000;

const mayChange = (log: LogDetail | undefined): boolean =>
  log !== undefined && decisionOf(log).guardrails.some((guardrail) => guardrail.async);

/** A log is stored a moment after its response. One that is missing is looked for until its request is so long ago. */
const STORED_MS = 15_000;
const LOOK_MS = 400;

/** Ids of requests begin with their time: 48 bits of milliseconds since 1970. */
const isRecent = (logId: string): boolean =>
  Math.abs(Date.now() - Number.parseInt(logId.replaceAll('-', '').slice(0, 12), 16)) < STORED_MS;

/** A log without its bodies, which are read when their tab opens. */
export const useLog = (logId: string) =>
  useQuery({
    ...read('logs_get', { path: { logId }, query: { bodies: false } }),
    retry: (count, problem) => (problem.status === 404 ? isRecent(logId) : isWorthTrying(count, problem)),
    retryDelay: (count, problem) => (problem.status === 404 ? LOOK_MS : 1_000 * 2 ** count),
    staleTime: ({ state }) => (mayChange(state.data) ? LATE_MS : Infinity),
  });
