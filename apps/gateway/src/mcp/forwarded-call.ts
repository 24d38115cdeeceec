import type { McpApprovalRound } from '@gw/contracts';
import {
  own,
  ownObject,
  type ClientCapabilities,
  type HeaderParameter,
  type JsonObject,
  type RpcError,
} from '@gw/mcp';
import type { CallOptions, ReceivedResult } from '@gw/mcp-client';
import { passedHeaders } from '../credentials/passed-headers';
import { logLevel } from './log-level';
import type { McpRequest } from './mcp-request';

/** A request to an upstream, with what happens at its end. */
export interface ForwardedCall {
  /** Params without what belongs to the caller's own request. */
  readonly params: JsonObject;
  /** `params.arguments` as the client wrote them, in JSON; absent or null: they are written from `params`. */
  readonly argumentBytes?: Buffer | null;
  readonly headerParameters?: readonly HeaderParameter[];
  /** The approved definition says that a second call changes nothing. */
  readonly isIdempotent?: boolean;
  /** The session that the call belongs to; absent: that of the request. */
  readonly session?: string | null;
  /** Capabilities that are declared to the server; absent: those of the client. */
  readonly capabilities?: ClientCapabilities;
  /**
   * Resolves if a person has approved the call, and throws a denial otherwise, without waiting; called before each round
   * that is sent. `continues` is the approved round before it. Absent: no approval is needed.
   */
  readonly approved?: (continues: McpApprovalRound | null) => Promise<void>;
  /** The upstream gave a result. Returns what the client gets in its place, null for the result itself; throws what denies it. */
  readonly finished: (result: ReceivedResult) => Promise<JsonObject | null>;
  /** Returns the error that the client gets in place of one of the upstream; throws a denial of it. Absent: the error itself. */
  readonly failed?: (error: RpcError) => Promise<RpcError>;
  /**
   * Called when the upstream asks for input, which ends the client's request. The round is charged without a price, so that its
   * reservation is released; the client's next round is a request of its own, admitted and counted again.
   */
  readonly paused: () => void;
}

type Trace = Readonly<Record<string, string>>;

/** Params of a call as its server gets them. `more`: what a later round adds; `relays`: the client makes the rounds of input. */
export function sentParams(
  { message }: McpRequest,
  { params }: ForwardedCall,
  { more, relays, trace }: { readonly more: JsonObject; readonly relays: boolean; readonly trace: Trace },
): JsonObject {
  // Responses to input without a request state: the modern server decides about them.
  const responses = relays ? own(message.params, 'inputResponses') : undefined;
  const unasked = responses === undefined ? {} : { inputResponses: responses };
  return { ...params, ...unasked, ...more, _meta: { ...ownObject(message.params, '_meta'), ...trace } };
}

/** How a call is made at its server. */
export function callOptions(
  request: McpRequest,
  { argumentBytes = null, headerParameters = [], isIdempotent = false }: ForwardedCall,
  { signal, input, trace }: Required<Pick<CallOptions, 'signal' | 'input'>> & { readonly trace: Trace },
): CallOptions {
  const { context, view, message } = request;
  const meta = ownObject(message.params, '_meta');
  return {
    signal,
    headers: { ...passedHeaders(context, view.document, view.caller.principal), ...trace },
    wantsProgress: own(meta, 'progressToken') !== undefined,
    ...logLevel(request, meta),
    argumentBytes,
    headerParameters,
    isRepeatable: isIdempotent && view.document.configurations['retry_idempotent'] === true,
    input,
  };
}
