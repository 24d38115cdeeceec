import { isVisibleAscii } from './header-names';
import { digestOf } from './digest';
import { GatewayError } from './errors';

const KEY_LENGTH_MAX = 255;

/** Scope of an idempotency key. The same key in another scope is a different one. */
export interface IdempotencyScope {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
}

/** The request that a client sends with an idempotency key. */
export interface IdempotentRequest {
  /** With the query. */
  readonly url: string;
  /** `relevantHeaders` of the request, and the gateway headers that determine its route. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /**
   * Versions of the API key, config and guardrails that apply to the request. Absent if none of
   * them can change.
   */
  readonly inForce?: readonly string[];
}

/** Reads the header `Idempotency-Key`; null if it was not sent. Throws `header_invalid`. */
export function readIdempotencyKey(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.length > KEY_LENGTH_MAX || !isVisibleAscii(value)) {
    throw new GatewayError('header_invalid', {
      param: 'idempotency-key',
      message: `Idempotency-Key must be one value of 1 to ${String(KEY_LENGTH_MAX)} visible ASCII characters.`,
    });
  }
  return value;
}

/** Returns a digest of a scope, 43 characters. */
export const idempotencyScope = (scope: IdempotencyScope): string =>
  digestOf('idempotency-scope/1', [
    scope.organisationId,
    scope.workspaceId,
    scope.method,
    scope.path,
    scope.key,
  ]);

/**
 * Number of characters of a fingerprint that identify the request itself: 132 bits. The rest, 126
 * bits, identifies the versions in force.
 */
const REQUEST_LENGTH = 22;

/**
 * Returns a fingerprint of a request, 43 characters: one digest, or parts of two if versions are in
 * force, so that a refusal can say which of them differs.
 */
export function idempotencyFingerprint({ url, headers, body, inForce }: IdempotentRequest): string {
  const request = digestOf('idempotency-request/1', [url, headers, body]);
  if (inForce === undefined) return request;
  return (
    request.slice(0, REQUEST_LENGTH) + digestOf('idempotency-in-force/1', [inForce]).slice(REQUEST_LENGTH)
  );
}

/**
 * Returns the error for a request whose key was used with another fingerprint, `first`. Older
 * gateways stored only a digest of the request.
 */
export const keyReused = (first: string, now: string): GatewayError =>
  new GatewayError('idempotency_key_reused', {
    param: 'idempotency-key',
    message:
      first.slice(0, REQUEST_LENGTH) === now.slice(0, REQUEST_LENGTH)
        ? 'This Idempotency-Key was used for the same request with another API key, or its config or guardrails have changed since; send it with a new Idempotency-Key.'
        : 'This Idempotency-Key was used for another request; send this one with a new Idempotency-Key.',
  });

/**
 * Returns whether a response with this status is final and may be replayed. Clients retry the other
 * failures with the same key, and a replay would make every retry fail.
 */
export const isFinalStatus = (status: number): boolean =>
  status >= 200 && status < 500 && status !== 408 && status !== 409 && status !== 425 && status !== 429;
