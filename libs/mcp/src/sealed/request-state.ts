import { canonicalJson, digestOf, isObject, MINUTE_MS, type Keyring } from '@gw/kernel';
import { MCP_LIMITS, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { openToken, sealToken } from './sealed-token';

/** A request to the user or the client, inside of `input_required` (MCP 2026-07-28). */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

/** Input requests by their key. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** Contents of a `requestState` of the gateway. */
export interface RequestState {
  /**
   * `relay`: the state contains the upstream's state. `parked`: a call waits in a gateway process.
   * `connect`: the user must connect an account.
   */
  readonly kind: 'relay' | 'parked' | 'connect';
  readonly requests: InputRequests;
  /** For `relay`, the state of the upstream; null when it sent none. */
  readonly upstreamState: string | null;
  /** For `parked`, the gateway process and the call; null otherwise. */
  readonly parked: { readonly replica: string; readonly call: string } | null;
  /** The human approval that the call used, and its round; absent if none was needed. */
  readonly approval?: { readonly id: string; readonly round: number } | null;
}

/** The request to which a state belongs. No other request can use it. */
export interface StateOwner {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  readonly serverId: string;
  readonly method: string;
  /** Params of the request; the binding ignores the members that a retry adds. */
  readonly params: JsonObject;
}

const PREFIX = 'gwst1.';
/** How long a call may wait for input, in milliseconds. */
export const STATE_LIFETIME_MS = 15 * MINUTE_MS;

function binding({ principal, serverId, method, params }: StateOwner): string {
  const { _meta, inputResponses: _responses, requestState: _state, ...same } = params;
  return digestOf('mcp/state', [principal, serverId, method, canonicalJson(same)]);
}

/**
 * Seals the state of a call that waits for input; valid for `STATE_LIFETIME_MS`. Returns null for a
 * state above 64 KiB, which ends the call with an error.
 */
export function sealState(ring: Keyring, owner: StateOwner, state: RequestState, now: number): string | null {
  const sealed = sealToken(ring, PREFIX, { ...state, expiresAt: now + STATE_LIFETIME_MS }, binding(owner));
  return sealed.length > MCP_LIMITS.stateBytesMax ? null : sealed;
}

/**
 * Opens a state. Returns null for a state of another principal, server, method or arguments, and
 * for an expired, modified or foreign one.
 */
export function openState(
  ring: Keyring,
  owner: StateOwner,
  sealed: unknown,
  now: number,
): RequestState | null {
  if (typeof sealed !== 'string') return null;
  const options = { prefix: PREFIX, boundTo: binding(owner), lengthMax: MCP_LIMITS.stateBytesMax };
  const state = openToken(ring, sealed, options) as (RequestState & { readonly expiresAt: number }) | null;
  return state !== null && now < state.expiresAt ? state : null;
}

/** Returns whether a client's response has the form that its request requires. */
export function fitsRequest({ method }: InputRequest, response: unknown): boolean {
  if (!isObject(response)) return false;
  switch (method) {
    case 'elicitation/create': {
      const action = own(response, 'action');
      if (action === 'accept') return response['content'] === undefined || isObject(response['content']);
      return action === 'decline' || action === 'cancel';
    }
    case 'sampling/createMessage':
      return typeof own(response, 'model') === 'string' && own(response, 'content') !== undefined;
    case 'roots/list':
      return Array.isArray(own(response, 'roots'));
  }
}

/** Returns the responses of a retry if every request has a valid one; null otherwise. */
export function fittingResponses(requests: InputRequests, params: JsonObject): JsonObject | null {
  const responses = ownObject(params, 'inputResponses');
  const fitting = Object.entries(requests).filter(([key, request]) =>
    fitsRequest(request, own(responses, key)),
  );
  if (fitting.length < Object.keys(requests).length) return null;
  return Object.fromEntries(fitting.map(([key]) => [key, responses[key]]));
}
