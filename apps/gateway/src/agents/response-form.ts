import {
  restFailure,
  restResult,
  rpcFailure,
  type A2aVersion,
  type Binding,
  type Failure,
  type Operation,
  type RequestId,
} from '@gw/a2a';

/** A whole response: the arguments of `CallReply.end`. */
export interface WrittenResponse {
  /** JSON of the body; null for a response without a body. */
  readonly json: string | null;
  /** Type of the event when the response is part of a stream; `message` when absent. */
  readonly event?: 'error';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The format of responses to one request: the client's binding and A2A version. */
export interface ResponseForm {
  readonly binding: Binding;
  readonly version: A2aVersion;
  readonly result: (operation: Operation, result: unknown) => WrittenResponse;
  /** Serialises one event of a stream. */
  readonly event: (operation: Operation, result: unknown) => string;
  /**
   * Serialises a failure. `status` replaces the binding's status, for failures of the HTTP request
   * itself.
   */
  readonly failure: (failure: Failure, status?: number) => WrittenResponse;
}

/** Returns the JSON-RPC format, whose responses have status 200, also for errors. */
export function rpcForm(id: RequestId, version: A2aVersion): ResponseForm {
  const result = (value: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });
  return {
    binding: 'JSONRPC',
    version,
    result: (_operation, value) => ({ json: result(value), status: 200, headers: {} }),
    event: (_operation, value) => result(value),
    failure: (failure, status = 200) => ({
      json: JSON.stringify({ jsonrpc: '2.0', id, error: rpcFailure(failure, version) }),
      status,
      headers: {},
    }),
  };
}

const TYPES: Readonly<Record<A2aVersion, string>> = {
  '0.3': 'application/json',
  '1.0': 'application/a2a+json',
};

export function restForm(version: A2aVersion): ResponseForm {
  const headers = { 'content-type': TYPES[version] };
  return {
    binding: 'HTTP+JSON',
    version,
    result: (operation, value) =>
      operation === 'deletePushConfig' && version === '0.3'
        ? { json: null, status: 204, headers: {} }
        : { json: JSON.stringify(restResult(operation, value, version)), status: 200, headers },
    event: (operation, value) => JSON.stringify(restResult(operation, value, version)),
    failure: (failure, status) => {
      const { status: own, body } = restFailure(failure, version);
      return { json: JSON.stringify(body), event: 'error', status: status ?? own, headers };
    },
  };
}
