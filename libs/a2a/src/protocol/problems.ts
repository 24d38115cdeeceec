import {
  A2A_ERRORS,
  A2aError,
  kindOfCode,
  messageOf,
  restError,
  rpcError,
  type RestError,
  type RpcError,
} from './errors';
import type { A2aVersion } from './versions';

/**
 * A failure for which A2A defines no error, such as a limit of the gateway. `message` is public and
 * must contain no secret.
 */
export interface GatewayProblem {
  /** Code of JSON-RPC; outside of -32768 to -32000 unless JSON-RPC or A2A defines it. */
  readonly code: number;
  /** Status of the HTTP+JSON binding. */
  readonly status: number;
  readonly message: string;
  /** Stable name for programs, such as `rate_limited`; null for none. */
  readonly type: string | null;
  /** Further facts by name. */
  readonly facts: Readonly<Record<string, string | number | null>>;
}

/** Error that a client gets instead of a result. */
export type Failure = A2aError | GatewayProblem;

/** `domain` of ErrorInfo for problems of this gateway. */
const DOMAIN = 'tollgate';
const INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** Names of gRPC statuses by status of HTTP, as `google.rpc.Code` maps them. */
const GRPC: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  446: 'PERMISSION_DENIED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns the error of a JSON-RPC response for a failure. */
export const rpcFailure = (failure: Failure, version: A2aVersion): RpcError =>
  failure instanceof A2aError ? rpcError(failure, version) : rpcProblem(failure, version);

/** Returns the error response of the HTTP+JSON binding for a failure. */
export const restFailure = (failure: Failure, version: A2aVersion): RestError =>
  failure instanceof A2aError ? restError(failure, version) : restProblem(failure, version);

/**
 * Returns the JSON-RPC error of a problem, with ErrorInfo in 1.0 and `{type, …}` as `data` in 0.3.
 */
function rpcProblem(problem: GatewayProblem, version: A2aVersion): RpcError {
  const { code, message, type, facts } = problem;
  if (type === null) return { code, message };
  return { code, message, data: version === '1.0' ? infosOf(problem) : { type, ...facts } };
}

function restProblem(problem: GatewayProblem, version: A2aVersion): RestError {
  const { code, status, message, type, facts } = problem;
  if (version === '0.3')
    return { status, body: { code, message, ...(type === null ? {} : { data: { type, ...facts } }) } };
  const details = infosOf(problem);
  const error = { code: status, status: GRPC[status] ?? 'INTERNAL', message };
  return { status, body: { error: details.length === 0 ? error : { ...error, details } } };
}

/** Returns the ErrorInfo of a problem; its metadata may contain only texts. */
function infosOf({ type, facts }: GatewayProblem): readonly object[] {
  if (type === null) return [];
  const metadata = Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
  return [{ '@type': INFO, reason: type.toUpperCase(), domain: DOMAIN, metadata }];
}

/**
 * Returns the error of an agent's response as a failure for clients. Known codes keep their
 * meaning. Other integers keep only their code, because their details are free text of another
 * party. Anything else becomes `internal`.
 */
export function agentFailure(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const kind = kindOfCode(code);
  if (kind !== null) return new A2aError(kind, messageOf(message));
  const isCode = typeof code === 'number' && Number.isSafeInteger(code);
  return {
    code: isCode ? code : A2A_ERRORS.internal.code,
    status: A2A_ERRORS.internal.status,
    message: messageOf(message),
    type: null,
    facts: {},
  };
}

/**
 * Returns the error of an agent's JSON-RPC response in the form for a client of `version`; see
 * `agentFailure`.
 */
export const translateError = (error: unknown, version: A2aVersion): RpcError =>
  rpcFailure(agentFailure(error), version);
