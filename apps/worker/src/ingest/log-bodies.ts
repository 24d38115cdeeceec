import { bodyFolder, bodyReference, dayOf, encodeLogBodies, type LogEntry } from '@gw/log-store';
import type { ObjectStore } from '@gw/object-store';
import { describeFault, type Log } from '@gw/web';
import { createHash } from 'node:crypto';

/** How long the store is not used after a failure, in milliseconds. */
const PAUSE_MS = 30_000;

/**
 * Moves the bodies of a batch to the object store, as one object for each day. While the store
 * fails, bodies go to the database with their rows, so that records do not wait for the store.
 */
export class LogBodyPacker {
  private pausedUntil = 0;

  /** Object store of the bodies; null when bodies are stored in the database. */
  constructor(
    private readonly store: ObjectStore | null,
    private readonly log: Log,
  ) {}

  get isFailing(): boolean {
    return Date.now() < this.pausedUntil;
  }

  /**
   * Writes the objects before the rows that reference them. Returns the entries in their order.
   * Never rejects. A repeated batch writes the same objects.
   */
  async place(entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
    if (this.store === null || this.isFailing) return entries;
    const placed = new Map<LogEntry, LogEntry | undefined>();
    const days = new Set(entries.map(({ row }) => dayOf(row.created_at)));
    for (const day of days) {
      const ofDay = entries.filter(({ row }) => dayOf(row.created_at) === day);
      // A failed day has paused the store: each further call could take as long as its timeout.
      const withReferences = this.isFailing ? ofDay : await this.placeDay(this.store, day, ofDay);
      ofDay.forEach((entry, at) => placed.set(entry, withReferences[at]));
    }
    return entries.map((entry) => placed.get(entry) ?? entry);
  }

  private async placeDay(
    store: ObjectStore,
    day: number,
    entries: readonly LogEntry[],
  ): Promise<readonly LogEntry[]> {
    const encoded = entries.map(encodeLogBodies);
    const pack = Buffer.concat(encoded.filter((content) => content !== null));
    if (pack.length === 0) return entries;
    const key = bodyFolder(day) + createHash('sha256').update(pack).digest('hex').slice(0, 32);
    try {
      await store.put(key, pack);
    } catch (error) {
      this.pausedUntil = Date.now() + PAUSE_MS;
      this.log.warn(describeFault(error), 'log store is unavailable; storing bodies in the database');
      return entries;
    }
    let offset = 0;
    return entries.map((entry, at) => {
      const length = encoded[at]?.length ?? 0;
      if (length === 0) return entry;
      const body_ref = bodyReference({ key, offset, length });
      offset += length;
      return { ...entry, row: { ...entry.row, body_ref }, request: null, response: null };
    });
  }
}
