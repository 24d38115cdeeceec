import type { LogEntry } from '@gw/log-store';
import { isOfDatabase } from './record-faults';

/** How entries are stored. */
export interface StoreApart {
  /** All of them, or none. */
  readonly store: (entries: readonly LogEntry[]) => Promise<void>;
  /** Gets a record that fails alone. False: nothing of it is in the log. Rejects when it fails for another reason than the record. */
  readonly setAside: (entry: LogEntry, error: unknown) => Promise<boolean>;
}

/**
 * Stores entries together. What can't be stored is halved until the record is alone that fails; those around it are stored. Returns those that are
 * not in the log. Rejects with a failure that says nothing of records.
 */
export async function storeApart(
  entries: readonly LogEntry[],
  by: StoreApart,
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
    const refused = await storeApart(entries.slice(0, middle), by);
    return new Set([...refused, ...(await storeApart(entries.slice(middle), by))]);
  }
}
