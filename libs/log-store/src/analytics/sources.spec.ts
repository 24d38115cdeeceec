import type { AnalyticsQueryCase } from '@gw/analytics';
import { analyticsQueries } from '@gw/testing';
import { sourcesOf } from './sources';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A midnight. */
const NOW = 20_000 * DAY;

const ask = (from: number, end: number, bucket: AnalyticsQueryCase['bucket'] = null): AnalyticsQueryCase => ({
  ...(analyticsQueries(NOW)['all of an organisation'] as AnalyticsQueryCase),
  ...{ from, to: end - 1, bucket },
});
const built = (hours: number, sixHours: number) => ({
  now: NOW,
  built: { 15: Infinity, 60: NOW + hours, 360: NOW + sixHours },
});
/** Grain, and hours from `NOW`. */
const reported = (...given: Parameters<typeof sourcesOf>): unknown[] =>
  sourcesOf(...given)
    .sort((one, other) => one.from - other.from)
    .map(({ grain, from, end }) => [grain, (from - NOW) / HOUR, (end - NOW) / HOUR]);

describe('where an analytics question is read', () => {
  it('is the coarsest rows as far as they are made, then finer ones, and the log at both ends', () => {
    expect(reported(ask(NOW - 20.1 * HOUR, NOW - 0.1 * HOUR), false, built(-2 * HOUR, -6 * HOUR))).toEqual([
      [null, -20.1, -20],
      [60, -20, -18],
      [360, -18, -6],
      [60, -6, -2],
      [15, -2, -0.25],
      [null, -0.25, -0.1],
    ]);
  });

  it('is quarters alone while nothing coarser is made', () => {
    expect(reported(ask(NOW - DAY, NOW), false, built(-40 * DAY, -40 * DAY))).toEqual([[15, -24, 0]]);
  });

  it('is no rows that do not fit the buckets', () => {
    const byTheHour = { sizeMs: HOUR, offsetMs: 0 };
    expect(reported(ask(NOW - 3 * HOUR, NOW, byTheHour), false, built(0, 0))).toEqual([[60, -3, 0]]);
    const byTheMinute = { sizeMs: MINUTE, offsetMs: 0 };
    expect(reported(ask(NOW - 3 * HOUR, NOW, byTheMinute), false, built(0, 0))).toEqual([[null, -3, 0]]);
  });

  it('is no rows that are gone: quarters of a month ago, hours of a year ago', () => {
    const byTheQuarter = { sizeMs: 15 * MINUTE, offsetMs: 0 };
    expect(reported(ask(NOW - 40 * DAY, NOW, byTheQuarter), false, built(0, 0))).toEqual([
      [null, -960, -768],
      [15, -768, 0],
    ]);
    expect(reported(ask(NOW - 400 * DAY, NOW + DAY, null), false, built(0, 0))).toEqual([
      [null, -9_600, -8_784],
      [360, -8_784, 0],
      [15, 0, 24],
    ]);
  });

  it('is the log where single requests must be seen', () => {
    expect(reported(ask(NOW - DAY, NOW), true, built(0, 0))).toEqual([[null, -24, 0]]);
  });
});
