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

/**
 * Calls `listener` when another tab changes what is stored under `key`. Returns a function that
 * stops it.
 */
export function onStored(key: string, listener: () => void): () => void {
  const onStorage = (event: StorageEvent): void => {
    // The key is null when the other tab has cleared the storage.
    if (event.key === PREFIX + key || event.key === null) listener();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

/** Stores a display setting in this browser. Must not be used for secrets or request contents. */
export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Without storage, the next visit uses the defaults.
  }
}
