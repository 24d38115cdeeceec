import { MINUTE_MS } from '@gw/kernel';
import { ZONE_BOUNDS_COLUMNS, ZONE_TERM_COLUMNS, type RequestLogRow } from '../rows/log-columns';
import { addTerm, holdsTerms, mergeTerms, noTerms, type Terms } from './log-terms';

/**
 * Summary of the logs of one owner (a workspace, or an organisation with all its workspaces) in a
 * range of time. Pages skip a range whose zone excludes a filter. A zone may claim values that no
 * log has, but never omits one, and only grows until its day is deleted.
 */
export interface LogZone {
  readonly ownerId: string;
  readonly minutes: ZoneMinutes;
  /** Unix milliseconds. */
  readonly start: number;
  /**
   * Bounds in the order of `ZONE_BOUNDS_COLUMNS`, rounded outward; Infinity and -Infinity if no log
   * has a value.
   */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly terms: Terms;
}

/**
 * Length of a zone in minutes. Pages read the logs of short zones; a zone of a day excludes all
 * short zones of that day with one row.
 */
export type ZoneMinutes = typeof ZONE_MINUTES | typeof DAY_MINUTES;
export const ZONE_MINUTES = 5;
export const DAY_MINUTES = 1440;
/** Columns of a log from which its zones are computed. */
export const ZONE_FACTS = [
  ...new Set([
    ...(['created_at', 'organisation_id', 'workspace_id'] as const),
    ...ZONE_BOUNDS_COLUMNS,
    ...ZONE_TERM_COLUMNS,
  ]),
] satisfies (keyof RequestLogRow)[];
export type ZonedLog = Pick<RequestLogRow, 'created_at' | 'organisation_id' | 'workspace_id'> &
  Partial<Pick<RequestLogRow, (typeof ZONE_FACTS)[number]>>;

/**
 * Returns the zones of these logs: both lengths, for the workspace and the organisation. Logs
 * without an owner have no zone.
 */
export function zonesOf(rows: Iterable<ZonedLog>): LogZone[] {
  const parts = new Map<string, Part>();
  for (const row of rows) {
    const { organisation_id: organisationId, workspace_id: workspaceId } = row;
    if (organisationId === null) continue;
    const ownerId = workspaceId ?? organisationId;
    const start = startOf(Date.parse(row.created_at), ZONE_MINUTES);
    const key = `${ownerId}/${String(start)}`;
    let part = parts.get(key);
    if (part === undefined)
      parts.set(key, (part = { zone: emptyZone(ownerId, ZONE_MINUTES, start), organisationId, last: [] }));
    addLog(part, row);
  }
  const zones = new Map<string, LogZone>();
  for (const { zone, organisationId } of parts.values()) {
    round(zone);
    for (const ownerId of new Set([zone.ownerId, organisationId]))
      for (const minutes of [ZONE_MINUTES, DAY_MINUTES] as const) mergeInto(zones, ownerId, minutes, zone);
  }
  return [...zones.values()];
}

export const zoneKey = ({
  ownerId,
  minutes,
  start,
}: Pick<LogZone, 'ownerId' | 'minutes' | 'start'>): string =>
  `${ownerId}/${String(minutes)}/${String(start)}`;

/** Returns whether `zone` already covers `part`. */
export const holdsZone = (zone: LogZone, part: LogZone): boolean =>
  part.lows.every((low, i) => low >= (zone.lows[i] as number)) &&
  part.highs.every((high, i) => high <= (zone.highs[i] as number)) &&
  holdsTerms(zone.terms, part.terms);

/** Widens `zone` to cover `part`. */
export function mergeZone(zone: LogZone, part: LogZone): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    zone.lows[i] = Math.min(zone.lows[i] as number, part.lows[i] as number);
    zone.highs[i] = Math.max(zone.highs[i] as number, part.highs[i] as number);
  }
  mergeTerms(zone.terms, part.terms);
}

/**
 * Widens each bound of `zone` that exceeds `known` by a margin: `part` is its fraction of the
 * bound.
 */
export function loosenZone(zone: LogZone, known: LogZone, part: number): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    const [low, high] = [zone.lows[i] as number, zone.highs[i] as number];
    if (low < (known.lows[i] as number)) zone.lows[i] = -roundedUp(Math.abs(low) * part - low);
    if (high > (known.highs[i] as number)) zone.highs[i] = roundedUp(Math.abs(high) * part + high);
  }
}

const startOf = (time: number, minutes: ZoneMinutes): number => time - (time % (minutes * MINUTE_MS));

const emptyZone = (ownerId: string, minutes: ZoneMinutes, start: number): LogZone => ({
  ...{ ownerId, minutes, start },
  lows: new Float64Array(ZONE_BOUNDS_COLUMNS.length).fill(Infinity),
  highs: new Float64Array(ZONE_BOUNDS_COLUMNS.length).fill(-Infinity),
  terms: noTerms(),
});

function mergeInto(zones: Map<string, LogZone>, ownerId: string, minutes: ZoneMinutes, part: LogZone): void {
  const start = startOf(part.start, minutes);
  const key = zoneKey({ ownerId, minutes, start });
  let zone = zones.get(key);
  if (zone === undefined) zones.set(key, (zone = emptyZone(ownerId, minutes, start)));
  mergeZone(zone, part);
}

/**
 * A zone that is being computed. `last` holds the values of the previous log, since most columns
 * repeat them.
 */
interface Part {
  readonly zone: LogZone;
  readonly organisationId: string;
  readonly last: unknown[];
}

function addLog({ zone: { lows, highs, terms }, last }: Part, row: ZonedLog): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    const value = row[ZONE_BOUNDS_COLUMNS[i] as (typeof ZONE_BOUNDS_COLUMNS)[number]];
    if (value === null || value === undefined) continue;
    // NaN widens the bound to infinity, since Postgres sorts it above all numbers.
    if (!(value >= (lows[i] as number))) lows[i] = Number.isNaN(value) ? -Infinity : value;
    if (!(value <= (highs[i] as number))) highs[i] = Number.isNaN(value) ? Infinity : value;
  }
  for (let i = 0; i < ZONE_TERM_COLUMNS.length; i += 1) {
    const name = ZONE_TERM_COLUMNS[i] as (typeof ZONE_TERM_COLUMNS)[number];
    const value = row[name];
    if (value === null || value === undefined || value === last[i]) continue;
    last[i] = value;
    addTerm(terms, name, value);
  }
}

function round({ lows, highs }: LogZone): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    if ((lows[i] as number) <= (highs[i] as number)) {
      lows[i] = -roundedUp(-(lows[i] as number));
      highs[i] = roundedUp(highs[i] as number);
    }
  }
}

/**
 * Returns the smallest number of type `real` that is at least `value`; Postgres itself rounds to
 * the nearest.
 */
function roundedUp(value: number): number {
  const size = Math.abs(value);
  if (size < SMALLEST) return value > 0 ? SMALLEST : 0;
  if (size > LARGEST) return value > 0 ? Infinity : -LARGEST;
  const near = Math.fround(value);
  return near >= value ? near : Math.fround(near + size * STEP);
}

const SMALLEST = 2 ** -20;
const LARGEST = 2 ** 100;
/**
 * Rounding step relative to a number: at least one step between two float32 values, and less than
 * two.
 */
const STEP = 2 ** -23;
