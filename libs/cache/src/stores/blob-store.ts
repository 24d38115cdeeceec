/**
 * Where entries rest: bytes under a key, for a time. Never throws and never rejects: what cannot be read is missing, what cannot
 * be written is not there, because an answer must not depend on its cache. `key` is a digest.
 */
export interface BlobStore {
  /** Null: missing. Gives the value at once where it can. */
  get(key: string): Buffer | null | Promise<Buffer | null>;
  /** The buffer is the store's own from then on. Too big a value is not stored. */
  set(key: string, value: Buffer, ttlMs: number): void;
  delete(key: string): void;
}
