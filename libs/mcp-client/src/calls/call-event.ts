import type { HeaderParameter, InputRequest, JsonObject, RelayContext } from '@gw/mcp';
import type { EndSignal } from '../http/call-ending';
import type { ReceivedResult } from '../rpc/received-result';

/** Event of an upstream during a call. The last one is `result` or `input_required`. */
export type CallEvent =
  /** A progress notification; `params` have no token. */
  | { readonly kind: 'progress'; readonly params: JsonObject }
  /** Any other notification, such as a log message. */
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly result: ReceivedResult }
  /**
   * A modern upstream needs input. The caller repeats the call with the responses and the state.
   */
  | { readonly kind: 'input_required'; readonly result: JsonObject };

/** Event of an upstream before the end of a call. */
export type CallNotice = Extract<CallEvent, { readonly kind: 'progress' | 'notification' }>;
/** How a call ends. */
export type CallEnd = Extract<CallEvent, { readonly kind: 'result' | 'input_required' }>;

/** How the client responds to the upstream's requests for input during a call. */
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
  /**
   * Time limit of the whole call in milliseconds, at most 900,000; default: the limit of the
   * method.
   */
  readonly timeoutMs?: number;
  /**
   * Headers of this call only. Headers of the caller's own request are sent only if they are listed
   * here.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Minimum level of log messages that a modern upstream sends; absent for no log messages. */
  readonly logLevel?: string;
  /**
   * Log level that the session at a legacy upstream must have; the client sets it before the call
   * if the session has another level. If absent, the session keeps its level.
   */
  readonly sessionLogLevel?: string;
  /** Whether the upstream may send progress. Default: false. */
  readonly wantsProgress?: boolean;
  /**
   * Handles requests for input; absent: they are refused. `relay` returns an `input_required` of a
   * modern upstream as the last event.
   */
  readonly input?: InputHandling | 'relay';
  /**
   * JSON text of `params.arguments` as the caller wrote it. It is sent instead of the parsed
   * arguments, which saves serialising them and keeps numbers that a double cannot represent.
   */
  readonly argumentBytes?: Buffer | null;
  /**
   * Arguments that a modern upstream expects in headers: `headerParameters` of the tool's schema.
   */
  readonly headerParameters?: readonly HeaderParameter[];
  /**
   * Whether the tool is idempotent, so that the call may be repeated after a lost connection.
   * Default: false.
   */
  readonly isRepeatable?: boolean;
}
