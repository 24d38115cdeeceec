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

/** A request to an upstream, with the functions that handle its end. */
export interface ForwardedCall {
  /** Params without the members that belong to the client's own request, such as `_meta`. */
  readonly params: JsonObject;
  /**
   * JSON bytes of `params.arguments` as the client wrote them; when absent or null, `params` is
   * serialised.
   */
  readonly argumentBytes?: Buffer | null;
  readonly headerParameters?: readonly HeaderParameter[];
  /** Whether the approved definition declares that a second call has no further effect. */
  readonly isIdempotent?: boolean;
  /** The session that the call belongs to; when absent, the session of the request. */
  readonly session?: string | null;
  /** Capabilities that the gateway declares to the server; when absent, those of the client. */
  readonly capabilities?: ClientCapabilities;
  /**
   * Resolves if a person has approved the call, and otherwise rejects with a denial, without
   * waiting for the person. Called before each round of the call is sent; `continues` is the
   * approved round before it. Absent when no approval is needed.
   */
  readonly requireApproval?: (continues: McpApprovalRound | null) => Promise<void>;
  /**
   * Called with the upstream's result. Resolves to the result that replaces it for the client, or
   * to null to keep it. Rejects with a denial.
   */
  readonly onResult: (result: ReceivedResult) => Promise<JsonObject | null>;
  /**
   * Called with an error of the upstream. Resolves to the error that the client receives, or
   * rejects with a denial. When absent, the client receives the error unchanged.
   */
  readonly onError?: (error: RpcError) => Promise<RpcError>;
  /**
   * Called when the upstream requests input, which ends the client's request. The round is charged
   * at no price, so that its reservation is released; the client's next round is a new request that
   * is admitted and counted again.
   */
  readonly onInputRequired: () => void;
}

type Trace = Readonly<Record<string, string>>;

/**
 * Returns the params of a call as the server receives them. `more` holds the members that a later
 * round adds; `relays` is true when the client itself makes the rounds of input.
 */
export function sentParams(
  { message }: McpRequest,
  { params }: ForwardedCall,
  { more, relays, trace }: { readonly more: JsonObject; readonly relays: boolean; readonly trace: Trace },
): JsonObject {
  // Responses to input that have no request state: the modern server decides whether it accepts
  // them.
  const responses = relays ? own(message.params, 'inputResponses') : undefined;
  const unsolicited = responses === undefined ? {} : { inputResponses: responses };
  return { ...params, ...unsolicited, ...more, _meta: { ...ownObject(message.params, '_meta'), ...trace } };
}

/** Returns the options with which a call is sent to its server. */
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
