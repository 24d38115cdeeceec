import { MINUTE_MS } from '@gw/kernel';
import { ZONE_BOUNDS_COLUMNS, ZONE_TERM_COLUMNS, type RequestLogRow } from '../rows/log-columns';
import { addTerm, holdsTerms, mergeTerms, noTerms, type Terms } from './log-terms';

/**
 * A summary of the logs of one owner (a workspace, or an organisation with all of its workspaces) in a range of time, so that pages need not
 * read it for a filter that none of them matches. It may tell of more than is there, never of less, and grows until its day is removed.
 */
export interface LogZone {
  readonly ownerId: string;
  readonly minutes: ZoneMinutes;
  /** Unix milliseconds. */
  readonly start: number;
  /** Bounds by `ZONE_BOUNDS_COLUMNS`, rounded outward; Infinity and -Infinity where no log has a value. */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  readonly terms: Terms;
}

/** Pages look for short ones; a day rules out all of its own at once. */
export type ZoneMinutes = typeof ZONE_MINUTES | typeof DAY_MINUTES;
export const ZONE_MINUTES = 5;
export const DAY_MINUTES = 1440;
/** Facts of a log from which its zones are made. */
export const ZONE_FACTS = [
  ...new Set([
    ...(['created_at', 'organisation_id', 'workspace_id'] as const),
    ...ZONE_BOUNDS_COLUMNS,
    ...ZONE_TERM_COLUMNS,
  ]),
] satisfies (keyof RequestLogRow)[];
export type ZonedLog = Pick<RequestLogRow, 'created_at' | 'organisation_id' | 'workspace_id'> &
  Partial<Pick<RequestLogRow, (typeof ZONE_FACTS)[number]>>;

/** The zones of these logs, of both lengths and for both owners. Logs without an owner are in none. */
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

/** Whether nothing has to change in `zone` for what `part` tells. */
export const holdsZone = (zone: LogZone, part: LogZone): boolean =>
  part.lows.every((low, i) => low >= (zone.lows[i] as number)) &&
  part.highs.every((high, i) => high <= (zone.highs[i] as number)) &&
  holdsTerms(zone.terms, part.terms);

export function mergeZone(zone: LogZone, part: LogZone): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    zone.lows[i] = Math.min(zone.lows[i] as number, part.lows[i] as number);
    zone.highs[i] = Math.max(zone.highs[i] as number, part.highs[i] as number);
  }
  mergeTerms(zone.terms, part.terms);
}

/** Makes what `zone` tells beyond `known` tell of more: each bound by this part of it. */
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

/** A zone of some logs. `last`: the values of the one before, which most columns have again. */
interface Part {
  readonly zone: LogZone;
  readonly organisationId: string;
  readonly last: unknown[];
}

function addLog({ zone: { lows, highs, terms }, last }: Part, row: ZonedLog): void {
  for (let i = 0; i < ZONE_BOUNDS_COLUMNS.length; i += 1) {
    const value = row[ZONE_BOUNDS_COLUMNS[i] as (typeof ZONE_BOUNDS_COLUMNS)[number]];
    if (value === null || value === undefined) continue;
    // What is no number matches more than others do.
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

/** The next number that `real` holds, which rounds a value to the nearest of those. */
function roundedUp(value: number): number {
  const size = Math.abs(value);
  if (size < SMALLEST) return value > 0 ? SMALLEST : 0;
  if (size > LARGEST) return value > 0 ? Infinity : -LARGEST;
  const near = Math.fround(value);
  return near >= value ? near : Math.fround(near + size * STEP);
}

const SMALLEST = 2 ** -20;
const LARGEST = 2 ** 100;
/** Rounding step relative to a number: at least one step between two float32 values, and less than two. */
const STEP = 2 ** -23;
