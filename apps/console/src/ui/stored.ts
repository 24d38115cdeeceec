const PREFIX = 'tollgate:';

/** Reads what `writeStored` stored in this browser; null when there is nothing or no storage. */
export function readStored(key: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** Stores a display setting in this browser. Must not be used for secrets or request contents. */
export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Without storage, the next visit uses the defaults.
  }
}
