import type { Tenant } from '@gw/kernel';

/** Result of a store that did not answer, or not soon enough. */
export const UNAVAILABLE = Symbol('the store could not be reached');

/**
 * Where entries rest: bytes under a key, for a time. Never throws and never rejects: what cannot be read is not there, what cannot
 * be written is not stored, because an answer must not depend on its cache. `key` is a digest.
 */
export interface BlobStore {
  /** Null: missing. Gives the value at once where it can. */
  get(key: string): Buffer | null | Promise<Buffer | null | typeof UNAVAILABLE>;
  /** The buffer is the store's own from then on. Too big a value is not stored; one that passes the share of the tenant pushes out its own. */
  set(tenant: Tenant, key: string, value: Buffer, ttlMs: number): void;
  delete(key: string): void;
}
