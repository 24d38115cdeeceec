import type { LogEntry } from '@gw/log-store';
import { isOfDatabase } from './record-faults';

/** How entries are stored. */
export interface IsolatingStore {
  /** Stores all entries or none. */
  readonly store: (entries: readonly LogEntry[]) => Promise<void>;
  /**
   * Handles a record that fails alone. Returns false if it is not in the log. Rejects if the record
   * is not the cause of the failure.
   */
  readonly setAside: (entry: LogEntry, error: unknown) => Promise<boolean>;
}

/**
 * Stores entries together. If that fails, halves them until the failing record is alone and stores
 * the others. Returns the entries that are not in the log. Rejects with a failure that no record
 * causes.
 */
export async function storeIsolatingFailures(
  entries: readonly LogEntry[],
  by: IsolatingStore,
): Promise<ReadonlySet<LogEntry>> {
  const [first] = entries;
  if (!first) return new Set();
  try {
    await by.store(entries);
    return new Set();
  } catch (error) {
    if (isOfDatabase(error)) throw error;
    if (entries.length === 1) return (await by.setAside(first, error)) ? new Set() : new Set([first]);
    const middle = entries.length >> 1;
    const refused = await storeIsolatingFailures(entries.slice(0, middle), by);
    return new Set([...refused, ...(await storeIsolatingFailures(entries.slice(middle), by))]);
  }
}
