import { DAY_MS } from '@gw/kernel';
import type { DataSource } from 'typeorm';
import { ZONE_BOUNDS_COLUMNS } from '../rows/log-columns';
import { mergeZone, zoneKey, zonesOf, ZONE_FACTS, type LogZone, type ZonedLog } from './log-zone';
import { widenLogZones } from './log-zones.queries';

/** Time during which an older release, which writes no zones, may still write next to this one. */
const SETTLED_AFTER = '1 hour';
const LOGS_AT_ONCE = 2_000;
const LEAST = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the past days whose zone maps are incomplete, because a release without zone maps wrote
 * logs then. Pages read all logs of such a day. Logs that this release adds to it are in zones
 * already.
 */
export async function unzonedDays(source: DataSource): Promise<Date[]> {
  const rows: { start: Date }[] = await source.query(
    `SELECT start FROM unzoned_log_days
     WHERE known_at < now() - interval '${SETTLED_AFTER}' AND start + interval '24 hours' < now() - interval '${SETTLED_AFTER}'
     ORDER BY start DESC`,
  );
  return rows.map(({ start }) => start);
}

/**
 * Adds the zones of all logs of such a day and marks it complete. Safe to run repeatedly and
 * concurrently.
 */
export async function zoneDay(source: DataSource, start: Date): Promise<void> {
  const zones = new Map<string, LogZone>();
  for await (const rows of logsOf(source, start)) {
    for (const zone of zonesOf(rows)) {
      const merged = zones.get(zoneKey(zone));
      if (merged) mergeZone(merged, zone);
      else zones.set(zoneKey(zone), zone);
    }
  }
  const all = [...zones.values()];
  for (let at = 0; at < all.length; at += LOGS_AT_ONCE)
    await widenLogZones(source.manager, all.slice(at, at + LOGS_AT_ONCE));
  await source.query('DELETE FROM unzoned_log_days WHERE start = $1', [start]);
}

type StoredLog = { readonly id: string; readonly created_at: Date } & Readonly<Record<string, unknown>>;

/** Yields the day's logs in the order of an index, which is almost their order on disk. */
async function* logsOf(source: DataSource, start: Date): AsyncGenerator<ZonedLog[]> {
  const end = new Date(start.getTime() + DAY_MS);
  const owners: { id: string }[] = await source.query(
    `SELECT DISTINCT organisation_id AS id FROM request_logs
     WHERE created_at >= $1 AND created_at < $2 AND organisation_id IS NOT NULL`,
    [start, end],
  );
  for (const { id: owner } of owners) {
    let last: { created_at: Date; id: string } | undefined = { created_at: end, id: LEAST };
    while (last) {
      const rows: StoredLog[] = await source.query(
        `SELECT id, ${ZONE_FACTS.join(', ')} FROM request_logs
         WHERE organisation_id = $1 AND created_at >= $2 AND (created_at, id) < ($3, $4::uuid)
         ORDER BY created_at DESC, id DESC LIMIT ${String(LOGS_AT_ONCE)}`,
        [owner, start, last.created_at, last.id],
      );
      yield rows.map(zonedLog);
      last = rows.length < LOGS_AT_ONCE ? undefined : rows.at(-1);
    }
  }
}

/** Converts a stored log; the driver returns bigint columns as text. */
function zonedLog({ created_at: createdAt, ...row }: StoredLog): ZonedLog {
  const numbers = ZONE_BOUNDS_COLUMNS.map(
    (name) => [name, row[name] === null ? null : Number(row[name])] as const,
  );
  const facts: Record<string, unknown> = { ...row, ...Object.fromEntries(numbers) };
  return { ...(facts as unknown as ZonedLog), created_at: createdAt.toISOString() };
}
