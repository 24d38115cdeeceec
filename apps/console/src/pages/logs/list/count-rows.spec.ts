import { countRows } from './count-rows';

const FROM = Date.parse('2026-11-23T14:00:00Z');
const MINUTE = 60_000;
const row = (at: number, is_success = true) => ({
  created_at: new Date(FROM + at).toISOString(),
  is_success,
});

describe('countRows', () => {
  it('counts successful and failed requests in the bar of their time', () => {
    const rows = [row(0), row(59_999), row(MINUTE, false), row(3 * MINUTE)];
    const counted = countRows(rows, { from: FROM, to: FROM + 3 * MINUTE });
    expect(counted).toEqual({
      times: [0, 1, 2, 3].map((minute) => FROM + minute * MINUTE),
      bucketMs: MINUTE,
      good: [2, 0, 0, 1],
      bad: [0, 1, 0, 0],
    });
  });

  it.each([1, 60, 1_440, 44_640, 527_040, 5_270_400])(
    'returns between 2 and 101 bars for %i minutes and counts every request',
    (minutes) => {
      const to = FROM + minutes * MINUTE;
      const rows = [row(0), row(minutes * MINUTE), row(minutes * MINUTE + 30_000, false)];
      const { times, good, bad } = countRows(rows, { from: FROM, to });
      expect(times.length).toBeGreaterThanOrEqual(2);
      expect(times.length).toBeLessThanOrEqual(101);
      expect([...good, ...bad].reduce((sum, count) => sum + count, 0)).toBe(rows.length);
      expect([good.length, bad.length]).toEqual([times.length, times.length]);
    },
  );
});
