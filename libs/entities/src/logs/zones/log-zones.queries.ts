import type { EntityManager } from 'typeorm';
import { LOG_MEASURES, type LogFilter } from '../log-conditions';
import { DAY_MINUTES, ZONE_MINUTES, type LogZone } from './log-zone';
import { TERMS_BITS, termsText } from './log-terms';
import { zoneConditions } from './zone-conditions';

const BOUNDS = LOG_MEASURES.flatMap((name) => [`${name}_low`, `${name}_high`]);
const TOLD = ['terms', ...BOUNDS];
const TYPES = [`terms bit(${String(TERMS_BITS)})`, ...BOUNDS.map((name) => `${name} real`)].join(', ');
const BOTH = [
  'zone.terms | excluded.terms',
  ...LOG_MEASURES.flatMap((name) => [
    `least(zone.${name}_low, excluded.${name}_low)`,
    `greatest(zone.${name}_high, excluded.${name}_high)`,
  ]),
].join(', ');

const WIDEN = `
  INSERT INTO log_zones AS zone (owner_id, minutes, start, ${TOLD.join(', ')})
  SELECT owner_id, minutes, start, ${TOLD.join(', ')}
  FROM json_to_recordset($1::json) AS zones (owner_id uuid, minutes smallint, start timestamptz, ${TYPES})
  ON CONFLICT (owner_id, minutes, start) DO UPDATE SET (${TOLD.join(', ')}) = ROW(${BOTH})
  WHERE ROW(${BOTH}) IS DISTINCT FROM ROW(${TOLD.map((name) => `zone.${name}`).join(', ')})`;

/** Makes the zones tell of these too, no later than the transaction makes their logs be seen. */
export async function widenLogZones(manager: EntityManager, zones: readonly LogZone[]): Promise<void> {
  if (zones.length === 0) return;
  // In one order, so that two writers never wait for each other.
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
  LOG_MEASURES.forEach((name, i) => {
    const [low, high] = [lows[i] as number, highs[i] as number];
    if (low > high) return;
    // JSON has no infinity, which Postgres reads as a text.
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

/** Of time, its start included and its end not. */
export interface Stretch {
  readonly start: Date;
  readonly end: Date;
}

/**
 * The next stretches of time, newest first, that may have logs which the filter matches: zones, and whole days whose zones don't tell of all of
 * their logs yet. `before`: only those that begin before it.
 */
export async function nextStretches(
  manager: EntityManager,
  filter: LogFilter,
  before: Date | null,
  countMax: number,
): Promise<Stretch[]> {
  const parameters: unknown[] = [];
  const bind = (value: unknown): string => `$${String(parameters.push(value))}`;
  const ownerId = bind(filter.owner.workspaceId ?? filter.owner.organisationId);
  const length = `interval '${String(ZONE_MINUTES)} minutes'`;
  const day = [...placesOf(filter, before, `interval '24 hours'`, bind)];
  const zone = [...placesOf(filter, before, length, bind)];
  const told = [...zoneConditions(filter, bind)];
  return manager.query(
    `SELECT start, "end" FROM (
       SELECT zone.start, zone.start + ${length} AS "end"
       FROM (
         SELECT start FROM log_zones
         WHERE ${[`owner_id = ${ownerId}`, `minutes = ${String(DAY_MINUTES)}`, ...day, ...told].join(' AND ')}
           AND NOT EXISTS (SELECT FROM unzoned_log_days AS unzoned WHERE unzoned.start = log_zones.start)
       ) AS day CROSS JOIN LATERAL (
         SELECT start FROM log_zones
         WHERE ${[`owner_id = ${ownerId}`, `minutes = ${String(ZONE_MINUTES)}`, ...zone, ...told].join(' AND ')}
           AND start >= day.start AND start < day.start + interval '24 hours'
       ) AS zone
       UNION ALL
       SELECT start, start + interval '24 hours' FROM unzoned_log_days WHERE ${[...day, 'TRUE'].join(' AND ')}
     ) AS stretches ORDER BY start DESC LIMIT ${bind(countMax)}`,
    parameters,
  );
}

type Bind = (value: unknown) => string;

/** Stretches of that length which a page may begin or go on in. */
function* placesOf(
  { ranges, after }: LogFilter,
  before: Date | null,
  length: string,
  bind: Bind,
): Generator<string> {
  const { min, max } = ranges.created_at ?? {};
  if (min !== undefined) yield `start > ${bind(min)}::timestamptz - ${length}`;
  if (max !== undefined) yield `start <= ${bind(max)}::timestamptz`;
  if (after) yield `start <= ${bind(after.createdAt)}::timestamptz`;
  if (before) yield `start < ${bind(before)}::timestamptz`;
}
