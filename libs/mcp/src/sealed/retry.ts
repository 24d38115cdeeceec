import type { Keyring } from '@gw/kernel';
import type { ClientCapabilities } from '../http/client-capabilities';
import { CODES, McpFault } from '../fault';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import {
  fittingResponses,
  openState,
  type InputRequest,
  type RequestState,
  type StateOwner,
} from './request-state';

/** Whether a request continues an earlier one, and how. */
export type Retry =
  /** A new call; input responses without a state are ignored. */
  | { readonly kind: 'new' }
  /** All responses are present: the call continues. */
  | { readonly kind: 'resume'; readonly state: RequestState; readonly responses: JsonObject }
  /** A response is missing or of the wrong kind: respond with the same `input_required` again. */
  | { readonly kind: 'require_again'; readonly result: JsonObject };

export interface RetryContext {
  readonly ring: Keyring;
  readonly owner: StateOwner;
  readonly capabilities: ClientCapabilities;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Determines whether a call continues an earlier one. Throws -32602 for an invalid state, and
 * status 400 with -32021 when the client no longer declares the capability that the input needs.
 */
export function readRetry({ ring, owner, capabilities, now }: RetryContext): Retry {
  const sealed = own(owner.params, 'requestState');
  if (sealed === undefined) return { kind: 'new' };
  const state = openState(ring, owner, sealed, now);
  if (state === null) throw new McpFault(CODES.invalidParams, 'The request state is not valid.');
  const lacking = Object.values(state.requests).find((request) => !mayRequest(capabilities, request));
  if (lacking !== undefined) throw missingCapability(lacking);
  const responses = fittingResponses(state.requests, owner.params);
  if (responses !== null) return { kind: 'resume', state, responses };
  return { kind: 'require_again', result: inputRequired(state.requests, sealed as string) };
}

/** Returns the result that requests input from a modern client (MCP 2026-07-28). */
export const inputRequired = (
  inputRequests: Readonly<Record<string, InputRequest>>,
  requestState: string | null,
): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== null && { requestState }),
});

/** Returns whether the client declared the capability that an input request needs. */
export function mayRequest(has: ClientCapabilities, { method, params }: InputRequest): boolean {
  switch (method) {
    case 'elicitation/create':
      return own(params, 'mode') === 'url' ? has.url : has.form;
    case 'sampling/createMessage':
      return has.sampling && (has.samplingTools || own(params, 'tools') === undefined);
    case 'roots/list':
      return has.roots;
  }
}

/** Returns the capability that an input request needs, in the form of `initialize`. */
export function requiredCapability({ method, params }: InputRequest): JsonObject {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: own(params, 'mode') === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage':
      return { sampling: own(params, 'tools') === undefined ? {} : { tools: {} } };
    case 'roots/list':
      return { roots: {} };
  }
}

/** Returns the fault of a request that needs a capability which the client did not declare. */
export const missingCapability = (request: InputRequest): McpFault =>
  new McpFault(CODES.missingCapability, 'The client lacks a capability that this request needs.', {
    status: 400,
    data: { requiredCapabilities: requiredCapability(request) },
  });
