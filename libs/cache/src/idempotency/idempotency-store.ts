import { GatewayError, type Tenant } from '@gw/kernel';

/** What a store knows under a scope. */
export type IdempotencyState =
  /** Nothing was known: the caller has the claim now, and answers. */
  | { readonly kind: 'claimed' }
  /** Somebody is at it. */
  | { readonly kind: 'running'; readonly fingerprint: string }
  /** There is an answer; null: it was too large to keep, or had to make room for newer ones of its workspace. */
  | { readonly kind: 'done'; readonly fingerprint: string; readonly answer: Buffer | null };

/** A claim, as its holder proves it: `token` is made up by the holder and unlike any other. */
export interface Claim {
  readonly scope: string;
  readonly fingerprint: string;
  readonly token: string;
  /** Whose share of the store it takes. */
  readonly tenant: Tenant;
}

/**
 * First answers by scope. Rejects when the store cannot be read: unlike a cache, an answer must not be taken for missing because
 * of that; with `unavailable` when the workspace's share has no room for another key. A workspace whose share is full loses its oldest
 * answers, then the oldest keys themselves, and never those of another. A claim ends by itself after `leaseMs` unless it is renewed, so that a dead process delays no other.
 */
export interface IdempotencyStore {
  claim(claim: Claim, leaseMs: number): Promise<IdempotencyState>;
  /** Does nothing when the claim is lost. */
  renew(claim: Claim, leaseMs: number): Promise<void>;
  /** Keeps the answer, unless somebody else has taken the scope since the claim was lost. */
  complete(claim: Claim, answer: Buffer | null, ttlMs: number): Promise<void>;
  /** There is no answer: the next one may claim. Does nothing when the claim is lost. */
  release(claim: Claim): Promise<void>;
  /** Resolves when something may have changed under the scope, at the latest after `timeoutMs`. */
  changed(scope: string, timeoutMs: number): Promise<void>;
}

export const keysFull = (): GatewayError =>
  new GatewayError('unavailable', {
    message:
      "Requests under an Idempotency-Key hold the workspace's share of the gateway's memory; send the request again later.",
    param: 'idempotency-key',
    headers: { 'retry-after': '1' },
  });
