import { CODES } from '../fault';
import type { JsonObject } from '../protocol';

/** Why a call is denied, with the facts that its caller may see. */
export type DenialCause =
  | {
      readonly kind: 'rate_limit';
      readonly policyId: string | null;
      readonly limit: { readonly value: number; readonly unit: string };
      /** Null: the limit is strict and the usage of the call is unknown, so no retry can succeed. */
      readonly retryAfterMs: number | null;
    }
  /** `resetsAt` is RFC 3339; null for a budget that is never reset. */
  | { readonly kind: 'budget'; readonly limitId: string; readonly resetsAt: string | null }
  | {
      readonly kind: 'guardrail';
      readonly phase: 'beforeToolCall' | 'afterToolCall';
      readonly guardrailId: string;
      readonly guardrailName: string;
      readonly checkId: string;
      readonly reason: string;
    }
  /** An argument rule refuses the value at a JSON pointer. */
  | { readonly kind: 'arguments'; readonly pointer: string }
  /** The call needs the approval of a person. */
  | {
      readonly kind: 'approval';
      readonly state: 'pending' | 'rejected' | 'too_many' | 'too_large' | 'unavailable';
      /** Id of the approval; null when none was requested. */
      readonly id: string | null;
      /**
       * RFC 3339: end of the time in which a person can decide, or in which the rejection holds.
       */
      readonly expiresAt: string | null;
      /** Why a person rejected the call. */
      readonly reason: string | null;
    }
  | { readonly kind: 'unknown'; readonly capability: 'tool' | 'prompt' | 'resource'; readonly name: string }
  | { readonly kind: 'server_unknown' }
  | {
      readonly kind: 'unauthenticated';
      readonly resourceMetadata: string;
      readonly hasToken: boolean;
      /** Scopes that clients should request, separated by spaces. Default: `mcp.invoke`. */
      readonly scope?: string;
    }
  | { readonly kind: 'scope'; readonly scope: string; readonly resourceMetadata: string }
  | {
      readonly kind: 'upstream';
      /**
       * `no_memory`: the gateway had no memory for the response; the upstream may have executed the
       * call.
       */
      readonly failure:
        'provider_unreachable' | 'provider_timeout' | 'provider_error' | 'circuit_open' | 'no_memory';
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'connection';
      readonly server: string;
      /** Page on which the user connects the account; null for callers that are not users. */
      readonly link: string | null;
      /** Sealed state for the retry of a modern client. */
      readonly requestState: string | null;
    }
  | { readonly kind: 'too_many_streams'; readonly retryAfterMs: number }
  | { readonly kind: 'draining' };

/** The code and public text of a cause that is a JSON-RPC error in both eras. */
export interface DenialError {
  readonly legacy: number;
  /** Outside of -32768 to -32000, which MCP 2026-07-28 reserves. */
  readonly modern: number;
  readonly message: string;
  readonly data: JsonObject;
  /** HTTP status with `MCP_DENIAL_STATUS=http`, or always if `isOfEndpoint`. */
  readonly httpStatus: number;
  /** Whether `httpStatus` applies regardless of `MCP_DENIAL_STATUS`. */
  readonly isOfEndpoint: boolean;
  readonly retryAfterMs: number | null;
}

type Described = Exclude<DenialCause['kind'], 'connection'>;
type Of<K extends Described> = Extract<DenialCause, { readonly kind: K }>;

const error = (
  codes: readonly [legacy: number, modern: number],
  message: string,
  data: JsonObject,
  more: Partial<DenialError> = {},
): DenialError => ({
  legacy: codes[0],
  modern: codes[1],
  message,
  data,
  httpStatus: 200,
  isOfEndpoint: false,
  retryAfterMs: null,
  ...more,
});

const same = (code: number): readonly [number, number] => [code, code];

const APPROVAL_TEXTS: Readonly<Record<Of<'approval'>['state'], string>> = {
  pending:
    'This call waits for the approval of a person. Repeat exactly this call after the approval; it then passes once.',
  rejected: 'A person rejected this call. Do not repeat it.',
  too_many: 'Too many calls wait for approval. Repeat this call later.',
  too_large: 'A call that needs the approval of a person may have arguments of at most 64 KiB.',
  unavailable: 'The approval of this call cannot be requested now. Repeat the call later.',
};

