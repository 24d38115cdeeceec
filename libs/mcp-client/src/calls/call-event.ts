import type { HeaderParameter, InputRequest, JsonObject, RelayContext } from '@gw/mcp';
import type { EndSignal } from '../http/call-ending';
import type { ReceivedResult } from '../rpc/received-result';

/** Event of an upstream during a call. The last one is `result` or `input_required`. */
export type CallEvent =
  /** Params of a progress notification, without the token. */
  | { readonly kind: 'progress'; readonly params: JsonObject }
  /** Another notification, such as a log message. */
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly result: ReceivedResult }
  /**
   * A modern upstream needs input. The caller sends the call again with the responses and the
   * state.
   */
  | { readonly kind: 'input_required'; readonly result: JsonObject };

/** Event of an upstream before the end of a call. */
export type CallNotice = Extract<CallEvent, { readonly kind: 'progress' | 'notification' }>;
/** How a call ends. */
export type CallEnd = Extract<CallEvent, { readonly kind: 'result' | 'input_required' }>;

/** How requests of the upstream for input are answered during a call. */
export interface InputHandling {
  /** Rules by which requests are judged before `respond` gets them. */
  readonly context: Omit<RelayContext, 'countBefore'>;
  /**
   * Returns the result of a request (elicitation, sampling or roots), or null to refuse it.
   * `signal` aborts when the call ends. A rejection refuses the request and ends the call.
   */
  readonly respond: (request: InputRequest, signal: AbortSignal) => Promise<JsonObject | null>;
}

export interface CallOptions {
  /** Aborts the call, which is then cancelled at the upstream. */
  readonly signal?: EndSignal;
  /** Whole call in milliseconds, at most 900,000; by default the limit of the method. */
  readonly timeoutMs?: number;
  /** Headers of this call alone. None of the caller's own request are sent unless they are here. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Level from which on a modern upstream sends log messages; without it, it sends none. */
  readonly logLevel?: string;
  /**
   * Level of log messages that the session at a legacy upstream must have: it is set before the
   * call when the session has another one. Without it, the session keeps its level.
   */
  readonly sessionLogLevel?: string;
  /** Whether the upstream may send progress. Default: false. */
  readonly wantsProgress?: boolean;
  /**
   * Requests for input: refused without it; `relay` passes an `input_required` of a modern upstream
   * on as the last event.
   */
  readonly input?: InputHandling | 'relay';
  /**
   * `params.arguments` as its caller wrote it, in JSON. It is sent in place of the parsed
   * arguments, which saves writing them, and keeps numbers that no double holds.
   */
  readonly argumentBytes?: Buffer | null;
  /** Arguments that a modern upstream wants in headers: `headerParameters` of the tool's schema. */
  readonly headerParameters?: readonly HeaderParameter[];
  /** The tool is idempotent and may be called again after a lost connection. Default: false. */
  readonly isRepeatable?: boolean;
}
