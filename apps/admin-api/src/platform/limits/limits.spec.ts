import { midnightOf, nextResetAfter, toStoredRateLimits, toStoredUsageLimit } from './limits';

const WEDNESDAY = new Date('2026-11-18T13:45:00Z');

describe('toStoredUsageLimit', () => {
  it.each([
    [{ period: 'weekly', days: null } as const, '2026-11-23T00:00:00.000Z'],
    [{ period: 'monthly', days: null } as const, '2026-12-01T00:00:00.000Z'],
    [{ period: null, days: 3 } as const, '2026-11-21T00:00:00.000Z'],
  ])('resets a budget at midnight UTC: %j', (rule, expected) => {
    expect(nextResetAfter(WEDNESDAY, rule)?.toISOString()).toBe(expected);
  });

  it('resets a budget on the next Monday even when it is Monday, and on the 1st of January after December', () => {
    const monday = new Date('2026-11-16T00:00:00Z');
    expect(nextResetAfter(monday, { period: 'weekly', days: null })?.toISOString()).toBe(
      '2026-11-23T00:00:00.000Z',
    );
    const december = new Date('2026-12-31T23:59:59Z');
    expect(nextResetAfter(december, { period: 'monthly', days: null })?.toISOString()).toBe(
      '2027-01-01T00:00:00.000Z',
    );
    expect(nextResetAfter(monday, { period: null, days: null })).toBeNull();
  });

  it('rounds a given reset down to midnight UTC', () => {
    const limit = { credit_limit: 5, next_usage_reset_at: '2026-11-20T23:30:00-02:00' };
    expect(toStoredUsageLimit(limit, 'usage_limits').next_usage_reset_at).toBe('2026-11-21T00:00:00.000Z');
    expect(midnightOf(WEDNESDAY).toISOString()).toBe('2026-11-18T00:00:00.000Z');
  });

  it('stores budgets in USD and active by default, without a reset when there is no period', () => {
    expect(() => toStoredUsageLimit({ credit_limit: 90_000_001 }, 'x')).toThrow('greater than 90000000 USD');
    expect(toStoredUsageLimit({ type: 'tokens', credit_limit: 1e12 }, 'x').credit_limit).toBe(1e12);
    expect(toStoredUsageLimit({ credit_limit: 5 }, 'x')).toEqual({
      type: 'cost',
      credit_limit: 5,
      alert_threshold: null,
      periodic_reset: null,
      periodic_reset_days: null,
      next_usage_reset_at: null,
      status: 'active',
    });
  });
});

describe('toStoredRateLimits', () => {
  it('returns null for null and an empty list, and allows one rule for each type and unit', () => {
    expect(toStoredRateLimits(null)).toBeNull();
    expect(toStoredRateLimits([])).toBeNull();
    const rule = { type: 'requests', unit: 'rpm', value: 0 } as const;
    expect(toStoredRateLimits([rule])).toEqual([rule]);
    expect(() => toStoredRateLimits([rule, { ...rule, value: 2 }])).toThrow(
      expect.objectContaining({ type: 'validation_failed' }) as Error,
    );
  });
});
