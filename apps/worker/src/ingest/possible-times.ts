import { placedTimes, timesOfSkewed, type LogEntry } from '@gw/log-store';
import type { EntityManager } from 'typeorm';
import type { LogPartitions } from './log-partitions.service';

/**
 * Returns the times under which entries are stored instead of their own: an implausible time
 * (`skewed`) becomes the time of first arrival. A repeated record keeps the time of its first
 * delivery although its own time has become plausible, or implausible, meanwhile; otherwise it would
 * be stored and charged twice.
 */
export async function possibleTimes(
  manager: EntityManager,
  entries: readonly LogEntry[],
  skewed: ReadonlySet<LogEntry>,
  partitions: Pick<LogPartitions, 'isAtBound'>,
): Promise<ReadonlyMap<LogEntry, string>> {
  const atBound = entries.filter(({ row }) => partitions.isAtBound(new Date(row.created_at)));
  const placed = await placedTimes(
    manager,
    atBound.map(({ row }) => ({ id: row.id, createdAt: row.created_at })),
  );
  const unplaced = [...skewed].map(({ row }) => row.id).filter((id) => !placed.has(id));
  const arrivals = await timesOfSkewed(manager, unplaced, new Date());
  const times = new Map<LogEntry, string>();
  for (const entry of new Set([...atBound, ...skewed])) {
    const { id, created_at: own } = entry.row;
    const known = placed.get(id);
    const time = known ?? arrivals.get(id);
    if (time !== undefined && known !== own) times.set(entry, time);
  }
  return times;
}
