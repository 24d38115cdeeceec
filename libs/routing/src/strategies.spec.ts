import type { GatewayConfig } from '@gw/config-schema';
import type { CompiledNode } from './compile/compiled';
import { compileConfig, validateConfig } from './index';

const rules = (config: unknown): string[] => {
  const result = validateConfig(config);
  return result.ok ? [] : result.details.map(({ path, rule }) => `${path}: ${rule}`);
};
const over = (strategy: unknown, ...targets: unknown[]): unknown => ({ strategy, targets });
const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };

const compileRoot = (config: unknown): CompiledNode => {
  expect(rules(config)).toEqual([]);
  return compileConfig(config as GatewayConfig).root;
};

describe('validateConfig: rules of each strategy', () => {
  const breaker = { consecutive_failures: 3 };
  it.each([
    [over({ mode: 'loadbalance', algorithm: 'least_busy' }, a, b)],
    [
      over(
        { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata._user'], ttl: 60 } },
        a,
        b,
      ),
    ],
    [over({ mode: 'loadbalance', algorithm: 'least_cost', sticky: { enabled: false } }, a, b)],
    [over({ mode: 'canary', percentage: 0.5, hash_fields: ['headers.X-User', 'params.user'] }, a, b)],
    [over({ mode: 'hedge' }, a)],
    [over({ mode: 'hedge', hedge_delay: 200, hedge_percentage: 5 }, a, b)],
    [over({ mode: 'single', cb_config: breaker }, a)],
    [over({ mode: 'fallback', cb_config: { ...breaker, failure_status_codes: [429] } }, a, b)],
    [
      over(
        { mode: 'fallback' },
        over({ mode: 'canary', percentage: 5 }, over({ mode: 'hedge' }, a, b), b),
        a,
      ),
    ],
  ])('accepts %j', (config) => {
    expect(rules(config)).toEqual([]);
  });

  it.each([
    [
      'an unknown algorithm',
      over({ mode: 'loadbalance', algorithm: 'random' }, a),
      'strategy.algorithm: enum',
    ],
    [
      'sticky with an algorithm by measurements',
      over({ mode: 'loadbalance', algorithm: 'least_busy', sticky: { enabled: true } }, a),
      'strategy.sticky: conflict',
    ],
    [
      'a hash field that does not identify a caller',
      over({ mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['model'] } }, a),
      'strategy.sticky.hash_fields.0: subject',
    ],
    [
      'a hash field with __proto__',
      over({ mode: 'canary', percentage: 1, hash_fields: ['params.__proto__'] }, a, b),
      'strategy.hash_fields.0: subject',
    ],
    ['a canary without a share', over({ mode: 'canary' }, a, b), 'strategy.percentage: required'],
    ['a canary with one target', over({ mode: 'canary', percentage: 5 }, a), 'targets: canary_targets'],
    [
      'a canary with three targets',
      over({ mode: 'canary', percentage: 5 }, a, b, a),
      'targets: canary_targets',
    ],
    ['a share over 100', over({ mode: 'canary', percentage: 101 }, a, b), 'strategy.percentage: maximum'],
    ['a hedge with three targets', over({ mode: 'hedge' }, a, b, a), 'targets: hedge_targets'],
    [
      'a strategy inside of a hedge',
      over({ mode: 'hedge' }, a, over({ mode: 'fallback' }, a)),
      'targets.1.strategy: hedge_targets',
    ],
    [
      'members of another mode',
      over({ mode: 'fallback', percentage: 5 }, a, b),
      'strategy.percentage: misplaced',
    ],
    [
      'a breaker without a rule that opens it',
      over({ mode: 'fallback', cb_config: { minimum_requests: 5 } }, a, b),
      'strategy.cb_config: empty',
    ],
    [
      'a misspelt rule, with a hint',
      over({ mode: 'fallback', cb_config: { ...breaker, failure_treshold: 1 } }, a, b),
      'strategy.cb_config.failure_treshold: unknown_key',
    ],
    [
      'a pause of more than a minute',
      { ...a, retry: { attempts: 1, max_wait: 60_001 } },
      'retry.max_wait: maximum',
    ],
    [
      'an unknown value of on_stream_failure',
      { ...a, on_stream_failure: 'retry' },
      'on_stream_failure: enum',
    ],
  ])('refuses %s', (_, config, rule) => {
    expect(rules(config)).toEqual([rule]);
  });
});

