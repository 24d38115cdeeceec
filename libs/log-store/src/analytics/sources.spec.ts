import type { AnalyticsQueryCase } from '@gw/analytics';
import { analyticsQueries } from '@gw/testing';
import { sourcesOf } from './sources';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A midnight in UTC. */
const NOW = 20_000 * DAY;

const query = (
  from: number,
  end: number,
  bucket: AnalyticsQueryCase['bucket'] = null,
): AnalyticsQueryCase => ({
  ...(analyticsQueries(NOW)['all of an organisation'] as AnalyticsQueryCase),
  ...{ from, to: end - 1, bucket },
});
const built = (hours: number, sixHours: number) => ({
  now: NOW,
  built: { 15: Infinity, 60: NOW + hours, 360: NOW + sixHours },
});
/** Returns each source as grain, start and end in hours from `NOW`, oldest first. */
const sourcesInHours = (...parameters: Parameters<typeof sourcesOf>): unknown[] =>
  sourcesOf(...parameters)
    .sort((one, other) => one.from - other.from)
    .map(({ grain, from, end }) => [grain, (from - NOW) / HOUR, (end - NOW) / HOUR]);

describe('sourcesOf', () => {
  it('uses the coarsest rollups as far as they are built, then finer ones, and the log at both ends', () => {
    expect(
      sourcesInHours(query(NOW - 20.1 * HOUR, NOW - 0.1 * HOUR), false, built(-2 * HOUR, -6 * HOUR)),
    ).toEqual([
      [null, -20.1, -20],
      [60, -20, -18],
      [360, -18, -6],
      [60, -6, -2],
      [15, -2, -0.25],
      [null, -0.25, -0.1],
    ]);
  });

  it('uses only quarters of an hour if no coarser rollup is built', () => {
    expect(sourcesInHours(query(NOW - DAY, NOW), false, built(-40 * DAY, -40 * DAY))).toEqual([[15, -24, 0]]);
  });

  it('uses no rollup whose rows do not fit the buckets', () => {
    const hourly = { sizeMs: HOUR, offsetMs: 0 };
    expect(sourcesInHours(query(NOW - 3 * HOUR, NOW, hourly), false, built(0, 0))).toEqual([[60, -3, 0]]);
    const everyMinute = { sizeMs: MINUTE, offsetMs: 0 };
    expect(sourcesInHours(query(NOW - 3 * HOUR, NOW, everyMinute), false, built(0, 0))).toEqual([
      [null, -3, 0],
    ]);
  });

  it('uses no rollups past their retention: 32 days for quarters, 366 days for hours', () => {
    const quarterHourly = { sizeMs: 15 * MINUTE, offsetMs: 0 };
    expect(sourcesInHours(query(NOW - 40 * DAY, NOW, quarterHourly), false, built(0, 0))).toEqual([
      [null, -960, -768],
      [15, -768, 0],
    ]);
    expect(sourcesInHours(query(NOW - 400 * DAY, NOW + DAY, null), false, built(0, 0))).toEqual([
      [null, -9_600, -8_784],
      [360, -8_784, 0],
      [15, 0, 24],
    ]);
  });

  it('uses only the log if the query needs single requests', () => {
    expect(sourcesInHours(query(NOW - DAY, NOW), true, built(0, 0))).toEqual([[null, -24, 0]]);
  });
});
