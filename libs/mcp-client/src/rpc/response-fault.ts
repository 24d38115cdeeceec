import { isObject } from '@gw/kernel';
import { CODES, isWithinBounds, own, readChallenge, type JsonObject, type RpcError } from '@gw/mcp';
import type { UpstreamHttpResponse } from '../http/upstream-http';
import type { UpstreamMessage } from './messages';
import type { ReceivedResult } from './received-result';
import { UPSTREAM_BOUNDS } from '../limits';
import { UpstreamError, type UpstreamErrorFacts } from '../upstream-error';

/** Statuses that mean that the server did not execute the request. */
const NOT_EXECUTED_STATUSES: ReadonlySet<number> = new Set([
  ...[307, 308, 400, 401, 403, 404, 405, 406, 413, 415, 429, 431],
]);

/** Reads or discards the body of a response without a success status, and throws its error. */
export async function assertSuccess(response: UpstreamHttpResponse): Promise<void> {
  if (!isSuccess(response)) throw await faultOf(response);
}

/** Returns whether a response has a success status. */
export const isSuccess = ({ status }: UpstreamHttpResponse): boolean => status >= 200 && status < 300;

/** Reads or discards the body of a response without a success status, and returns its error. */
export async function faultOf(response: UpstreamHttpResponse): Promise<UpstreamError> {
  const { status, body } = response;
  if (status < 400) {
    body.discard();
    return new UpstreamError('redirected', 'The upstream redirects, and redirects are not followed.', {
      status,
      mayHaveExecuted: !NOT_EXECUTED_STATUSES.has(status),
    });
  }
  return statusFault(response);
}

async function statusFault(response: UpstreamHttpResponse): Promise<UpstreamError> {
  const { status, headers } = response;
  const body = await errorBody(response);
  const facts: UpstreamErrorFacts = {
    status,
    body,
    mayHaveExecuted: !NOT_EXECUTED_STATUSES.has(status),
    retryAfterMs: headers.retryAfterMs,
  };
  if (status === 401 || status === 403)
    return new UpstreamError('unauthorized', `The upstream refuses the credentials (${String(status)}).`, {
      ...facts,
      challenge: readChallenge(headers.get('www-authenticate') ?? ''),
    });
  const rpc = rpcErrorOf(body);
  if (rpc !== null) return rpcFault(rpc, facts);
  return new UpstreamError('http_status', `The upstream answered with status ${String(status)}.`, facts);
}

/** Error codes that mean that the server did not start the request. */
const NOT_EXECUTED_CODES: ReadonlySet<number> = new Set([
  ...[CODES.parse, CODES.invalidRequest, CODES.methodNotFound],
  ...[CODES.headerMismatch, CODES.missingCapability, CODES.unsupportedVersion],
]);

/** Returns the `UpstreamError` for an error of JSON-RPC. */
export const rpcFault = (rpc: RpcError, facts: Partial<UpstreamErrorFacts> = {}): UpstreamError =>
  new UpstreamError('rpc_error', `The upstream answered with the error ${String(rpc.code)}.`, {
    ...facts,
    rpc,
    mayHaveExecuted: !NOT_EXECUTED_CODES.has(rpc.code) && facts.mayHaveExecuted !== false,
  });

/** Returns the result of a response. Throws the `UpstreamError` for its error. */
export function resultOf(
  { message, result }: UpstreamMessage,
  facts: Partial<UpstreamErrorFacts> = {},
): ReceivedResult {
  if (result !== null) return result;
  if (message.kind !== 'response' || message.error === null) throw new Error('unreachable: not a response');
  throw rpcFault(message.error, facts);
}

function rpcErrorOf(body: JsonObject | null): RpcError | null {
  const error = body === null ? undefined : own(body, 'error');
  if (!isObject(error)) return null;
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code) || typeof message !== 'string') return null;
  return { code: code as number, message, ...(data !== undefined && { data }) };
}

/**
 * Returns the body as a JSON object; null if it has another media type, is too large, nested too
 * deeply or broken.
 */
async function errorBody(response: UpstreamHttpResponse): Promise<JsonObject | null> {
  if (response.headers.mediaType !== 'application/json') {
    response.body.discard();
    return null;
  }
  try {
    const bytes = await response.body.whole(UPSTREAM_BOUNDS.errorBodyBytesMax);
    if (!isWithinBounds(bytes)) return null;
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
