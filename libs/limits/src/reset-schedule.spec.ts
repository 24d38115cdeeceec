import { DAY_MS } from '@gw/kernel';
import fc from 'fast-check';
import { boundariesAround, midnightOf, nextBoundary, type ResetSchedule } from './reset-schedule';

const at = (text: string): number => Date.parse(text);
const iso = (times: readonly number[]): string[] =>
  times.map((time) => new Date(time).toISOString().slice(0, 10));
const schedule = (over: Partial<ResetSchedule>): ResetSchedule => ({
  every: null,
  anchorMs: null,
  lastResetMs: null,
  ...over,
});
const NOW = at('2026-11-20T13:45:00Z');

describe('boundariesAround [LIM-03]', () => {
  it.each<[string, Partial<ResetSchedule>, string[]]>([
    ['weekly, on Mondays', { every: 'weekly' }, ['2026-11-16', '2026-11-23', '2026-11-30']],
    ['monthly, on the 1st', { every: 'monthly' }, ['2026-11-01', '2026-12-01', '2027-01-01']],
    [
      'every 3 days from a day',
      { every: 3, anchorMs: at('2026-11-18') },
      ['2026-11-18', '2026-11-21', '2026-11-24'],
    ],
    [
      'weekly, from a Thursday in the future',
      { every: 'weekly', anchorMs: at('2026-11-26') },
      ['2026-11-19', '2026-11-26', '2026-12-03'],
    ],
    ['once', { anchorMs: at('2026-12-24') }, ['1970-01-01', '2026-12-24']],
    ['never', {}, ['1970-01-01']],
    [
      'monthly, after a manual reset in this period',
      { every: 'monthly', lastResetMs: at('2026-11-10') },
      ['2026-11-10', '2026-12-01', '2027-01-01'],
    ],
    [
      'monthly, after a manual reset in an earlier period',
      { every: 'monthly', lastResetMs: at('2026-10-10') },
      ['2026-11-01', '2026-12-01', '2027-01-01'],
    ],
  ])('returns the boundaries of a budget that resets %s', (_, over, expected) => {
    expect(iso(boundariesAround(schedule(over), NOW))).toEqual(expected);
  });

  it('puts a reset on the 31st on the last day of shorter months, leap years included [bud-20]', () => {
    const monthly = schedule({ every: 'monthly', anchorMs: at('2027-01-31') });
    expect(iso(boundariesAround(monthly, at('2027-02-10')))).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
    ]);
    expect(iso([nextBoundary(monthly, at('2028-02-01')) ?? 0])).toEqual(['2028-02-29']);
    expect(iso([nextBoundary(monthly, at('2027-12-31')) ?? 0])).toEqual(['2028-01-31']);
  });

  it('returns midnights UTC, exact at the boundary, in ascending order, for any schedule and time', () => {
    const every = fc.oneof(
      fc.constantFrom('weekly' as const, 'monthly' as const),
      fc.integer({ min: 1, max: 365 }),
    );
    const day = fc.integer({ min: 0, max: 40_000 }).map((days) => days * DAY_MS);
    fc.assert(
      fc.property(
        every,
        fc.option(day),
        fc.integer({ min: 365 * DAY_MS, max: 40_000 * DAY_MS }),
        (period, anchorMs, nowMs) => {
          const regular = schedule({ every: period, anchorMs });
          const [start = NaN, next = NaN, after = NaN] = boundariesAround(regular, nowMs);
          expect(start).toBeLessThanOrEqual(nowMs);
          expect(next).toBeGreaterThan(nowMs);
          expect(after).toBeGreaterThan(next);
          expect([start, next, after].every((each) => each === midnightOf(each))).toBe(true);
          expect(boundariesAround(regular, next)[0]).toBe(next);
          expect(boundariesAround(regular, next - 1)[0]).toBe(start);
          expect(nextBoundary(regular, nowMs)).toBe(next);
        },
      ),
    );
  });

  it('returns a single boundary when there is no schedule', () => {
    expect(nextBoundary(schedule({}), NOW)).toBeNull();
    expect(midnightOf(NOW)).toBe(at('2026-11-20'));
  });
});
