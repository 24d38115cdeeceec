/** An IANA time zone, such as `Europe/Berlin`, `UTC`, or `OWN_ZONE`. */
export type Zone = string;

/**
 * The time zone of the browser. Its times come from `Date`, because the first call of `Intl` takes
 * tens of milliseconds and would delay the first paint.
 */
export const OWN_ZONE: Zone = 'own';

/** IANA name of the browser's time zone. */
export const viewerZone = (): Zone => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** IANA name of a zone. */
export const zoneName = (zone: Zone): string => (zone === OWN_ZONE ? viewerZone() : zone);

/** Local date and time. `month` starts at 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<Zone, Intl.DateTimeFormat>();

function partsFormat(zone: Zone): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric' },
      ...{ day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    formats.set(zone, format);
  }
  return format;
}

/** Returns whether the runtime knows a zone. */
export function isZone(zone: string): boolean {
  try {
    partsFormat(zone);
    return true;
  } catch {
    return false;
  }
}

/** Local date and time in a zone. `at` is in Unix milliseconds. */
export function wallTime(at: number, zone: Zone): WallTime {
  if (zone === OWN_ZONE) return ownWallTime(new Date(at));
  if (zone === 'UTC') return utcWallTime(new Date(at));
  const wall: Record<string, number> = {};
  for (const { type, value } of partsFormat(zone).formatToParts(at)) wall[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = wall;
  return { year, month, day, hour, minute, second };
}

const ownWallTime = (date: Date): WallTime => ({
  year: date.getFullYear(),
  month: date.getMonth() + 1,
  day: date.getDate(),
  hour: date.getHours(),
  minute: date.getMinutes(),
  second: date.getSeconds(),
});

const utcWallTime = (date: Date): WallTime => ({
  year: date.getUTCFullYear(),
  month: date.getUTCMonth() + 1,
  day: date.getUTCDate(),
  hour: date.getUTCHours(),
  minute: date.getUTCMinutes(),
  second: date.getUTCSeconds(),
});

/** Offset of a zone from UTC at a moment, in milliseconds; positive east of UTC. */
export function offsetAt(at: number, zone: Zone): number {
  if (zone === 'UTC') return 0;
  const whole = Math.floor(at / 1000) * 1000;
  return utcOf(wallTime(whole, zone)) - whole;
}

/**
 * Converts a local time in a zone to Unix milliseconds. A time in the gap of a clock change is
 * moved forward by the length of the gap; of an ambiguous time, the earlier moment is used.
 */
export function momentOf(wall: WallTime, zone: Zone): number {
  const asUtc = utcOf(wall);
  const day = 86_400_000;
  const [before, after] = [offsetAt(asUtc - day, zone), offsetAt(asUtc + day, zone)];
  const early = asUtc - Math.max(before, after);
  if (offsetAt(early, zone) === asUtc - early) return early;
  const late = asUtc - Math.min(before, after);
  if (offsetAt(late, zone) === asUtc - late) return late;
  return asUtc - before;
}

/** Start of the day of a moment in a zone, in Unix milliseconds. */
export function startOfDay(at: number, zone: Zone): number {
  return startOfWallDay(wallTime(at, zone), zone);
}

/** Start of the day that is `days` after the day of a moment. A day can have 23 or 25 hours. */
export function addDays(at: number, days: number, zone: Zone): number {
  const { year, month, day } = wallTime(at, zone);
  const moved = new Date(Date.UTC(year, month - 1, day + days));
  return startOfWallDay(
    { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() },
    zone,
  );
}

/** Weekday of a moment in a zone; 0 is Sunday. */
export function weekdayOf(at: number, zone: Zone): number {
  const { year, month, day } = wallTime(at, zone);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/** Whether a clock change of the zone lies between two moments, so that days differ in length. */
export function hasClockChange(from: number, to: number, zone: Zone): boolean {
  const first = offsetAt(from, zone);
  const step = 14 * 86_400_000;
  for (let at = from + step; at < to; at += step) if (offsetAt(at, zone) !== first) return true;
  return offsetAt(to, zone) !== first;
}

/** Formats the offset of a zone: `UTC`, `UTC+1`, `UTC−3:30`. */
export function offsetName(at: number, zone: Zone): string {
  const minutes = Math.round(offsetAt(at, zone) / 60_000);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${rest}`;
}

/** Start of a day. A day begins at 1:00 when a clock change skips midnight. */
function startOfWallDay({ year, month, day }: Pick<WallTime, 'year' | 'month' | 'day'>, zone: Zone): number {
  return momentOf({ year, month, day, hour: 0, minute: 0, second: 0 }, zone);
}

const utcOf = ({ year, month, day, hour, minute, second }: WallTime): number =>
  Date.UTC(year, month - 1, day, hour, minute, second);
