import { GatewayError, type Tenant } from '@gw/kernel';

/** The state that a store has for a scope. */
export type IdempotencyState =
  /** The scope was unknown: the caller has the claim now, and must carry out the request. */
  | { readonly kind: 'claimed' }
  /** Another caller is carrying out the request. */
  | { readonly kind: 'running'; readonly fingerprint: string }
  /** The request has been carried out. `response` is null when it was too large to keep or was dropped
   * for newer ones of its workspace.
   */
  | { readonly kind: 'done'; readonly fingerprint: string; readonly response: Buffer | null };

/** A claim on a scope. `token` is a unique value that proves who holds it. */
export interface IdempotencyClaim {
  readonly scope: string;
  readonly fingerprint: string;
  readonly token: string;
  /** The tenant whose share of the store it uses. */
  readonly tenant: Tenant;
}

/**
 * Stores the first response by scope.
 * Rejects when the store cannot be read, because unlike in a cache a response must not be treated
 * as missing; rejects with `unavailable` when the workspace's share has no room for another key.
 * A workspace whose share is full loses its oldest responses, then its oldest keys, and never those
 * of another workspace. A claim ends after `leaseMs` unless it is renewed, so that a dead process
 * does not delay others.
 */
export interface IdempotencyStore {
  claim(claim: IdempotencyClaim, leaseMs: number): Promise<IdempotencyState>;
  /** Renews a lease. Has no effect when the claim is lost. */
  renew(claim: IdempotencyClaim, leaseMs: number): Promise<void>;
  /** Stores the response, unless another caller has claimed the scope since the claim was lost. */
  complete(claim: IdempotencyClaim, response: Buffer | null, ttlMs: number): Promise<void>;
  /**
   * Ends a claim without a response, so that the next caller may claim. Has no effect when the
   * claim is lost.
   */
  release(claim: IdempotencyClaim): Promise<void>;
  /** Resolves when the scope may have changed, at the latest after `timeoutMs`. */
  changed(scope: string, timeoutMs: number): Promise<void>;
}

/** Creates the error for a key for which the workspace's share has no room. */
export const keysFull = (): GatewayError =>
  new GatewayError('unavailable', {
    message: "The workspace's share of memory for requests with an Idempotency-Key is full; retry later.",
    param: 'idempotency-key',
    headers: { 'retry-after': '1' },
  });
