import type { PolicyCondition, RateLimitPolicyRule, UsageLimitPolicyRule } from '@gw/contracts';
import fc from 'fast-check';
import { compileRatePolicy, compileUsagePolicy, policyBuckets } from './policy';
import type { PolicySubject } from './policy-subject';
import { PolicyValues } from './policy-values';

const VALUES = new PolicyValues({ perPolicy: 100_000, total: 1_000_000 });

const subject = (over: Partial<PolicySubject> = {}): PolicySubject => ({
  apiKey: 'key-1',
  workspaceId: 'ws-1',
  organisationId: 'org-1',
  metadata: { team: 'blue' },
  virtualKey: { slug: 'prod', id: 'vk-id' },
  provider: 'openai',
  config: { slug: 'main', id: 'cfg-id' },
  prompt: null,
  model: 'gpt-4o',
  modelProvider: 'prod',
  endpointTypes: ['chatComplete'],
  ...over,
});

const usage = (
  conditions: readonly PolicyCondition[],
  groupBy: readonly string[] = [],
): UsageLimitPolicyRule => ({
  id: 'p1',
  name: null,
  conditions,
  groupBy,
  limit: {
    type: 'cost',
    creditLimit: 10,
    alertThreshold: null,
    periodicReset: null,
    periodicResetDays: null,
    nextResetAt: null,
    status: 'active',
  },
});
const applies = (conditions: readonly PolicyCondition[], who: Partial<PolicySubject> = {}): boolean =>
  compileUsagePolicy('org-1', usage(conditions), VALUES).bucketFor(subject(who)) !== null;
const keyOf = (groupBy: readonly string[], who: Partial<PolicySubject> = {}): string | null =>
  compileUsagePolicy('org-1', usage([{ key: 'workspace_id', value: '*' }], groupBy), VALUES).bucketFor(
    subject(who),
  )?.key ?? null;

describe('compileUsagePolicy: conditions [CTL-08]', () => {
  it.each<[PolicyCondition, boolean]>([
    [{ key: 'api_key', value: 'key-1' }, true],
    [{ key: 'api_key', value: ['other', 'key-1'] }, true],
    [{ key: 'api_key', value: 'other' }, false],
    [{ key: 'api_key', value: '*' }, true],
    [{ key: 'metadata.team', value: 'blue' }, true],
    [{ key: 'metadata.absent', value: '*' }, false],
    [{ key: 'metadata.constructor', value: '*' }, false],
    [{ key: 'virtual_key', value: 'prod' }, true],
    [{ key: 'virtual_key', value: 'vk-id' }, false],
    [{ key: 'provider', value: 'openai' }, true],
    [{ key: 'config', value: 'main' }, true],
    [{ key: 'prompt', value: '*' }, false],
    [{ key: 'model', value: '@prod/gpt-4o' }, true],
    [{ key: 'model', value: '@prod/*' }, true],
    [{ key: 'model', value: '@other/*' }, false],
    [{ key: 'model', value: '@pro/*' }, false],
    [{ key: 'api_key', excludes: 'key-1' }, false],
    [{ key: 'api_key', excludes: 'other' }, true],
    [{ key: 'model', value: '*', excludes: '@prod/*' }, false],
    [{ key: 'endpoint_type', value: 'chatComplete' }, true],
    [{ key: 'workspace_id', value: 'ws-1' }, true],
    [{ key: 'organisation_id', value: 'org-1' }, true],
    [{ key: 'mcp_server', value: '*' }, false],
    [{ key: 'user_id', value: '*' }, false],
    [{ key: 'client_id', value: '*' }, false],
    [{ key: 'mcp_annotation', value: '*' }, false],
    [{ key: 'unheard_of', value: '*' }, false],
    [{ key: 'constructor', value: '*' }, false],
  ])('evaluates condition %j to %p', (condition, expected) => {
    expect(applies([condition])).toBe(expected);
  });

  it('applies only when all conditions hold', () => {
    const both = [
      { key: 'api_key', value: 'key-1' },
      { key: 'metadata.team', value: 'blue' },
    ];
    expect(applies(both)).toBe(true);
    expect(applies(both, { metadata: { team: 'red' } })).toBe(false);
    expect(applies(both, { apiKey: null })).toBe(false);
  });
});

