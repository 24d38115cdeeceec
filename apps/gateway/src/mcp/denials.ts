import { GatewayError } from '@gw/kernel';
import { isBudget, denialError, type LimitDenial } from '@gw/limits';
import {
  denialResponse,
  McpFault,
  toLegacyError,
  toModernError,
  type DenialCause,
  type DenialResponse,
  type RpcError,
} from '@gw/mcp';
import { UpstreamError } from '@gw/mcp-client';
import { ToolDenial } from '../guardrails/tool-guards';
import { workspaceFull, type PlaceLimit } from '../limits/call-places';
import type { EndpointRequest, McpRequest } from './mcp-request';

/** A denied call: the cause that the client receives, and the error that the log stores. */
export class Denied extends Error {
  constructor(
    readonly reason: DenialCause,
    readonly logged: GatewayError,
  ) {
    super(logged.message);
  }
}

export function limitDenied(denial: LimitDenial): Denied {
  const { bucket, retryAfterMs, resetAtMs } = denial;
  const logged = denialError(denial);
  if (isBudget(bucket)) {
    const resetsAt = resetAtMs === null ? null : new Date(resetAtMs).toISOString();
    return new Denied({ kind: 'budget', limitId: bucket.id, resetsAt }, logged);
  }
  const policyId = bucket.scope === 'policy' ? bucket.id : null;
  const limit = { value: bucket.value, unit: bucket.type };
  const waitMs = Number.isFinite(retryAfterMs) ? Math.ceil(retryAfterMs) : null;
  return new Denied({ kind: 'rate_limit', policyId, limit, retryAfterMs: waitMs }, logged);
}

/** Runs `judge`, which checks guardrails, and converts their denial to a `Denied` call. */
export async function guarded<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof ToolDenial)) throw error;
    const { phase, decided, message: reason } = error;
    const { guardrailId, checkId } = decided;
    throw new Denied(
      { kind: 'guardrail', phase, guardrailId, guardrailName: guardrailId, checkId, reason },
      error,
    );
  }
}

/** Returns the response to a denied call in the format of the client's era. */
export const deniedResponse = (
  { reason }: Denied,
  request: EndpointRequest,
  denialStatus: '200' | 'http',
): DenialResponse => {
  const { era, revision, capabilities, message, view } = request;
  return denialResponse(reason, {
    ...{ era, revision, capabilities, id: message.id, method: message.method, denialStatus },
    asToolError: view?.document.configurations['denial'] === 'tool_error',
  });
};

/**
 * Returns the denial for a failed upstream call; null for an error that the upstream itself sent.
 */
export function upstreamDenied(error: UpstreamError): Denied | null {
  if (error.kind === 'rpc_error' && error.rpc !== null) return null;
  if (error.most !== null) return tooManyCalls(error.most, error);
  return failed(FAILURES[error.kind] ?? 'provider_error', error);
}

/**
 * Returns the denial of a call that exceeds the maximum number of calls in flight at a server; it
 * was not sent to the server.
 */
const tooManyCalls = (most: number, cause?: unknown): Denied =>
  callsDenied(
    { value: most, unit: 'calls at the same time' },
    `${String(most)} tool calls are in flight, as many as may be at a time; retry later.`,
    cause,
  );

/**
 * Returns the denial of a call whose caller or workspace has as many calls in flight as it may; it
 * was not sent to the server.
 */
export const noPlace = ({ of, most }: PlaceLimit): Denied =>
  of === 'caller'
    ? tooManyCalls(most)
    : callsDenied(
        { value: most, unit: 'calls of the workspace at the same time' },
        workspaceFull(most, 'tool calls'),
      );

const callsDenied = (
  limit: { readonly value: number; readonly unit: string },
  message: string,
  cause?: unknown,
): Denied =>
  new Denied(
    { kind: 'rate_limit', policyId: null, retryAfterMs: 1_000, limit },
    new GatewayError('rate_limited', { message, cause }),
  );

const FAILURES: Partial<Record<UpstreamError['kind'], UpstreamFailure>> = {
  no_memory: 'no_memory',
  timeout: 'provider_timeout',
  unreachable: 'provider_unreachable',
  refused_address: 'provider_unreachable',
  closed: 'provider_unreachable',
};

/** Milliseconds after which clients may retry when the server sent no `Retry-After`. */
const RETRY_AFTER_MS: Partial<Record<UpstreamError['kind'], number>> = {
  no_memory: 1_000,
  unreachable: 1_000,
  closed: 1_000,
};

type UpstreamFailure = Extract<DenialCause, { kind: 'upstream' }>['failure'];

const TYPES = {
  provider_unreachable: 'provider_unreachable',
  provider_timeout: 'provider_timeout',
  provider_error: 'provider_answer_invalid',
  circuit_open: 'provider_unreachable',
  no_memory: 'unavailable',
} as const satisfies Record<UpstreamFailure, string>;

const failed = (failure: UpstreamFailure, error: UpstreamError): Denied =>
  new Denied(
    { kind: 'upstream', failure, retryAfterMs: error.retryAfterMs ?? RETRY_AFTER_MS[error.kind] ?? null },
    new GatewayError(TYPES[failure], { detail: { mcp: error.message }, cause: error }),
  );

/**
 * Translates an error of the upstream to the client's era; a modern client may receive a request
 * for input instead. `ownHosts` are those of this installation.
 */
export const relayedError = (
  error: RpcError,
  { era, capabilities }: McpRequest,
  ownHosts: readonly string[],
) =>
  era === 'modern'
    ? toModernError(error, capabilities)
    : ({ kind: 'error', error: toLegacyError(error, ownHosts) } as const);

/** Returns the error that the log stores for a request that the gateway refuses. */
export const faultLogged = (fault: McpFault): GatewayError =>
  new GatewayError(FAULT_TYPES[fault.status] ?? 'request_malformed', { message: fault.message });

const FAULT_TYPES: Readonly<Record<number, 'forbidden' | 'not_found' | 'method_not_allowed'>> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
};
