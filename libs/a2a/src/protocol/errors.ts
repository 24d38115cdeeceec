import type { A2aVersion } from './versions';

interface ErrorFacts {
  /** Code of JSON-RPC. */
  readonly code: number;
  /** Status of the HTTP+JSON binding. */
  readonly status: number;
  /** Name of the gRPC status, which 1.0 writes into errors of HTTP+JSON. */
  readonly grpc: string;
  /** `reason` of ErrorInfo in 1.0; null for errors of JSON-RPC itself. */
  readonly reason: string | null;
  readonly message: string;
}

/**
 * Errors of JSON-RPC 2.0 and of A2A (0.3 section 8, 1.0 section 5.4) by the names that this lib
 * uses.
 */
export const A2A_ERRORS = {
  parse: {
    code: -32_700,
    status: 400,
    grpc: 'INVALID_ARGUMENT',
    reason: null,
    message: 'The request is not JSON.',
  },
  invalidRequest: {
    code: -32_600,
    status: 400,
    grpc: 'INVALID_ARGUMENT',
    reason: null,
    message: 'The request is not a JSON-RPC 2.0 request.',
  },
  methodNotFound: {
    code: -32_601,
    status: 404,
    grpc: 'NOT_FOUND',
    reason: null,
    message: 'A2A has no such method.',
  },
  invalidParams: {
    code: -32_602,
    status: 400,
    grpc: 'INVALID_ARGUMENT',
    reason: null,
    message: 'The parameters are not valid.',
  },
  internal: {
    code: -32_603,
    status: 500,
    grpc: 'INTERNAL',
    reason: null,
    message: 'The request failed.',
  },
  taskNotFound: {
    code: -32_001,
    status: 404,
    grpc: 'NOT_FOUND',
    reason: 'TASK_NOT_FOUND',
    message: 'There is no such task.',
  },
  taskNotCancelable: {
    code: -32_002,
    status: 400,
    grpc: 'FAILED_PRECONDITION',
    reason: 'TASK_NOT_CANCELABLE',
    message: 'The task has ended and cannot be canceled.',
  },
  pushNotSupported: {
    code: -32_003,
    status: 400,
    grpc: 'UNIMPLEMENTED',
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    message: 'The agent has no push notifications.',
  },
  unsupportedOperation: {
    code: -32_004,
    status: 400,
    grpc: 'UNIMPLEMENTED',
    reason: 'UNSUPPORTED_OPERATION',
    message: 'The agent does not support this operation.',
  },
  contentTypeNotSupported: {
    code: -32_005,
    status: 400,
    grpc: 'INVALID_ARGUMENT',
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    message: 'The agent does not support a media type of the request.',
  },
  invalidAgentResponse: {
    code: -32_006,
    status: 500,
    grpc: 'INTERNAL',
    reason: 'INVALID_AGENT_RESPONSE',
    message: 'The response of the agent is not valid.',
  },
  extendedCardNotConfigured: {
    code: -32_007,
    status: 400,
    grpc: 'FAILED_PRECONDITION',
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    message: 'The agent has no extended card.',
  },
  extensionSupportRequired: {
    code: -32_008,
    status: 400,
    grpc: 'FAILED_PRECONDITION',
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    message: 'The agent requires an extension; name it in A2A-Extensions.',
  },
  versionNotSupported: {
    code: -32_009,
    status: 400,
    grpc: 'UNIMPLEMENTED',
    reason: 'VERSION_NOT_SUPPORTED',
    message: 'The version of A2A is not supported.',
  },
} as const satisfies Readonly<Record<string, ErrorFacts>>;

export type A2aErrorKind = keyof typeof A2A_ERRORS;

const KINDS = Object.keys(A2A_ERRORS) as A2aErrorKind[];
const BY_CODE: ReadonlyMap<unknown, A2aErrorKind> = new Map(
  KINDS.map((kind) => [A2A_ERRORS[kind].code, kind]),
);
/** Longest text of an agent that reaches a client, in characters. */
const MESSAGE_LENGTH_MAX = 1_000;

/** A failure that the client of an agent sees. `message` is public and must contain no secret. */
export class A2aError extends Error {
  override readonly name = 'A2aError';

  constructor(
    readonly kind: A2aErrorKind,
    message: string = A2A_ERRORS[kind].message,
  ) {
    super(message);
  }

  /** Code of JSON-RPC. */
  get code(): number {
    return A2A_ERRORS[this.kind].code;
  }

  /** Status of the HTTP+JSON binding. JSON-RPC responds with 200. */
  get status(): number {
    return A2A_ERRORS[this.kind].status;
  }
}

/** The member `error` of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface ErrorInfo {
  readonly '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
  readonly reason: string;
  readonly domain: 'a2a-protocol.org';
}

/**
 * Returns the details that 1.0 defines for an error of A2A; empty for an error of JSON-RPC itself.
 */
function detailsOf(kind: A2aErrorKind): readonly ErrorInfo[] {
  const { reason } = A2A_ERRORS[kind];
  return reason === null
    ? []
    : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }];
}

/** Returns the error of a JSON-RPC response. 1.0 has ErrorInfo in `data`, 0.3 has no `data`. */
export function rpcError({ kind, code, message }: A2aError, version: A2aVersion): RpcError {
  const details = version === '1.0' ? detailsOf(kind) : [];
  return details.length === 0 ? { code, message } : { code, message, data: details };
}

/** A response of the HTTP+JSON binding that reports an error. */
export interface RestError {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Returns the error response of the HTTP+JSON binding: `google.rpc.Status` in 1.0, `{code,
 * message}` in 0.3.
 */
export function restError(error: A2aError, version: A2aVersion): RestError {
  const { kind, code, message, status } = error;
  if (version === '0.3') return { status, body: { code, message } };
  const details = detailsOf(kind);
  const { grpc } = A2A_ERRORS[kind];
  return {
    status,
    body: {
      error: { code: status, status: grpc, message, ...(details.length === 0 ? {} : { details }) },
    },
  };
}

/** Returns the kind of an error by its JSON-RPC code; null for a code that A2A does not define. */
export const kindOfCode = (code: unknown): A2aErrorKind | null => BY_CODE.get(code) ?? null;

/** Returns the message of an agent's error, cut to 1,000 characters. */
export const messageOf = (value: unknown): string =>
  typeof value === 'string' && value !== ''
    ? value.slice(0, MESSAGE_LENGTH_MAX)
    : A2A_ERRORS.internal.message;
