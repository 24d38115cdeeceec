import type { Tenant } from '@gw/kernel';

/** Result when the store did not reply in time. */
export const UNAVAILABLE = Symbol('the store could not be reached');

/**
 * Stores bytes under a key for a time. `key` is a digest.
 * Never throws or rejects, because a response must not depend on its cache: what cannot be read
 * counts as missing, what cannot be written is not stored.
 */
export interface BlobStore {
  /** Returns the value, or null when it is missing; synchronously if possible. */
  get(key: string): Buffer | null | Promise<Buffer | null | typeof UNAVAILABLE>;
  /**
   * Stores a value; the buffer belongs to the store from then on. A value that is too large is not
   * stored; one beyond the tenant's share evicts the tenant's own entries.
   */
  set(tenant: Tenant, key: string, value: Buffer, ttlMs: number): void;
  delete(key: string): void;
}
