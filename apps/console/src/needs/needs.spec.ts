import type { Budgeted } from './budgets';
import { nearest, runsOut, usedShare } from './budgets';
import { isFailing, needsOf, type NeedsInput } from './needs';

const group = (requests: number, errors: number, provider = 'openai') => ({
  object: 'analytics-group' as const,
  group_key: provider,
  requests,
  error_count: errors,
});
const budget = (limit: Partial<Budgeted['limit']>, name = 'search'): Budgeted => ({
  kind: 'key',
  id: name,
  name,
  limit: {
    ...{ type: 'cost', credit_limit: 10, current_usage: 5, status: 'active', alert_threshold: null },
    ...{ periodic_reset: 'monthly', periodic_reset_days: null, next_usage_reset_at: '2026-12-01T00:00:00Z' },
    ...limit,
  },
});
const NOW = Date.parse('2026-11-28T12:00:00Z');
const INPUT: NeedsInput = { hour: [], day: [], budgets: [], keys: [], gateways: [], now: NOW };
const gateway = (connected: boolean) => ({
  ...{ object: 'gateway' as const, id: 'g-1', version: '1', warnings: [] },
  ...{ connected, first_seen_at: '2026-11-28T00:00:00Z', last_seen_at: '2026-11-28T00:00:00Z' },
});

describe('isFailing', () => {
  it.each([
    ['three times its usual error share', group(100, 9), group(2_000, 60), true],
    ['twice its usual error share', group(100, 6), group(2_000, 60), false],
    [
      'an error share below the minimum, though above the usual one',
      group(1_000, 10),
      group(24_000, 10),
      false,
    ],
    ['errors when all requests of the day are in this hour', group(10, 5), group(10, 5), true],
    ['no requests', group(0, 0), undefined, false],
  ])('decides for a provider with %s', (_, hour, day, expected) => {
    expect(isFailing(hour, day)).toBe(expected);
  });
});

describe('runsOut', () => {
  it('returns true for a forecast before the reset or an exhausted budget', () => {
    expect(runsOut(budget({ forecast_exhausted_at: '2026-11-30T00:00:00Z' }))).toBe(true);
    expect(runsOut(budget({ forecast_exhausted_at: '2026-12-02T00:00:00Z' }))).toBe(false);
    expect(runsOut(budget({ forecast_exhausted_at: null }))).toBe(false);
    expect(
      runsOut(budget({ forecast_exhausted_at: '2027-01-01T00:00:00Z', next_usage_reset_at: null })),
    ).toBe(true);
    expect(runsOut(budget({ status: 'exhausted' }))).toBe(true);
  });
});

describe('needsOf', () => {
  it('lists failures, gateways, budgets and keys, the most urgent first', () => {
    const key = (name: string, expires_at: string | null, rotates: string | null = null) => ({
      ...{ id: name, name, expires_at },
      rotation_policy: rotates === null ? null : { next_rotation_at: rotates },
    });
    const needs = needsOf({
      ...INPUT,
      hour: [group(100, 50), group(100, 0, 'azure')],
      day: [group(1_000, 60), group(1_000, 0, 'azure')],
      budgets: [budget({}), budget({ status: 'exhausted' }, 'batch')],
      keys: [
        key('soon', '2026-11-30T00:00:00Z'),
        key('over', '2026-11-01T00:00:00Z'),
        key('later', '2027-01-01T00:00:00Z'),
        key('never', null),
        key('rotating', null, '2026-11-30T00:00:00Z'),
        key('rotating later', null, '2026-12-20T00:00:00Z'),
      ],
      gateways: [gateway(true), gateway(false)],
    });
    expect(needs.map(({ kind }) => kind)).toEqual(['failing', 'gateway', 'budget', 'expiring', 'rotating']);
    expect(needs).toMatchObject([
      { provider: 'openai', errors: 50, requests: 100 },
      { gateway: { connected: false } },
      { budget: { name: 'batch' } },
      { keys: [{ name: 'soon' }] },
      { keys: [{ name: 'rotating' }] },
    ]);
    expect(needsOf(INPUT)).toEqual([]);
  });

  it('sorts budgets by their used share', () => {
    const budgets = [
      budget({ current_usage: 1 }, 'a'),
      budget({ current_usage: 9 }, 'b'),
      budget({ credit_limit: 0 }, 'c'),
    ];
    expect(nearest(budgets, 2).map(({ name }) => name)).toEqual(['c', 'b']);
    expect(usedShare(budget({}))).toBe(0.5);
  });
});
