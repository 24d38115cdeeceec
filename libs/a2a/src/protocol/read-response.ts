import { isObject } from '@gw/kernel';
import { JsonRefusal, parseBounded, type JsonBounds } from '../bounded-json';
import { A2aError } from './errors';

/**
 * Bounds of a response of an agent, and of one event of its streams: 16 MiB, 64 levels, 1,000,000
 * members and items.
 */
export const RESPONSE_BOUNDS: JsonBounds = { bytesMax: 16_777_216, depthMax: 64, commasMax: 1_000_000 };

/**
 * Outcome of an agent's JSON-RPC response. `translateResult` and `translateError` write it for the
 * client.
 */
export type RpcOutcome =
  { readonly kind: 'result'; readonly result: unknown } | { readonly kind: 'error'; readonly error: unknown };

/**
 * Reads a JSON-RPC response of an agent within `RESPONSE_BOUNDS`, or one event of its stream, with
 * the id of its request. Throws `A2aError` `invalidAgentResponse`.
 */
export function readRpcResponse(body: Buffer, id: string | number): RpcOutcome {
  const response = parsedResponse(body);
  if (!isObject(response) || response['jsonrpc'] !== '2.0') throw invalid('It is no JSON-RPC 2.0 response.');
  const { error } = response;
  // An agent that cannot parse the request responds without its id.
  if (response['id'] !== id && (error === undefined || response['id'] !== null))
    throw invalid('It belongs to another request.');
  if (error !== undefined && error !== null) return { kind: 'error', error };
  if (!Object.hasOwn(response, 'result')) throw invalid('It has neither result nor error.');
  return { kind: 'result', result: response['result'] };
}

/** Parses a body of an agent within `RESPONSE_BOUNDS`. Throws `A2aError` `invalidAgentResponse`. */
export function parsedResponse(body: Buffer): unknown {
  try {
    return parseBounded(body, RESPONSE_BOUNDS, true);
  } catch (error) {
    if (error instanceof JsonRefusal) throw invalid(error.message);
    throw error;
  }
}

const invalid = (rule: string): A2aError =>
  new A2aError('invalidAgentResponse', `The response of the agent is not valid. ${rule}`);
