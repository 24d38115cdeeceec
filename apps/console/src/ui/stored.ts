const PREFIX = 'tollgate:';

/** Reads what `writeStored` kept in this browser. Null: nothing, or the browser keeps nothing. */
export function readStored(key: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** Keeps a setting of the looks in this browser. Never for secrets or contents of requests. */
export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // A browser that is full or keeps nothing shows the defaults next time.
  }
}
