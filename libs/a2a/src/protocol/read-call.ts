import { isObject } from '@gw/kernel';
import { JsonRefusal, parseBounded, type JsonBounds } from '../bounded-json';
import type { Members } from '../shapes/members';
import { A2aError, rpcError, type RpcError } from './errors';
import { methodNamed, type Operation } from './operations';
import { requestedVersion, type A2aVersion, type VersionSignals } from './versions';

/** Bounds of a request to an agent: 4 MiB, 64 levels, 200,000 members and items. */
export const CALL_BOUNDS: JsonBounds = { bytesMax: 4_194_304, depthMax: 64, commasMax: 200_000 };
const REQUEST_ID_LENGTH_MAX = 256;
const METHOD_LENGTH_MAX = 128;

export type RequestId = string | number | null;

/** A JSON-RPC request with unchecked method and parameters. */
export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
}

/** A call of an agent: `params` have the shape of `version`. */
export interface A2aCall {
  readonly version: A2aVersion;
  readonly operation: Operation;
  readonly params: Members;
}

/**
 * Reads the body of a JSON-RPC 2.0 request within `CALL_BOUNDS`. A2A has no batches and no
 * notifications. Throws `A2aError` `parse` or `invalidRequest`.
 */
export function readRpcRequest(body: Buffer): RpcRequest {
  const request = parsedCall(body);
  if (!isObject(request)) throw new A2aError('invalidRequest', 'The request must be one JSON object.');
  const { jsonrpc, id, method, params } = request;
  if (jsonrpc !== '2.0') throw new A2aError('invalidRequest', 'jsonrpc must be "2.0".');
  if (!isRequestId(id)) throw new A2aError('invalidRequest', 'id must be a text, a number or null.');
  if (typeof method !== 'string' || method === '' || method.length > METHOD_LENGTH_MAX)
    throw new A2aError('invalidRequest', 'method must be the name of a method.');
  return { id, method, params };
}

/**
 * Parses a body of a client within `CALL_BOUNDS`. Throws `A2aError` `parse` or `invalidRequest`.
 */
export function parsedCall(body: Buffer): unknown {
  try {
    return parseBounded(body, CALL_BOUNDS, true);
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error;
    const kind = error.fault === 'syntax' ? 'parse' : 'invalidRequest';
    throw new A2aError(kind, `The request body cannot be read. ${error.message}`);
  }
}

const isRequestId = (id: unknown): id is RequestId =>
  id === null ||
  (typeof id === 'string' && id.length <= REQUEST_ID_LENGTH_MAX) ||
  (typeof id === 'number' && Number.isFinite(id));

/**
 * Returns the call that a JSON-RPC request makes. The version is the requested one, or the only one
 * that has the method. Throws `A2aError` `versionNotSupported` for an unknown version and for a
 * method of the other version, `methodNotFound`, or `invalidParams` when the parameters are not an
 * object. `checkCall` checks the members.
 */
export function callOf({ method: name, params }: RpcRequest, signals: VersionSignals): A2aCall {
  const requested = requestedVersion(signals);
  const method = methodNamed(name);
  if (method === null) throw new A2aError('methodNotFound');
  const { operation, version } = method;
  if (requested !== null && requested !== version)
    throw new A2aError('versionNotSupported', `The method belongs to A2A ${version}, not ${requested}.`);
  if (params !== undefined && !isObject(params))
    throw new A2aError('invalidParams', 'params must be an object.');
  return { version, operation, params: params ?? {} };
}

/**
 * Returns the version in which an error of a request is written: the supported version that it
 * names, else the method's, else 0.3.
 */
export function errorVersion(method: string | null, signals: VersionSignals): A2aVersion {
  try {
    const requested = requestedVersion(signals);
    if (requested !== null) return requested;
  } catch (error) {
    // A client that names an unknown version is newer than 0.3, which has no version header.
    if (error instanceof A2aError) return '1.0';
    throw error;
  }
  return (method === null ? null : methodNamed(method))?.version ?? '0.3';
}

/** A JSON-RPC response with an error. `id` is null when the id of the request could not be read. */
export interface RpcErrorResponse {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly error: RpcError;
}

/** Returns the JSON-RPC response for an error. Its HTTP status is 200. */
export const rpcErrorResponse = (id: RequestId, error: A2aError, version: A2aVersion): RpcErrorResponse => ({
  jsonrpc: '2.0',
  id,
  error: rpcError(error, version),
});
