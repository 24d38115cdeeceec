import { burnRatePerDay, forecastExhaustion } from './forecast';

const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);

describe('burnRatePerDay', () => {
  it('returns the charges of the last seven days per day', () => {
    expect(burnRatePerDay({ amount: 700, firstHourMs: NOW - 30 * DAY }, NOW)).toBe(100);
    expect(burnRatePerDay({ amount: 0, firstHourMs: NOW - 8 * DAY }, NOW)).toBe(0);
  });

  it('divides by the time since the first charge when that is less than seven days', () => {
    expect(burnRatePerDay({ amount: 300, firstHourMs: NOW - 3 * DAY }, NOW)).toBe(100);
    expect(burnRatePerDay({ amount: 5, firstHourMs: NOW - HOUR }, NOW)).toBe(120);
  });

  it('returns null without records, or when the first charge is less than an hour ago', () => {
    expect(burnRatePerDay({ amount: 0, firstHourMs: null }, NOW)).toBeNull();
    expect(burnRatePerDay({ amount: 5, firstHourMs: NOW - HOUR + 1 }, NOW)).toBeNull();
  });
});

describe('forecastExhaustion', () => {
  const budget = { used: 300, limit: 1_000, perDay: 100, resetAtMs: null };

  it('returns the time at which the budget will be used up at the burn rate', () => {
    expect(forecastExhaustion(budget, NOW)).toBe(NOW + 7 * DAY);
    expect(forecastExhaustion({ ...budget, resetAtMs: NOW + 8 * DAY }, NOW)).toBe(NOW + 7 * DAY);
  });

  it.each([
    ['no rate is known', { perDay: null }],
    ['nothing is used', { perDay: 0 }],
    ['it is used up already', { used: 1_000 }],
    ['it lasts until its reset', { resetAtMs: NOW + 7 * DAY }],
    ['it lasts for more than ten years', { perDay: 0.1 }],
  ])('returns null when %s', (_why, over) => {
    expect(forecastExhaustion({ ...budget, ...over }, NOW)).toBeNull();
  });
});