describe('cache settings', () => {
  const cached = (cache: object): unknown => ({ ...a, cache });
  const embeddings = { provider: '@vectors', model: 'text-embedding-3-small', dimensions: 256 };

  it('are compiled together with the target that computes embeddings', () => {
    const [target] = compileConfig({
      provider: 'openai',
      custom_host: 'https://chat.example',
      retry: { attempts: 3 },
      cache: {
        mode: 'semantic',
        max_age: 60,
        namespace: 'faq',
        force_refresh: true,
        coalesce: true,
        threshold: 0.9,
        embeddings: { ...embeddings, custom_host: 'https://vectors.example', request_timeout: 500 },
      },
    }).targets;
    expect(target?.cache).toMatchObject({
      mode: 'semantic',
      maxAgeSeconds: 60,
      namespace: 'faq',
      forceRefresh: true,
      coalesce: true,
      threshold: 0.9,
      embeddings: {
        model: 'text-embedding-3-small',
        dimensions: 256,
        target: {
          path: 'config.cache.embeddings',
          provider: '@vectors',
          customHost: 'https://vectors.example',
          requestTimeoutMs: 500,
          retry: { attempts: 0 },
          overrideParams: { model: 'text-embedding-3-small', dimensions: 256 },
        },
      },
    });
    expect(compileConfig({ cache: { mode: 'simple' } }).targets[0]?.cache).toEqual({
      mode: 'simple',
      maxAgeSeconds: null,
      namespace: null,
      forceRefresh: false,
      coalesce: false,
      threshold: 0.95,
      embeddings: null,
    });
  });

  it('are refused when the embeddings target has an unknown provider or a forbidden address', () => {
    const requested: string[] = [];
    const config = cached({
      mode: 'semantic',
      embeddings: { ...embeddings, custom_host: 'http://169.254.169.254/' },
    });
    const result = validateConfig(config, {
      isKnownSavedProvider: () => false,
      checkHost: (url) => `refused ${String(requested.push(url))}`,
    });
    expect(result).toMatchObject({
      ok: false,
      details: [
        { path: 'cache.embeddings.provider', rule: 'unknown_provider' },
        { path: 'cache.embeddings.custom_host', rule: 'address' },
      ],
    });
  });

  it.each([
    [{ mode: 'simple', threshold: 0.9 }, 'cache.threshold: misplaced'],
    [{ mode: 'simple', embeddings }, 'cache.embeddings: misplaced'],
    [{ mode: 'semantic', threshold: 0 }, 'cache.threshold: exclusiveMinimum'],
    [{ mode: 'semantic', embeddings: { provider: '@a' } }, 'cache.embeddings.model: required'],
    [
      { mode: 'semantic', embeddings: { ...embeddings, strategy: {} } },
      'cache.embeddings.strategy: unknown_key',
    ],
    [{ mode: 'simple', namespace: '' }, 'cache.namespace: minLength'],
  ])('are refused with an error: %j', (cache, rule) => {
    expect(rules(cached(cache))).toEqual([rule]);
  });
});