describe('compileUsagePolicy: group_by', () => {
  it('uses a counter for each combination of values, with ids for objects whose names can be reused', () => {
    expect(keyOf([])).toBe('policy:p1:cost:budget:default');
    expect(keyOf(['api_key', 'metadata.team'])).toBe(
      'policy:p1:cost:budget:api_key:key-1-metadata.team:blue',
    );
    expect(keyOf(['virtual_key'])).toBe('policy:p1:cost:budget:virtual_key:vk-id');
    expect(keyOf(['model'])).toBe('policy:p1:cost:budget:model:prod.gpt-4o');
  });

  it('does not apply to a request that lacks a grouped value', () => {
    expect(keyOf(['prompt'])).toBeNull();
    expect(keyOf(['api_key', 'metadata.absent'])).toBeNull();
  });

  it('never gives two combinations of values the same counter, whatever the metadata contains', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '-', ':', '%', '3A', 'metadata.', 'b:'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const one = keyOf(['metadata.a', 'metadata.b'], { metadata: { a, b } });
        const other = keyOf(['metadata.a', 'metadata.b'], { metadata: { a: c, b: d } });
        expect(one === other).toBe(a === c && b === d);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps counter keys below 200 characters, whatever the values', () => {
    const long = keyOf(['metadata.team'], { metadata: { team: 'x'.repeat(5_000) } });
    expect(long?.length).toBeLessThan(200);
    expect(long).not.toBe(keyOf(['metadata.team'], { metadata: { team: 'y'.repeat(5_000) } }));
  });

  it('returns the same bucket object for the same values, so that a request creates none', () => {
    const policy = compileUsagePolicy('org-1', usage([], ['api_key']), VALUES);
    expect(policy.bucketFor(subject())).toBe(policy.bucketFor(subject()));
  });
});

describe('compileUsagePolicy: mcp_tool [LIM-05]', () => {
  const call = { mcpTool: 'delete_repo', mcpShownTool: 'tidy_up' };

  it("matches the server's tool name and the name that a toolset shows, and groups by the server's", () => {
    for (const value of ['delete_repo', 'tidy_up'])
      expect(applies([{ key: 'mcp_tool', value }], call)).toBe(true);
    expect(applies([{ key: 'mcp_tool', value: 'other' }], call)).toBe(false);
    expect(keyOf(['mcp_tool'], call)).toContain('delete_repo');
  });

  it.each<[PolicyCondition, boolean]>([
    [{ key: 'user_id', value: 'ada' }, true],
    [{ key: 'user_id', value: 'bob' }, false],
    [{ key: 'client_id', value: ['editor', 'desktop'] }, true],
    [{ key: 'client_id', excludes: 'editor' }, false],
    [{ key: 'mcp_annotation', value: 'destructive' }, true],
    [{ key: 'mcp_annotation', value: 'read_only' }, false],
    [{ key: 'mcp_annotation', excludes: 'destructive' }, false],
  ])('evaluates condition %j on who calls, and what the tool declares, to %p', (condition, expected) => {
    const who = { userId: 'ada', clientId: 'editor', mcpAnnotations: ['destructive'] as const };
    expect(applies([condition], { ...call, ...who })).toBe(expected);
  });

  it('counts each user and client separately, and not calls without a user', () => {
    const of = (who: Partial<PolicySubject>): string | null => keyOf(['user_id', 'client_id'], who);
    const ada = of({ userId: 'ada', clientId: 'editor' });
    expect(ada).toContain('user_id:ada-client_id:editor');
    expect(of({ userId: 'bob', clientId: 'editor' })).not.toBe(ada);
    expect(of({ clientId: 'editor' })).toBeNull();
  });

  it("applies excludes to the server's tool name alone, so that an alias cannot bypass the policy", () => {
    const condition = { key: 'mcp_tool', value: '*', excludes: ['tidy_up'] };
    expect(applies([condition], call)).toBe(true);
    expect(applies([condition], { mcpTool: 'tidy_up' })).toBe(false);
  });
});

describe('policyBuckets [LIM-05]', () => {
  it('returns buckets of policies whose target is the kind of call: model calls or tool calls', () => {
    const rate = (target: RateLimitPolicyRule['target']): RateLimitPolicyRule => ({
      id: target,
      name: null,
      target,
      conditions: [{ key: 'mcp_tool', value: 'search' }],
      groupBy: [],
      limit: { type: 'requests', unit: 'rpm', value: 5 },
    });
    const policies = [
      compileRatePolicy('org-1', rate('llm'), VALUES),
      compileRatePolicy('org-1', rate('mcp_tools'), VALUES),
    ];
    const call = subject({ mcpServer: 'files', mcpTool: 'search' });
    expect(policyBuckets(policies, 'mcp_tools', call).map(({ id }) => id)).toEqual(['mcp_tools']);
    expect(policyBuckets(policies, 'llm', call).map(({ id, type }) => [id, type])).toEqual([
      ['llm', 'requests_per_m'],
    ]);
    expect(policyBuckets(policies, 'mcp_tools', subject())).toEqual([]);
  });
});

describe('bucket cache of a policy', () => {
  it('caches 10,000 buckets and evicts the least recently used one', () => {
    const policy = compileUsagePolicy(
      'org-1',
      usage([{ key: 'workspace_id', value: '*' }], ['api_key']),
      VALUES,
    );
    const bucketOf = (key: string): unknown => policy.bucketFor(subject({ apiKey: key }));
    const [used, unused] = [bucketOf('used'), bucketOf('unused')];
    for (let at = 0; at < 10_000; at += 1) {
      bucketOf(`key-${String(at)}`);
      expect(bucketOf('used')).toBe(used);
    }
    expect(bucketOf('unused')).not.toBe(unused);
    expect(bucketOf('unused')).toEqual(unused);
  });
});
