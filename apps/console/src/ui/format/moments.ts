import { offsetName, wallTime, zoneName, type Zone } from './zones';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const HOUR_MS = 3_600_000;

const two = (value: number): string => String(value).padStart(2, '0');

/** Parses a time of the API to Unix milliseconds; null when it is missing or invalid. */
export function parseMoment(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** Formats the time of day with milliseconds, for lists: `14:02:11.482`. */
export function clock(at: number, zone: Zone): string {
  return `${clockSeconds(at, zone)}.${String((((at % 1000) + 1000) % 1000) | 0).padStart(3, '0')}`;
}

/** Formats the time of day with seconds: `14:02:11`. */
export function clockSeconds(at: number, zone: Zone): string {
  const { hour, minute, second } = wallTime(at, zone);
  return `${two(hour)}:${two(minute)}:${two(second)}`;
}

/** Formats the time of day: `14:02`. */
export function clockMinutes(at: number, zone: Zone): string {
  const { hour, minute } = wallTime(at, zone);
  return `${two(hour)}:${two(minute)}`;
}

/** Formats a date: `23 Nov 2026`. */
export function date(at: number, zone: Zone): string {
  const { year, month, day } = wallTime(at, zone);
  return `${day} ${MONTHS[month - 1] ?? ''} ${year}`;
}

/** Formats day and month, for axes: `23 Nov`. */
export function dayAndMonth(at: number, zone: Zone): string {
  const { month, day } = wallTime(at, zone);
  return `${day} ${MONTHS[month - 1] ?? ''}`;
}

/** Formats a date with its weekday, for the rule between the days of a list: `Mon 23 Nov 2026`. */
export function dayRule(at: number, zone: Zone): string {
  const { year, month, day } = wallTime(at, zone);
  const weekday = WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? '';
  return `${weekday} ${date(at, zone)}`;
}

/** Key of the day of a moment, by which a list finds where a new day begins: `2026-11-23`. */
export function dayKey(at: number, zone: Zone): string {
  const { year, month, day } = wallTime(at, zone);
  return `${year}-${two(month)}-${two(day)}`;
}

/** Formats a moment: `23 Nov 2026, 14:02`. */
export const moment = (at: number, zone: Zone): string => `${date(at, zone)}, ${clockMinutes(at, zone)}`;

/** Formats a moment with its zone: `23 Nov 2026, 14:02:11.482 UTC+1`. */
export const momentWithZone = (at: number, zone: Zone): string =>
  `${date(at, zone)}, ${clock(at, zone)} ${offsetName(at, zone)}`;

/**
 * Formats a moment in the given zone and in UTC, one line each, for tooltips; a single line when
 * both are the same. `isNamed` adds the name of the zone, whose first lookup is slow.
 */
export function bothZones(at: number, zone: Zone, isNamed = true): readonly string[] {
  const utc = momentWithZone(at, 'UTC');
  const own = momentWithZone(at, zone);
  return own === utc ? [utc] : [isNamed ? `${own} (${zoneName(zone)})` : own, utc];
}

/**
 * Formats a relative time: `12 min ago`, `in 3 min`. Null from an hour on, where only the moment
 * itself is shown.
 */
export function relative(at: number, now: number): string | null {
  const away = Math.abs(at - now);
  if (away >= HOUR_MS) return null;
  const minutes = Math.floor(away / 60_000);
  const text = minutes > 0 ? `${minutes} min` : `${Math.floor(away / 1000)} s`;
  if (away < 1000) return 'now';
  return at > now ? `in ${text}` : `${text} ago`;
}