const UPSTREAM_TEXTS: Partial<Readonly<Record<Of<'upstream'>['failure'], string>>> = {
  provider_timeout: 'The MCP server did not respond in time.',
  no_memory:
    "Responses hold the workspace's share of the gateway's memory, and this one was dropped; the call may have been carried out. Repeat it later.",
};

const DESCRIBED: { readonly [K in Described]: (cause: Of<K>) => DenialError } = {
  rate_limit: ({ policyId, limit, retryAfterMs }) =>
    error(
      [-32_029, 31_429],
      retryAfterMs === null
        ? `The limit of ${String(limit.value)} ${limit.unit} is strict, and the usage of this call is unknown; make the limit standard.`
        : `The limit of ${String(limit.value)} ${limit.unit} is reached; retry later.`,
      {
        type: 'rate_limited',
        ...(policyId !== null && { policy_id: policyId }),
        limit,
        retry_after_ms: retryAfterMs,
      },
      { httpStatus: 429, retryAfterMs },
    ),
  budget: ({ limitId, resetsAt }) =>
    error(
      [-32_029, 31_412],
      'The budget is exhausted.',
      { type: 'budget_exhausted', limit_id: limitId, resets_at: resetsAt },
      { httpStatus: 412 },
    ),
  guardrail: ({ phase, guardrailId, guardrailName, checkId, reason }) =>
    error(
      [-32_446, 31_446],
      `The ${phase === 'afterToolCall' ? 'result' : 'call'} was withheld by guardrail ${guardrailName}: ${reason}`,
      { type: 'hooks_failed', guardrail_id: guardrailId, check_id: checkId, reason, phase },
      { httpStatus: 403 },
    ),
  arguments: ({ pointer }) =>
    error(
      same(CODES.invalidParams),
      `The argument ${pointer.slice(0, 256)} is not allowed for this caller.`,
      { type: 'arguments_refused', pointer },
      { httpStatus: 403 },
    ),
  approval: ({ state, id, expiresAt, reason }) =>
    error(
      same(CODES.invalidRequest),
      `${APPROVAL_TEXTS[state]}${reason === null ? '' : ` Reason: ${reason}`}${id === null ? '' : ` (Approval ${id}.)`}`,
      {
        type: state === 'rejected' ? 'tool_rejected' : 'tool_pending',
        status: state,
        ...(id !== null && { approval_id: id }),
        ...(expiresAt !== null && { expires_at: expiresAt }),
        ...(reason !== null && { reason }),
      },
      { httpStatus: 403 },
    ),
  unknown: ({ capability, name }) =>
    error(same(CODES.invalidParams), `Unknown ${capability}: ${name.slice(0, 256)}`, {}),
  server_unknown: () =>
    error(
      same(CODES.invalidRequest),
      'There is no such MCP server.',
      { type: 'not_found' },
      { httpStatus: 404, isOfEndpoint: true },
    ),
  unauthenticated: () =>
    error(
      same(CODES.invalidRequest),
      'A valid credential is required.',
      { type: 'unauthorized' },
      { httpStatus: 401, isOfEndpoint: true },
    ),
  scope: ({ scope }) =>
    error(
      same(CODES.invalidRequest),
      `The scope ${scope} is required.`,
      { type: 'insufficient_scope', scope },
      { httpStatus: 403, isOfEndpoint: true },
    ),
  upstream: ({ failure, retryAfterMs }) =>
    error(
      same(CODES.internal),
      UPSTREAM_TEXTS[failure] ?? 'The MCP server is not available.',
      {
        type: failure === 'no_memory' ? 'unavailable' : failure,
        ...(retryAfterMs !== null && { retry_after_ms: retryAfterMs }),
      },
      { retryAfterMs },
    ),
  too_many_streams: ({ retryAfterMs }) =>
    error(
      same(CODES.invalidRequest),
      'Too many streams are open.',
      { type: 'rate_limited', retry_after_ms: retryAfterMs },
      { httpStatus: 429, isOfEndpoint: true, retryAfterMs },
    ),
  draining: () =>
    error(
      same(CODES.invalidRequest),
      'This gateway is shutting down; retry.',
      { type: 'draining' },
      { httpStatus: 503, isOfEndpoint: true },
    ),
};

/** Returns the error of a cause, before `denialResponse` gives it the form of an era. */
export function describeDenial(cause: Exclude<DenialCause, { readonly kind: 'connection' }>): DenialError {
  const describe = DESCRIBED[cause.kind] as (cause: DenialCause) => DenialError;
  return describe(cause);
}
