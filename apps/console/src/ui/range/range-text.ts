import { addDays, momentOf, startOfDay, wallTime, weekdayOf, type Zone } from '../format';
import { decodeRange, type Range } from '../../url';

const SPAN = /^(?:last\s+)?(\d{1,5})\s*(m|min|mins|minutes?|h|hours?|d|days?|w|weeks?)$/;
const TIME = /^(\d{1,2}):(\d{2})$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{1,2}:\d{2}))?$/;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
/** Years after which 29 February has come at least once. */
const LEAP_YEARS = 8;

/**
 * Parses a typed range in a zone: `24h`, `last 2 days`, `today`, `yesterday`, `last tue`, `this
 * week`, `last month`, `13:30-14:00`, `13:30`, `13:30 - now`, `2026-11-23`, `23 nov`, `2026-11-23
 * 13:30 - 15:00`. Null for any other text.
 */
export function parseRangeText(text: string, now: number, zone: Zone): Range | null {
  const typed = text.trim().toLowerCase().replace(/[–—]/g, '-').replace(/\s+/g, ' ');
  const span = SPAN.exec(typed);
  if (span !== null && Number(span[1]) > 0)
    return { kind: 'relative', span: `${Number(span[1])}${(span[2] ?? '').slice(0, 1)}` };
  return (
    decodeRange(text.trim()) ??
    namedRange(typed, now, zone) ??
    betweenRange(typed, now, zone) ??
    dayRange(typed, now, zone)
  );
}

const absolute = (from: number, to: number | null): Range | null =>
  to === null || to > from ? { kind: 'absolute', from, to } : null;

/** Returns a range; one that would end in the future has no end. */
const until = (from: number, to: number, now: number): Range | null => absolute(from, to > now ? null : to);

function namedRange(typed: string, now: number, zone: Zone): Range | null {
  const today = startOfDay(now, zone);
  const monday = addDays(today, -((weekdayOf(now, zone) + 6) % 7), zone);
  switch (typed) {
    case 'today':
      return absolute(today, null);
    case 'yesterday':
      return absolute(addDays(today, -1, zone), today);
    case 'this week':
      return absolute(monday, null);
    case 'last week':
      return absolute(addDays(monday, -7, zone), monday);
    case 'this month':
      return absolute(startOfMonth(now, 0, zone), null);
    case 'last month':
      return absolute(startOfMonth(now, -1, zone), startOfMonth(now, 0, zone));
    default:
      return null;
  }
}

function startOfMonth(now: number, by: number, zone: Zone): number {
  const { year, month } = wallTime(now, zone);
  const moved = new Date(Date.UTC(year, month - 1 + by, 1));
  const wall = {
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
  };
  return momentOf(wall, zone);
}

/** Parses a single day. A weekday stands for the last one before today. */
function dayRange(typed: string, now: number, zone: Zone): Range | null {
  const start = dayStart(typed.replace(/^last /, ''), now, zone);
  return start === null ? null : until(start, addDays(start, 1, zone), now);
}

function dayStart(typed: string, now: number, zone: Zone): number | null {
  return weekdayStart(typed, now, zone) ?? dateStart(typed, zone) ?? namedDateStart(typed, now, zone);
}

function weekdayStart(typed: string, now: number, zone: Zone): number | null {
  const weekday = indexOf(WEEKDAYS, typed);
  const back = (weekdayOf(now, zone) - weekday + 7) % 7;
  return weekday < 0 ? null : addDays(now, back === 0 ? -7 : -back, zone);
}

/** Index of a name by its first three letters or more; -1 for none. */
const indexOf = (names: readonly string[], typed: string): number =>
  typed.length < 3 ? -1 : names.findIndex((name) => name.startsWith(typed));

function dateStart(typed: string, zone: Zone): number | null {
  const [, year, month, day, time] = DATE.exec(typed) ?? [];
  if (year === undefined || time !== undefined) return null;
  return wallDate(Number(year), Number(month), Number(day), '0:00', zone);
}

/** Start of a date such as `23 nov`; without a year, the most recent one. */
function namedDateStart(typed: string, now: number, zone: Zone): number | null {
  const [, day, name = '', year] = /^(\d{1,2}) ([a-z]{3,9})(?: (\d{4}))?$/.exec(typed) ?? [];
  const month = day === undefined ? -1 : indexOf(MONTHS, name);
  if (month < 0) return null;
  const start = (of: number): number | null => wallDate(of, month + 1, Number(day), '0:00', zone);
  if (year !== undefined) return start(Number(year));
  const { year: thisYear } = wallTime(now, zone);
  for (let of = thisYear; of >= thisYear - LEAP_YEARS; of -= 1) {
    const own = start(of);
    if (own !== null && own <= now) return own;
  }
  return null;
}

/**
 * Parses a range of two moments. `13:30-14:00` is the most recent one that has begun, today or
 * yesterday. An end without a date has the date of the start; `now` is no end.
 */
function betweenRange(typed: string, now: number, zone: Zone): Range | null {
  const [first = '', second, ...rest] = typed.split(/ ?(?:\.\.| - |(?<=\d)-(?=\d{1,2}:)) ?/);
  const from = rest.length > 0 ? null : moment(first, startOfDay(now, zone), zone);
  if (from === null) return null;
  if (TIME.test(first) && from > now) {
    return betweenRange(`${dateText(addDays(now, -1, zone), zone)} ${typed}`, now, zone);
  }
  if (second === undefined) return isDay(first) ? null : absolute(from, null);
  if (second === 'now') return absolute(from, null);
  const to = endOf(second, from, zone);
  return to === null ? null : until(from, to, now);
}

const isDay = (typed: string): boolean => !TIME.test(typed) && DATE.exec(typed)?.[4] === undefined;

/** Parses the end of a range. A time before the start is on the next day. */
function endOf(typed: string, from: number, zone: Zone): number | null {
  const to = moment(typed, from, zone);
  return to !== null && to <= from && TIME.test(typed) ? moment(typed, addDays(from, 1, zone), zone) : to;
}

function dateText(at: number, zone: Zone): string {
  const { year, month, day } = wallTime(at, zone);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function moment(typed: string, day: number, zone: Zone): number | null {
  const date = DATE.exec(typed);
  if (date !== null)
    return wallDate(Number(date[1]), Number(date[2]), Number(date[3]), date[4] ?? '0:00', zone);
  if (!TIME.test(typed)) return null;
  const { year, month, day: of } = wallTime(day, zone);
  return wallDate(year, month, of, typed, zone);
}

/** Converts a date and time of a zone to Unix milliseconds; null when it does not exist. */
function wallDate(year: number, month: number, day: number, time: string, zone: Zone): number | null {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const utc = new Date(Date.UTC(year, month - 1, day));
  const isReal =
    utc.getUTCMonth() + 1 === month &&
    utc.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    year >= 2000 &&
    year < 2200;
  return isReal ? momentOf({ year, month, day, hour, minute, second: 0 }, zone) : null;
}
