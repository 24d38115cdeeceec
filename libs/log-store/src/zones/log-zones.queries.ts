import { MINUTE_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { ZONE_BOUNDS_COLUMNS } from '../rows/log-columns';
import type { LogFilter } from '../pages/log-conditions';
import { DAY_MINUTES, ZONE_MINUTES, type LogZone, type ZoneMinutes } from './log-zone';
import { TERMS_BITS, termsText } from './log-terms';
import { zoneConditions } from './zone-conditions';

const BOUNDS = ZONE_BOUNDS_COLUMNS.flatMap((name) => [`${name}_low`, `${name}_high`]);
const COLUMNS = ['terms', ...BOUNDS];
const TYPES = [`terms bit(${String(TERMS_BITS)})`, ...BOUNDS.map((name) => `${name} real`)].join(', ');
const MERGED = [
  'zone.terms | excluded.terms',
  ...ZONE_BOUNDS_COLUMNS.flatMap((name) => [
    `least(zone.${name}_low, excluded.${name}_low)`,
    `greatest(zone.${name}_high, excluded.${name}_high)`,
  ]),
].join(', ');

const WIDEN = `
  INSERT INTO log_zones AS zone (owner_id, minutes, start, ${COLUMNS.join(', ')})
  SELECT owner_id, minutes, start, ${COLUMNS.join(', ')}
  FROM json_to_recordset($1::json) AS zones (owner_id uuid, minutes smallint, start timestamptz, ${TYPES})
  ON CONFLICT (owner_id, minutes, start) DO UPDATE SET (${COLUMNS.join(', ')}) = ROW(${MERGED})
  WHERE ROW(${MERGED}) IS DISTINCT FROM ROW(${COLUMNS.map((name) => `zone.${name}`).join(', ')})`;

/** Widens the stored zones to cover these, in the transaction that makes their logs visible. */
export async function widenLogZones(manager: EntityManager, zones: readonly LogZone[]): Promise<void> {
  if (zones.length === 0) return;
  // All writers use the same order, so that they cannot deadlock.
  const rows = zones.map(rowOf).sort(byPlace);
  await manager.query(WIDEN, [JSON.stringify(rows)]);
}

interface ZoneRow {
  readonly owner_id: string;
  readonly minutes: number;
  readonly start: string;
}

function rowOf({ ownerId, minutes, start, lows, highs, terms }: LogZone): ZoneRow {
  const bounds: Record<string, string> = {};
  ZONE_BOUNDS_COLUMNS.forEach((name, i) => {
    const [low, high] = [lows[i] as number, highs[i] as number];
    if (low > high) return;
    // JSON has no infinity; Postgres reads it from a string.
    bounds[`${name}_low`] = String(low);
    bounds[`${name}_high`] = String(high);
  });
  return {
    owner_id: ownerId,
    minutes,
    start: new Date(start).toISOString(),
    terms: termsText(terms),
    ...bounds,
  } as ZoneRow;
}

const byPlace = (one: ZoneRow, other: ZoneRow): number =>
  one.minutes - other.minutes || compare(one.start, other.start) || compare(one.owner_id, other.owner_id);
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Range of time, including its start and excluding its end. */
export interface ZoneRange {
  readonly start: Date;
  readonly end: Date;
}

export interface NextZoneRanges {
  readonly ranges: readonly ZoneRange[];
  readonly before: Date | null;
}

/**
 * Returns ranges of time that may hold matches, newest first: zones, and whole days whose zone map
 * is incomplete. Looks into the newest `days` days before `before` that may hold matches. `before`
 * of the result is the argument of the next call; null: there are no further days.
 */
export async function nextZoneRanges(
  manager: EntityManager,
  filter: LogFilter,
  before: Date | null,
  days: number,
): Promise<NextZoneRanges> {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const ownerId = bind(filter.owner.workspaceId ?? filter.owner.organisationId);
  const dayConditions = [...startConditions(filter, DAY_MINUTES, bind)];
  if (before !== null) dayConditions.push(`start < ${bind(before)}::timestamptz`);
  const termConditions = [...zoneConditions(filter, bind)];
  const zones = (minutes: ZoneMinutes, ...conditions: readonly string[]): string =>
    [`owner_id = ${ownerId}`, `minutes = ${String(minutes)}`, ...conditions, ...termConditions].join(' AND ');
  const rows: { day: Date; unzoned: boolean; start: Date | null }[] = await manager.query(
    `WITH days AS MATERIALIZED (
       SELECT start, FALSE AS unzoned FROM log_zones WHERE ${zones(DAY_MINUTES, ...dayConditions)}
         AND NOT EXISTS (SELECT FROM unzoned_log_days AS unzoned WHERE unzoned.start = log_zones.start)
       UNION ALL
       SELECT start, TRUE FROM unzoned_log_days WHERE ${[...dayConditions, 'TRUE'].join(' AND ')}
       ORDER BY start DESC LIMIT ${bind(days)}
     )
     SELECT days.start AS day, unzoned, zone.start FROM days LEFT JOIN LATERAL (
       SELECT start FROM log_zones WHERE NOT unzoned AND ${zones(ZONE_MINUTES, ...startConditions(filter, ZONE_MINUTES, bind))}
         AND start >= days.start AND start < days.start + interval '24 hours'
     ) AS zone ON TRUE
     ORDER BY days.start DESC, zone.start DESC`,
    parameters,
  );
  const ranges = rows.flatMap(({ day, unzoned, start }) =>
    unzoned ? [rangeOf(day, DAY_MINUTES)] : start === null ? [] : [rangeOf(start, ZONE_MINUTES)],
  );
  const daysRead = new Set(rows.map(({ day }) => day.getTime()));
  return { ranges, before: daysRead.size < days ? null : (rows.at(-1)?.day ?? null) };
}

const rangeOf = (start: Date, minutes: ZoneMinutes): ZoneRange => ({
  start,
  end: new Date(start.getTime() + minutes * MINUTE_MS),
});

type Bind = (value: unknown) => string;

/**
 * Conditions on the start of ranges of that length that the time filter and the page's position
 * allow.
 */
function* startConditions({ ranges, after }: LogFilter, minutes: ZoneMinutes, bind: Bind): Generator<string> {
  const { min, max } = ranges.created_at ?? {};
  if (min !== undefined) yield `start > ${bind(min)}::timestamptz - interval '${String(minutes)} minutes'`;
  if (max !== undefined) yield `start <= ${bind(max)}::timestamptz`;
  if (after) yield `start <= ${bind(after.createdAt)}::timestamptz`;
}
