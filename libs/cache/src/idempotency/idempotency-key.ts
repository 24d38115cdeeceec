import { GatewayError } from '@gw/kernel';
import { digestOf } from '../digest';

const KEY_LENGTH_MAX = 255;

/** What a caller means by a key: the same key elsewhere is another one. */
export interface IdempotencyScope {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
}

/** What was asked for under the key. */
export interface IdempotentRequest {
  /** With the query. */
  readonly url: string;
  /** `relevantHeaders` of the request, and those of the gateway that choose where it goes. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** Null: the header was not sent. Throws `header_invalid`. */
export function readIdempotencyKey(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value.length > KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(value)) {
    throw new GatewayError('header_invalid', {
      param: 'idempotency-key',
      message: `Idempotency-Key must be one value of 1 to ${String(KEY_LENGTH_MAX)} visible ASCII characters.`,
    });
  }
  return value;
}

/** 43 characters. */
export const idempotencyScope = (scope: IdempotencyScope): string =>
  digestOf('idempotency-scope/1', [
    scope.organisationId,
    scope.workspaceId,
    scope.method,
    scope.path,
    scope.key,
  ]);

/** 43 characters. */
export const idempotencyFingerprint = ({ url, headers, body }: IdempotentRequest): string =>
  digestOf('idempotency-request/1', [url, headers, body]);

/**
 * Whether an answer is the last word on its request, and so the one to replay. Failures that clients try again on their own,
 * with the same key, are not: replaying them would keep every retry from succeeding.
 */
export const isFinalStatus = (status: number): boolean =>
  status >= 200 && status < 500 && status !== 408 && status !== 409 && status !== 425 && status !== 429;
