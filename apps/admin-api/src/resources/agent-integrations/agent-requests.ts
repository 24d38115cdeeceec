import {
  methodOf,
  parsedResponse,
  readRpcResponse,
  restRequest,
  VERSION_HEADER,
  type Members,
  type Operation,
} from '@gw/a2a';
import type { AgentInterfaceFacts } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import type { BufferedResponse } from '@gw/outbound';

const ID = 1;

export interface AgentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Returns the HTTP request for an operation. With HTTP+JSON the request has no body, so pass only
 * operations that need none. `credential` contains the headers that authenticate at the agent.
 */
export function agentRequest(
  { url, binding, version, tenant }: AgentInterfaceFacts,
  operation: Operation,
  params: Members,
  credential: Readonly<Record<string, string>>,
): AgentRequest {
  const isOf10 = binding === 'HTTP+JSON' && version === '1.0';
  const headers = {
    accept: isOf10 ? 'application/a2a+json, application/json' : 'application/json',
    ...credential,
    ...(version === '1.0' ? { [VERSION_HEADER]: version } : {}),
  };
  if (binding === 'HTTP+JSON') {
    const { path, method } = restRequest(operation, params, { version, tenant });
    const { origin, pathname } = new URL(url);
    return { url: origin + pathname.replace(/\/$/, '') + path, method, headers };
  }
  const call = {
    method: methodOf(operation, version),
    params: { ...params, ...(tenant !== null && { tenant }) },
  };
  return {
    ...{ url, method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
    body: JSON.stringify({ jsonrpc: '2.0', id: ID, ...call }),
  };
}

/**
 * Returns the error code of a JSON-RPC response; null for a result. Throws `A2aError` when the body
 * is not an A2A response.
 */
export function errorCodeIn(body: Buffer): unknown {
  const outcome = readRpcResponse(body, ID);
  if (outcome.kind === 'result') return null;
  return isObject(outcome.error) ? outcome.error['code'] : undefined;
}

/**
 * Returns the result of an operation; undefined for an error. Throws `A2aError` when the body is
 * not an A2A response.
 */
export function resultIn({ binding }: AgentInterfaceFacts, { status, body }: BufferedResponse): unknown {
  if (binding === 'HTTP+JSON') return status === 200 ? parsedResponse(body) : undefined;
  const outcome = readRpcResponse(body, ID);
  return outcome.kind === 'result' ? outcome.result : undefined;
}
