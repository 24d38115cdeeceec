import type { DecisionRecord } from '@gw/contracts';
import type { Problem } from '../api';

/** `waiting`: nothing has come. `failed`: see `problem`. `stopped`: ended by the user. */
export type RunStatus = 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped';

/** One request from this browser to the gateway, and what has come of it. Milliseconds are since it was sent. */
export interface Run {
  readonly status: RunStatus;
  readonly httpStatus: number | null;
  /** Id of the log. */
  readonly requestId: string | null;
  readonly traceId: string | null;
  /** Text of the answer so far. */
  readonly text: string;
  /** Text was left out because the answer is larger than `TEXT_MAX`. */
  readonly isCut: boolean;
  /** Until the first piece of text; null: none has come. */
  readonly firstTokenMs: number | null;
  /** Until now, or until the end. */
  readonly tookMs: number;
  /** As the response counts them; null: it has not. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly retries: number;
  readonly decision: Partial<DecisionRecord> | null;
  readonly problem: Problem | null;
}

/** Maximum length of the text that is kept. */
export const TEXT_MAX = 1_000_000;

export const NEW_RUN: Run = {
  status: 'waiting',
  httpStatus: null,
  requestId: null,
  traceId: null,
  text: '',
  isCut: false,
  firstTokenMs: null,
  tookMs: 0,
  inputTokens: null,
  outputTokens: null,
  retries: 0,
  decision: null,
  problem: null,
};

export const isRunning = ({ status }: Run): boolean => status === 'waiting' || status === 'streaming';

/** Tokens per second after the first one; null: too little to say. */
export function tokensPerSecond({ outputTokens, firstTokenMs, tookMs }: Run): number | null {
  if (outputTokens === null || firstTokenMs === null) return null;
  const seconds = (tookMs - firstTokenMs) / 1_000;
  return seconds < 0.05 ? null : outputTokens / seconds;
}
