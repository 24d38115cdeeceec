import { uiText } from '../../messages/en/ui';
import { resolveRange, type Range } from '../../url';
import { clockMinutes, clockSeconds, date, dayKey, hasClockChange, type Zone } from '../format';

const UNITS: Readonly<Record<string, 'minutes' | 'hours' | 'days' | 'weeks'>> = {
  m: 'minutes',
  h: 'hours',
  d: 'days',
  w: 'weeks',
};

/** Formats a range: `Last 24 hours`, `13:30 – 14:00`, `23 Nov 2026, 13:30 – now`. */
export function rangeWords(range: Range, now: number, zone: Zone): string {
  if (range.kind === 'relative') {
    const unit = UNITS[range.span.slice(-1)] ?? 'hours';
    return uiText.range.last(unit, Number(range.span.slice(0, -1)));
  }
  const { from, to } = range;
  const today = dayKey(now, zone);
  const clock = (at: number): string => (at % 60_000 === 0 ? clockMinutes(at, zone) : clockSeconds(at, zone));
  const whole = (at: number): string => `${date(at, zone)}, ${clock(at)}`;
  const first =
    dayKey(from, zone) === today && (to === null || dayKey(to, zone) === today) ? clock(from) : whole(from);
  if (to === null) return `${first} – ${uiText.range.now}`;
  return `${first} – ${dayKey(from, zone) === dayKey(to, zone) ? clock(to) : whole(to)}`;
}

/** Note for a range that contains a clock change; null when there is none. */
export function clockChangeNote(range: Range, now: number, zone: Zone): string | null {
  const { from, to } = resolveRange(range, now);
  return hasClockChange(from, to, zone) ? uiText.range.clockChange : null;
}
