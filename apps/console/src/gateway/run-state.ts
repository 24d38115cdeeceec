import type { DecisionRecord } from '@gw/contracts';
import type { Problem } from '../api';
import type { GatewayApi } from './answer-reader';

/** `waiting`: nothing has come. `failed`: see `problem`. `stopped`: ended by the user. */
export type RunStatus = 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped';

/** A request and its response as they were sent and received, without the key. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly sentHeaders: Headers;
  /** Empty: no body. */
  readonly sent: string;
  /** Null: no response has come. */
  readonly receivedHeaders: Headers | null;
  /** The body so far, at most `TEXT_MAX` of it: a text, or base64 where `isText` is false. */
  readonly received: string;
  readonly isText: boolean;
  /** Bytes of the body so far. */
  readonly bytes: number;
}

/** One request from this browser to the gateway, and what has come of it. Milliseconds are since it was sent. */
export interface Run {
  readonly api: GatewayApi;
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
  /** Null: nothing was sent. */
  readonly exchange: Exchange | null;
}

/** Maximum length of the text that is kept. */
export const TEXT_MAX = 1_000_000;

export const NEW_RUN: Run = {
  api: 'chat',
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
  exchange: null,
};

export const isRunning = ({ status }: Run): boolean => status === 'waiting' || status === 'streaming';

/** Tokens per second after the first one; null: too little to say. */
export function tokensPerSecond({ outputTokens, firstTokenMs, tookMs }: Run): number | null {
  if (outputTokens === null || firstTokenMs === null) return null;
  const seconds = (tookMs - firstTokenMs) / 1_000;
  return seconds < 0.05 ? null : outputTokens / seconds;
}
