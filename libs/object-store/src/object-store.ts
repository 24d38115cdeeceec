/**
 * Stores whole objects by key. Tollgate creates the keys, never a caller: segments of
 * `[A-Za-z0-9._=-]`, none of them `.` or `..`, separated by `/`; at most 512 characters. Methods
 * reject if the store is unreachable and retry for at most a minute.
 */
export interface ObjectStore {
  /** Resolves once the object is durable. Replaces an existing object atomically. */
  put(key: string, bytes: Buffer): Promise<void>;
  /**
   * Returns null if the object does not exist. A range beyond the end returns the existing part.
   */
  get(key: string, range?: ByteRange): Promise<Buffer | null>;
  /**
   * Removes every object below a folder, whose name ends with `/`. Does nothing if there are none.
   */
  removeFolder(folder: string): Promise<void>;
  close(): void;
}

export interface ByteRange {
  readonly offset: number;
  /** Length of the range, at least 1. */
  readonly length: number;
}

/** Maximum size of an object in bytes that is held in memory. */
export const OBJECT_BYTES_MAX = 64 * 1_048_576;

const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._=-]{1,255}$/;

/** Throws for an invalid key or folder, which no part of Tollgate creates. */
export function assertKey(key: string, isFolder = false): void {
  const path = isFolder && key.endsWith('/') ? key.slice(0, -1) : key;
  const isValid = path.length <= 512 && path.split('/').every((segment) => SEGMENT.test(segment));
  if (!isValid || isFolder !== key.endsWith('/')) throw new Error('The key of an object is not valid.');
}
