import { isObject } from '@gw/kernel';
import { badRequest, CODES, type McpFault } from '../fault';
import { MCP_LIMITS, type JsonObject, type RequestId } from '../protocol';

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}
export interface RpcNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
export interface RpcResponse {
  readonly kind: 'response';
  /** Id of the request; null for an error that names none. */
  readonly id: RequestId | null;
  /** The result; null for an error. */
  readonly result: JsonObject | null;
  readonly error: RpcError | null;
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

const EMPTY: JsonObject = Object.freeze({});
const METHOD_LENGTH_MAX = 256;

export const isId = (id: unknown): id is RequestId =>
  typeof id === 'string' ? id.length <= MCP_LIMITS.idLengthMax : Number.isSafeInteger(id);

/**
 * Reads one message of JSON-RPC 2.0 from parsed JSON. Throws a fault with status 400: code -32600,
 * or -32602 for `params` that are not an object.
 */
export function readMessage(value: unknown): RpcMessage {
  if (!isObject(value)) throw badRequest(CODES.invalidRequest, 'A message must be a JSON object.');
  const id = own(value, 'id');
  const readable = isId(id) ? id : null;
  if (own(value, 'jsonrpc') !== '2.0') throw invalid('jsonrpc must be "2.0".', readable);
  if (own(value, 'method') === undefined) return readResponse(value, id);
  const method = methodOf(value, readable);
  if (own(value, 'result') !== undefined || own(value, 'error') !== undefined)
    throw invalid('A message with a method has no result and no error.', readable);
  if (id !== undefined && readable === null)
    throw invalid('id must be a string or an integer of at most 53 bits.', null);
  const { params = EMPTY } = value;
  if (!isObject(params)) throw badRequest(CODES.invalidParams, 'params must be an object.', readable);
  return readable === null
    ? { kind: 'notification', method, params }
    : { kind: 'request', id: readable, method, params };
}

const invalid = (message: string, id: RequestId | null): McpFault =>
  badRequest(CODES.invalidRequest, message, id);

function methodOf(value: JsonObject, id: RequestId | null): string {
  const method = own(value, 'method');
  if (typeof method === 'string' && method !== '' && method.length <= METHOD_LENGTH_MAX) return method;
  throw invalid(`method must be a string of 1 to ${String(METHOD_LENGTH_MAX)} characters.`, id);
}

function readResponse(value: JsonObject, id: unknown): RpcResponse {
  const [result, error] = [own(value, 'result'), own(value, 'error')];
  const readable = isId(id) ? id : null;
  if ((result === undefined) === (error === undefined))
    throw invalid('A message must have a method, a result or an error.', readable);
  if (result === undefined) return { kind: 'response', ...readError(error, id), result: null };
  if (isObject(result) && readable !== null) return { kind: 'response', id: readable, result, error: null };
  throw invalid('A response must have an id and an object as its result.', readable);
}

function readError(error: unknown, id: unknown): { readonly id: RequestId | null; readonly error: RpcError } {
  const readable = isId(id) ? id : null;
  const { code, message, data } = isObject(error) ? error : EMPTY;
  const isKnown = readable !== null || id === null || id === undefined;
  if (!isKnown || !Number.isSafeInteger(code) || typeof message !== 'string')
    throw invalid('An error must have a code and a message.', readable);
  return { id: readable, error: { code: code as number, message, ...(data !== undefined && { data }) } };
}

/** Returns an own member of an object; undefined if it has none of that name. */
export const own = (value: JsonObject, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns an own member that is an object; an empty object for any other value. */
export const ownObject = (value: JsonObject, name: string): JsonObject => {
  const member = own(value, name);
  return isObject(member) ? member : EMPTY;
};

/** Returns an own member that is a list; an empty list for any other value. */
export const ownList = (value: JsonObject, name: string): readonly unknown[] => {
  const member = own(value, name);
  return Array.isArray(member) ? (member as readonly unknown[]) : [];
};

/** Returns the success response to a request. */
export const resultBody = (id: RequestId, result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result });
/** Returns a request that the gateway sends. */
export const requestBody = (id: RequestId, method: string, params: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
/** Returns a notification that the gateway sends. */
export const notificationBody = (method: string, params: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method,
  params,
});
