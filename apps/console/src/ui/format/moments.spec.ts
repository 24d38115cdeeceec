import fc from 'fast-check';
import { bothZones, clock, dayKey, dayRule, moment, relative } from './moments';
import {
  addDays,
  hasClockChange,
  momentOf,
  offsetAt,
  offsetName,
  OWN_ZONE,
  startOfDay,
  wallTime,
  weekdayOf,
  zoneName,
} from './zones';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
];
const HOUR = 3_600_000;
const moments = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) });

describe('moments', () => {
  const at = Date.UTC(2026, 10, 23, 13, 2, 11, 482);

  it('are shown in the zone of the viewer and in UTC', () => {
    expect(clock(at, 'Europe/Berlin')).toBe('14:02:11.482');
    expect(moment(at, 'Europe/Berlin')).toBe('23 Nov 2026, 14:02');
    expect(dayRule(at, 'UTC')).toBe('Mon 23 Nov 2026');
    expect(bothZones(at, 'Europe/Berlin')).toEqual([
      '23 Nov 2026, 14:02:11.482 UTC+1 (Europe/Berlin)',
      '23 Nov 2026, 13:02:11.482 UTC',
    ]);
    expect(bothZones(at, 'UTC')).toHaveLength(1);
    expect(offsetName(at, 'America/St_Johns')).toBe('UTC−3:30');
  });

  it('are relative only within an hour', () => {
    expect(relative(at, at + 12 * 60_000)).toBe('12 min ago');
    expect(relative(at, at + 500)).toBe('now');
    expect(relative(at, at - 9000)).toBe('in 9 s');
    expect(relative(at, at + HOUR)).toBeNull();
  });
});

describe.each(ZONES)('days in %s', (zone) => {
  it('begin at the first moment of the date', () => {
    fc.assert(
      fc.property(moments, (at) => {
        const start = startOfDay(at, zone);
        return (
          start <= at &&
          dayKey(start, zone) === dayKey(at, zone) &&
          dayKey(start - 1, zone) !== dayKey(at, zone)
        );
      }),
    );
  });

  it('follow one another without a gap, also over a clock change', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: -400, max: 400 }), (at, days) => {
        const first = addDays(at, days, zone);
        const next = addDays(at, days + 1, zone);
        const length = next - first;
        return (
          dayKey(next - 1, zone) === dayKey(first, zone) &&
          (weekdayOf(first, zone) + 1) % 7 === weekdayOf(next, zone) &&
          length >= 23 * HOUR &&
          length <= 25 * HOUR
        );
      }),
    );
  });

  it('convert from local time back to the same moment, except in an ambiguous hour', () => {
    fc.assert(
      fc.property(moments, (at) => {
        const whole = Math.floor(at / 1000) * 1000;
        const back = momentOf(wallTime(whole, zone), zone);
        return back === whole || (back < whole && whole - back <= HOUR);
      }),
    );
  });
});

describe('browser zone and UTC', () => {
  it('have the same local times as the named zones', () => {
    fc.assert(
      fc.property(moments, (at) => {
        expect(wallTime(at, OWN_ZONE)).toEqual(wallTime(at, zoneName(OWN_ZONE)));
        expect(wallTime(at, 'UTC')).toEqual(wallTime(at, 'Etc/UTC'));
      }),
    );
  });

  it('are shown without a zone name when it is not requested', () => {
    const at = Date.UTC(2026, 10, 23, 13, 2, 11, 482);
    expect(bothZones(at, 'Europe/Berlin', false)[0]).toBe('23 Nov 2026, 14:02:11.482 UTC+1');
  });
});

describe('clock changes', () => {
  it('are found in a range', () => {
    const [summer, winter] = [Date.UTC(2026, 9, 24), Date.UTC(2026, 9, 26)];
    expect(hasClockChange(summer, winter, 'Europe/Berlin')).toBe(true);
    expect(hasClockChange(summer, winter, 'UTC')).toBe(false);
    expect(startOfDay(winter, 'Europe/Berlin') - addDays(winter, -1, 'Europe/Berlin')).toBe(25 * HOUR);
    expect(offsetAt(summer, 'Europe/Berlin')).toBe(2 * HOUR);
  });

  it('move a skipped time forward', () => {
    const skipped = { year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0 };
    expect(clock(momentOf(skipped, 'Europe/Berlin'), 'Europe/Berlin')).toBe('03:30:00.000');
  });
});
