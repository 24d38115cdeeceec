import type { UsageLimitPolicyRule } from '@gw/contracts';
import { DAY_MS } from '@gw/kernel';
import { compileRatePolicy, compileUsagePolicy, type CompiledPolicy } from './policy';
import type { PolicySubject } from './policy-subject';
import { PolicyValues } from './policy-values';

const NOW = 1_800_000_000_000;

const subjectOf = (value: string, over: Partial<PolicySubject> = {}): PolicySubject => ({
  ...{ apiKey: 'key-1', workspaceId: 'ws-1', organisationId: 'org-1', metadata: { user: value } },
  ...over,
});
const budget = (id: string, groupBy: readonly string[]): UsageLimitPolicyRule => ({
  ...{ id, name: null, conditions: [], groupBy },
  limit: {
    ...{ type: 'cost', creditLimit: 10, alertThreshold: null, periodicReset: null },
    ...{ periodicResetDays: null, nextResetAt: null, status: 'active' },
  },
});
const userPolicy = (values: PolicyValues, id = 'p1', tenant = 'org-1'): CompiledPolicy =>
  compileUsagePolicy(tenant, budget(id, ['metadata.user']), values);

/** Returns the counter names that `count` invented values get. */
const countersOf = (policy: CompiledPolicy, count: number, nowMs = NOW, prefix = 'u'): Set<string> =>
  new Set(
    Array.from(
      { length: count },
      (_, at) => policy.bucketFor(subjectOf(`${prefix}${String(at)}`), nowMs)?.key ?? 'none',
    ),
  );
const OTHERS = 'policy:p1:cost:budget:others';

describe('PolicyValues', () => {
  it('gives a policy at most perPolicy counters; requests with further values share one and are counted', () => {
    const values = new PolicyValues({ perPolicy: 100, total: 10_000 });
    const policy = userPolicy(values);
    const counters = countersOf(policy, 1_000);
    expect([counters.size, counters.has(OTHERS), values.overflowRequests]).toEqual([101, true, 900]);
    // The first values keep their own counter.
    expect(policy.bucketFor(subjectOf('u7'), NOW)?.key).toBe('policy:p1:cost:budget:metadata.user:u7');
  });

  it('keeps the bound of a policy when a change of its workspace compiles the policy again', () => {
    const values = new PolicyValues({ perPolicy: 100, total: 10_000 });
    countersOf(userPolicy(values), 100);
    expect(countersOf(userPolicy(values), 100, NOW, 'v')).toEqual(new Set([OTHERS]));
    expect(countersOf(userPolicy(values), 100)).not.toContain(OTHERS);
  });

  it('forgets a value that was not used for the lifetime of its counter', () => {
    const values = new PolicyValues({ perPolicy: 100, total: 10_000 });
    const policy = userPolicy(values);
    countersOf(policy, 100);
    for (let day = 1; day <= 15; day += 1) policy.bucketFor(subjectOf('u0'), NOW + day * DAY_MS);
    const later = NOW + 15 * DAY_MS;
    expect(policy.bucketFor(subjectOf('u0'), later)?.key).not.toBe(OTHERS);
    expect(countersOf(policy, 99, later, 'v')).not.toContain(OTHERS);
    expect(policy.bucketFor(subjectOf('one more'), later)?.key).toBe(OTHERS);
    const perMinute = compileRatePolicy(
      'org-1',
      {
        ...{ id: 'p2', name: null, target: 'llm', conditions: [], groupBy: ['metadata.user'] },
        limit: { type: 'requests', unit: 'rpm', value: 5 },
      },
      values,
    );
    const shared = 'policy:p2:requests:rpm:fixed:others';
    expect(countersOf(perMinute, 101)).toContain(shared);
    expect(countersOf(perMinute, 100, NOW + 6 * 60_000 + 2, 'v')).not.toContain(shared);
  });

  it('leaves room for other organisations when one organisation has used up its share of values', () => {
    const values = new PolicyValues({ perPolicy: 1_000, total: 1_000 });
    const ids = Array.from({ length: 20 }, (_, at) => `p${String(at)}`);
    const counts = ids.map((id) => countersOf(userPolicy(values, id), 1_000).size - 1);
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(1_000);
    const counters = countersOf(userPolicy(values, 'theirs', 'org-2'), 50);
    expect(counters.size).toBe(50);
    expect(counters).not.toContain('policy:theirs:cost:budget:others');
  });

  it('does not bound counters of a policy that is grouped by ids of saved objects', () => {
    const values = new PolicyValues({ perPolicy: 10, total: 10_000 });
    const policy = compileUsagePolicy('org-1', budget('p1', ['api_key']), values);
    const keys = Array.from(
      { length: 100 },
      (_, at) => policy.bucketFor(subjectOf('', { apiKey: String(at) }))?.key,
    );
    expect(new Set(keys).size).toBe(100);
  });

  it('bounds counters of a policy that is grouped by model, because callers choose the model name', () => {
    const values = new PolicyValues({ perPolicy: 10, total: 10_000 });
    const policy = compileUsagePolicy('org-1', budget('p1', ['model']), values);
    const keys = Array.from(
      { length: 100 },
      (_, at) => policy.bucketFor(subjectOf('', { model: String(at), modelProvider: 'prod' }), NOW)?.key,
    );
    expect(new Set(keys).size).toBe(11);
  });
});
