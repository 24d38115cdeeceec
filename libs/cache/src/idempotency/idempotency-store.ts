/** What a store knows under a scope. */
export type IdempotencyState =
  /** Nothing was known: the caller has the claim now, and answers. */
  | { readonly kind: 'claimed' }
  /** Somebody is at it. */
  | { readonly kind: 'running'; readonly fingerprint: string }
  /** There is an answer; null: it was too large to keep. */
  | { readonly kind: 'done'; readonly fingerprint: string; readonly answer: Buffer | null };

/** A claim, as its holder proves it: `token` is made up by the holder and unlike any other. */
export interface Claim {
  readonly scope: string;
  readonly fingerprint: string;
  readonly token: string;
}

/**
 * First answers by scope. Rejects when the store cannot be asked: unlike a cache, an answer must not be taken for missing because
 * of that. A claim ends by itself after `leaseMs` unless it is renewed, so that a process that died holds nobody up.
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
