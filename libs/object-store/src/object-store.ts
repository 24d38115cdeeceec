/**
 * Whole objects by key. Keys are made by this product, never by a caller: segments of `[A-Za-z0-9._=-]`, none of them `.` or `..`,
 * separated by `/`; at most 512 characters. Rejects when the store can't be reached; nothing is retried for longer than a minute.
 */
export interface ObjectStore {
  /** Resolves once the object is durable. One of that key is replaced, whole or not at all. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** Null: there is no such object. A range that ends behind the object gives what there is of it. */
  get(key: string, range?: ByteRange): Promise<Buffer | null>;
  /** Removes every object below a folder, which ends with `/`. Nothing is there: nothing happens. */
  removeFolder(folder: string): Promise<void>;
  close(): void;
}

export interface ByteRange {
  readonly offset: number;
  /** At least 1. */
  readonly length: number;
}

/** Bytes of one object that are ever held in memory. */
export const OBJECT_BYTES_MAX = 64 * 1_048_576;

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._=-]{1,255}$/;

/** Throws for a key, or folder, that no part of this product makes. */
export function assertKey(key: string, isFolder = false): void {
  const path = isFolder && key.endsWith('/') ? key.slice(0, -1) : key;
  const isValid = path.length <= 512 && path.split('/').every((segment) => SEGMENT.test(segment));
  if (!isValid || isFolder !== key.endsWith('/')) throw new Error('The key of an object is not valid.');
}