describe('compileConfig', () => {
  it('gives a target the breaker of the nearest strategy that has one, with defaults', () => {
    const config = over(
      { mode: 'fallback', cb_config: { failure_threshold: 2 } },
      a,
      over(
        { mode: 'loadbalance', cb_config: { failure_threshold_percentage: 50, cooldown_interval: 1000 } },
        a,
      ),
      over({ mode: 'loadbalance' }, a),
    );
    expect(rules(config)).toEqual([]);
    const compiled = compileConfig(config as GatewayConfig);
    const [outer, inner, inherited] = compiled.targets.map(({ breaker }) => breaker);
    expect(outer).toMatchObject({
      failures: 2,
      failurePercentage: null,
      consecutiveFailures: null,
      slowCallMs: null,
      slowStreamSpeed: null,
      statusCodes: null,
      requestsMin: 5,
      windowMs: 60_000,
      cooldownMs: 30_000,
      probesMax: 1,
    });
    expect(inner).toMatchObject({ failures: null, failurePercentage: 50, cooldownMs: 1000 });
    expect(inherited).toEqual(outer);
    expect(inner?.id).not.toBe(outer?.id);
    expect(compiled).toMatchObject({ hasBreakers: true, needsStatistics: false });
    expect(compileConfig(a)).toMatchObject({ hasBreakers: false });
  });

  it('sets needsStatistics for strategies that choose by measurements, and needsParams for those that read the body', () => {
    const flags = (strategy: unknown): unknown => {
      const { needsStatistics, needsParams } = compileConfig(over(strategy, a, b) as GatewayConfig);
      return [needsStatistics, needsParams];
    };
    expect(flags({ mode: 'loadbalance' })).toEqual([false, false]);
    expect(flags({ mode: 'loadbalance', algorithm: 'weighted' })).toEqual([false, false]);
    expect(flags({ mode: 'loadbalance', algorithm: 'least_latency' })).toEqual([true, false]);
    expect(flags({ mode: 'hedge' })).toEqual([true, false]);
    const fields = ['params.user'];
    expect(flags({ mode: 'canary', percentage: 5, hash_fields: fields })).toEqual([false, true]);
    const sticky = { enabled: true, hash_fields: fields };
    expect(flags({ mode: 'loadbalance', sticky })).toEqual([false, true]);
    expect(flags({ mode: 'loadbalance', sticky: { ...sticky, enabled: false } })).toEqual([false, false]);
  });

  it('hedges a single target with itself, and leaves delayMs null unless the config sets it', () => {
    expect(compileRoot(over({ mode: 'hedge' }, a))).toMatchObject({
      first: { name: 'a' },
      second: { name: 'a' },
      delayMs: null,
      percentage: 8,
    });
    expect(compileRoot(over({ mode: 'hedge', hedge_delay: 100, hedge_percentage: 5 }, a, b))).toMatchObject({
      second: { name: 'b' },
      delayMs: 100,
      percentage: 5,
    });
  });

  it('gives targets the same endpoint only when provider, address, credential and model are equal', () => {
    const endpoint = (target: GatewayConfig): string => compileConfig(target).targets[0]?.endpoint ?? '';
    const base = { provider: 'openai', api_key: 'sk-1' };
    expect(endpoint({ ...base, name: 'x', weight: 5, retry: { attempts: 1 } })).toBe(endpoint(base));
    const others: GatewayConfig[] = [
      { ...base, provider: 'anthropic' },
      { ...base, api_key: 'sk-2' },
      { ...base, custom_host: 'https://a.example' },
      { ...base, openai_organization: 'x' },
      { ...base, override_params: { model: 'm' } },
      { virtual_key: 'openai', api_key: 'sk-1' },
    ];
    expect(new Set([base, ...others].map(endpoint)).size).toBe(7);
    expect(endpoint(base)).toMatch(/^[\w-]{22}$/);
  });
});

describe('conditions on time.of_day and time.weekday', () => {
  const failuresOf = (query: unknown): string[] =>
    rules(over({ mode: 'conditional', conditions: [{ query, then: 'a' }] }, a)).map((text) =>
      text.replace('strategy.conditions.0.query.', ''),
    );

  it.each([
    [{ 'time.of_day': { $gte: '09:00', $lt: '17:30' } }],
    [{ 'time.of_day': { $in: ['00:00', '23:59'] } }],
    [{ 'time.weekday': { $in: ['sat', 'sun'] } }],
    [{ 'time.weekday': { $regex: '^s' } }],
  ])('accept %j', (query) => {
    expect(failuresOf(query)).toEqual([]);
  });

  it.each([
    [{ 'time.of_day': { $gte: 9 } }, 'time.of_day.$gte: type'],
    [{ 'time.of_day': { $gte: '9:00' } }, 'time.of_day.$gte: type'],
    [{ 'time.of_day': { $lt: '24:00' } }, 'time.of_day.$lt: type'],
    [{ 'time.of_day': '9 am' }, 'time.of_day: type'],
    [{ 'time.of_day': { $regex: '^09' } }, 'time.of_day.$regex: regex'],
    [{ 'time.weekday': 'Monday' }, 'time.weekday: type'],
    [{ 'time.hour': 9 }, 'time.hour: subject'],
  ])('refuse %j', (query, failure) => {
    expect(failuresOf(query)).toEqual([failure]);
  });
});
