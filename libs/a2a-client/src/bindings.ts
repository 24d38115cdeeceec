import {
  A2aError,
  methodOf,
  readRestResponse,
  readRpcResponse,
  restErrorIn,
  restRequest,
  rpcResult,
  type Binding,
  type Members,
  type Operation,
  type RpcOutcome,
} from '@gw/a2a';
import { AgentCallError, protocolError } from './agent-call-error';
import type { Interface } from './agent-call';

/** An HTTP request of a binding. */
export interface BoundRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly contentType: string | null;
  readonly accept: string;
  readonly body: Buffer | null;
}

/** Functions that serialise and parse the messages of a binding. */
export interface BindingForm {
  readonly request: (to: Interface, operation: Operation, params: Members) => BoundRequest;
  /** Reads a successful response, or one event of its stream, in the form of JSON-RPC. */
  readonly outcome: (body: Buffer, of: Operation, from: Interface) => RpcOutcome;
  /** Reads the error from the body of a response without a success status; null if it has none. */
  readonly errorIn: (body: Buffer) => unknown;
}

/** Constant id, because each HTTP request carries one call. */
const RPC_ID = 1;

const JSON_RPC: BindingForm = {
  request: ({ url, version, tenant }, operation, params) => {
    const method = methodOf(operation, version);
    if (method === null)
      throw new A2aError('unsupportedOperation', 'The agent does not have this operation.');
    const named = tenant === null ? params : { ...params, tenant };
    const message = { jsonrpc: '2.0', id: RPC_ID, method, params: named };
    return {
      ...{ method: 'POST', url: new URL(url), contentType: 'application/json', accept: 'application/json' },
      body: Buffer.from(JSON.stringify(message)),
    };
  },
  outcome: (body) => readRpcResponse(body, RPC_ID),
  errorIn: (body) => {
    try {
      const outcome = readRpcResponse(body, RPC_ID);
      return outcome.kind === 'error' ? outcome.error : null;
    } catch (error) {
      if (error instanceof A2aError) return null;
      throw error;
    }
  },
};

const HTTP_JSON: BindingForm = {
  request: ({ url, version, tenant }, operation, params) => {
    const { method, path, body } = restRequest(operation, params, { version, tenant });
    const base = new URL(url);
    return {
      method,
      url: new URL(base.origin + base.pathname.replace(/\/$/, '') + path),
      // `application/json`, because some agents do not accept `application/a2a+json`.
      contentType: body === null ? null : 'application/json',
      accept: version === '1.0' ? 'application/a2a+json, application/json' : 'application/json',
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
    };
  },
  outcome: (body, operation, { version }) => ({
    kind: 'result',
    result: rpcResult(operation, readRestResponse(body), version),
  }),
  errorIn: restErrorIn,
};

export const FORMS: Readonly<Record<Binding, BindingForm>> = { JSONRPC: JSON_RPC, 'HTTP+JSON': HTTP_JSON };

/** Returns the result in a body. Throws `agent_error` and `protocol`. */
export function resultIn(body: Buffer, operation: Operation, from: Interface): unknown {
  const outcome = read(body, operation, from);
  if (outcome.kind === 'result') return outcome.result;
  throw new AgentCallError('agent_error', 'The agent responded with an error.', { error: outcome.error });
}

function read(body: Buffer, operation: Operation, from: Interface): RpcOutcome {
  try {
    return FORMS[from.binding].outcome(body, operation, from);
  } catch (error) {
    if (error instanceof A2aError) throw protocolError(error.message, { cause: error });
    throw error;
  }
}
