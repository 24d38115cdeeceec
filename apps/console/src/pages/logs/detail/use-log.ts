import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api';
import { decisionOf, type LogDetail } from './record';

/** Verdicts of guardrails in the background may be added for some time. */
const LATE_MS = 120_000;

const mayChange = (log: LogDetail | undefined): boolean =>
  log !== undefined && decisionOf(log).guardrails.some((guardrail) => guardrail.async);

/** A log without its bodies, which are read when their tab opens. */
export const useLog = (logId: string) =>
  useQuery({
    ...read('logs_get', { path: { logId }, query: { bodies: false } }),
    staleTime: ({ state }) => (mayChange(state.data) ? LATE_MS : Infinity),
  });
