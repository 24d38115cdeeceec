import type { DecisionRecord } from '@gw/contracts';
import type { Problem } from '../api';
import type { GatewayApi } from './response-reader';

/** `waiting`: no response yet. `failed`: see `problem`. `stopped`: cancelled by the user. */
export type RunStatus = 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped';

/** A request and its response as sent and received, without the key. */
export interface HttpMessages {
  readonly method: string;
  readonly url: string;
  readonly sentHeaders: Headers;
  /** Request body as text; empty without a body. */
  readonly sent: string;
  /** Response headers; null before the response arrives. */
  readonly receivedHeaders: Headers | null;
  /**
   * Response body so far: text, or base64 when `isText` is false. At most `TEXT_MAX` characters of
   * a stream and of an API with text, else at most `BODY_MAX` bytes of the body.
   */
  readonly received: string;
  readonly isText: boolean;
  /** True when the body is longer than `received`. */
  readonly isCut: boolean;
  /** Bytes of the response body so far. */
  readonly bytes: number;
}

/**
 * State of one request from this browser to the gateway. Milliseconds count from the moment it was
 * sent.
 */
export interface Run {
  readonly api: GatewayApi;
  readonly status: RunStatus;
  readonly httpStatus: number | null;
  /** Request id, which is the id of the log. */
  readonly requestId: string | null;
  readonly traceId: string | null;
  /** Text of the response so far. */
  readonly text: string;
  /** True when the text is truncated at `TEXT_MAX`. */
  readonly isCut: boolean;
  /** Time to the first piece of text; null before it arrives. */
  readonly firstTokenMs: number | null;
  /** Time until now, or until the end of the response. */
  readonly tookMs: number;
  /** Token count from the response; null when it has none. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly retries: number;
  readonly decision: Partial<DecisionRecord> | null;
  readonly problem: Problem | null;
  /** The exchanged messages; null before the request is sent. */
  readonly httpMessages: HttpMessages | null;
}

/** Maximum number of characters that are kept of a text. */
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
  httpMessages: null,
};

export const isRunning = ({ status }: Run): boolean => status === 'waiting' || status === 'streaming';

/**
 * Output tokens for each second after the first token; null when the response is too short to
 * measure.
 */
export function tokensPerSecond({ outputTokens, firstTokenMs, tookMs }: Run): number | null {
  if (outputTokens === null || firstTokenMs === null) return null;
  const seconds = (tookMs - firstTokenMs) / 1_000;
  return seconds < 0.05 ? null : outputTokens / seconds;
}
