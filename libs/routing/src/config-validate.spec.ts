import { configInvalid, type ConfigErrorDetail } from '@gw/config-schema';
import { compileConfig, parseConfig, validateConfig } from './index';

const failures = (config: unknown): readonly ConfigErrorDetail[] => {
  const result = validateConfig(config);
  return result.ok ? [] : result.details;
};
const rules = (config: unknown): string[] => failures(config).map(({ path, rule }) => `${path}: ${rule}`);
const fallback = (...targets: unknown[]): unknown => ({ strategy: { mode: 'fallback' }, targets });

describe('validateConfig', () => {
  it('refuses default_params, drop_params and override_params of the wrong shape on every level, as AB01 [ERR-02]', () => {
    const wrong = { override_params: [], default_params: 'x', drop_params: ['ok', ''] };
    const config = { ...wrong, strategy: { mode: 'fallback' }, targets: [{ provider: 'openai', ...wrong }] };
    const details = failures(config);
    expect(details.map(({ path, rule }) => `${path}: ${rule}`).sort()).toEqual([
      'default_params: type',
      'drop_params.1: path',
      'override_params: type',
      'targets.0.default_params: type',
      'targets.0.drop_params.1: path',
      'targets.0.override_params: type',
    ]);
    const error = configInvalid(details);
    expect(error).toMatchObject({ status: 400, code: 'AB01', type: 'config_invalid' });
    expect(error.toBody('r1').error).toMatchObject({ code: 'AB01', param: 'config', details });
  });

  it.each(['a.b', 'a[0]', 'a[*].b', 'messages[*].content[0].text', 'with space', 'ünïcode'])(
    'accepts the path %j in drop_params',
    (path) => {
      expect(rules({ provider: 'openai', drop_params: [path] })).toEqual([]);
    },
  );

  it.each([
    '',
    '.a',
    'a.',
    'a..b',
    '[0]',
    'a[',
    'a]',
    'a[-1]',
    'a[x]',
    'a[0]b',
    'a.__proto__',
    'constructor',
  ])('refuses the path %j in drop_params', (path) => {
    expect(rules({ provider: 'openai', drop_params: [path] })).toEqual(['drop_params.0: path']);
  });

  const schemaOf = (name: string) =>
    `{"provider":"openai","override_params":{"tools":[{"function":{"parameters":{"type":"object",` +
    `"properties":{"${name}":{"type":"object","properties":{"prototype":{}}}},"$defs":{"${name}":{}}}}}]}}`;

  it.each(['constructor', 'prototype', 'toString'])(
    'accepts %s as a property name in a JSON schema, and keeps it',
    (name) => {
      const result = parseConfig(schemaOf(name));
      expect(result).toMatchObject({ ok: true });
      if (!result.ok) return;
      const [target] = compileConfig(result.config).targets;
      expect(JSON.stringify({ provider: 'openai', override_params: target?.overrideParams })).toBe(
        schemaOf(name),
      );
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );

  it.each([
    ['"override_params":{"prototype":{"x":1}}', 'override_params.prototype'],
    ['"override_params":{"constructor":{"x":1}}', 'override_params.constructor'],
    ['"default_params":{"a":{"constructor":{"x":1}}}', 'default_params.a.constructor'],
    ['"override_params":{"properties":{"a":{"prototype":1}}}', 'override_params.properties.a.prototype'],
    ['"override_params":{"properties":{"__proto__":{"x":1}}}', 'override_params.properties.__proto__'],
  ])('refuses names of JavaScript prototypes outside of JSON schemas: %s', (member, path) => {
    const result = parseConfig(`{"provider":"openai",${member}}`);
    expect(result).toMatchObject({ ok: false, details: [{ path, rule: 'forbidden_key' }] });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('reports every failure at once, each with its path, rule and value', () => {
    const config = fallback(
      { provider: 'openai', weight: 'heavy' },
      { provider: 'openai', retry: { attempts: 9 } },
      { provider: 'open ai', request_timeout: -1 },
    );
    expect(failures(config).map(({ path, rule, value }) => [path, rule, value])).toEqual([
      ['targets.0.weight', 'type', 'heavy'],
      ['targets.1.retry.attempts', 'maximum', 9],
      ['targets.2.provider', 'pattern', 'open ai'],
      ['targets.2.request_timeout', 'minimum', -1],
    ]);
  });

  it.each([
    ['overrideParams', 'override_params'],
    ['fallback_targets', null],
    ['cusotm_host', 'custom_host'],
    ['on_status_code', null],
    ['retrys', 'retry'],
  ])('refuses the unknown key %s and suggests %s', (key, near) => {
    const [detail] = failures({ provider: 'openai', [key]: 'sk-secret' });
    expect(detail).toMatchObject({ path: key, rule: 'unknown_key', value: key });
    expect(detail?.message).toBe(near ? `is not a known key; did you mean ${near}?` : 'is not a known key');
  });

  it('never shows a secret in a failure', () => {
    const secret = 'sk-very\nsecret';
    const config = {
      api_key: secret,
      aws_region: secret,
      custom_host: 'https://user:sk-very\nsecret@example.org/#x',
      apikey: secret,
    };
    const details = [...failures(config)];
    details.push(...failures({ custom_host: 'https://example.org/?token=secret' }));
    // The line break is a further failure of the key and the region, which become headers.
    expect(details.length).toBe(7);
    expect(JSON.stringify(details)).not.toContain('secret');
  });

  it.each([
    [
      'no weight above zero',
      { strategy: { mode: 'loadbalance' }, targets: [{ name: 'a', weight: 0 }] },
      'targets: weights',
    ],
    ['a negative weight', { provider: 'openai', weight: -1 }, 'weight: minimum'],
    ['no targets', { strategy: { mode: 'loadbalance' }, targets: [] }, 'targets: minItems'],
    ['targets without a strategy', { targets: [{ provider: 'openai' }] }, 'strategy: required'],
    ['a strategy without targets', { strategy: { mode: 'single' } }, 'targets: required'],
    ['an empty target', fallback({}), 'targets.0: empty'],
    [
      'a provider next to a strategy',
      { ...(fallback({ name: 'a' }) as object), provider: 'x' },
      'provider: misplaced',
    ],
    [
      'status codes outside of a fallback',
      { strategy: { mode: 'loadbalance', on_status_codes: [500] }, targets: [{ name: 'a' }] },
      'strategy.on_status_codes: misplaced',
    ],
    [
      'a conditional without conditions',
      { strategy: { mode: 'conditional' }, targets: [{ name: 'a' }] },
      'strategy.conditions: required',
    ],
    ['both spellings of a saved provider', { provider: '@a', virtual_key: 'a' }, 'virtual_key: conflict'],
    [
      'a guardrail without checks',
      { provider: 'x', input_guardrails: [{ deny: true }] },
      'input_guardrails.0: guardrail',
    ],
    ['a query in an address', { provider: 'x', custom_host: 'https://a.example/?b' }, 'custom_host: address'],
    [
      'a region that leaves its label',
      { provider: 'x', aws_region: 'a.evil.example/#' },
      'aws_region: label',
    ],
  ])('refuses %s', (_, config, rule) => {
    expect(rules(config)).toEqual([rule]);
  });

  it('looks up providers by name, by @slug and by virtual key, and guardrails by slug', () => {
    const lookedUp: string[] = [];
    const result = validateConfig(
      fallback(
        { provider: 'openai' },
        { provider: '@saved' },
        { virtual_key: 'older', output_guardrails: ['g1', { id: 'g2' }] },
      ),
      {
        isKnownProvider: (name) => lookedUp.push(name) < 0,
        isKnownSavedProvider: (slug) => lookedUp.push(`saved ${slug}`) < 0,
        isKnownGuardrail: (slug) => lookedUp.push(`guardrail ${slug}`) < 0,
      },
    );
    expect(lookedUp.sort()).toEqual(['guardrail g1', 'guardrail g2', 'openai', 'saved older', 'saved saved']);
    expect(result).toMatchObject({ ok: false, details: { length: 5 } });
  });

  it.each(['input_guardrails', 'output_guardrails'])(
    'refuses unknown slugs in %s on every level as AB01, and accepts known ones [ERR-01]',
    (member) => {
      const isKnownGuardrail = (slug: string): boolean => slug === 'known';
      const nested = (slug: string): unknown => ({
        strategy: { mode: 'fallback' },
        targets: [fallback({ provider: 'a', [member]: ['known', slug] })],
        [member]: [slug],
      });
      expect(validateConfig(nested('known'), { isKnownGuardrail })).toMatchObject({ ok: true });
      const refused = validateConfig(nested('gone'), { isKnownGuardrail });
      const details = refused.ok ? [] : refused.details;
      expect(details.map(({ path }) => path).sort()).toEqual([
        `${member}.0`,
        `targets.0.targets.0.${member}.1`,
      ]);
      expect(configInvalid(details).code).toBe('AB01');
    },
  );

  it('checks every address of a config by the address policy, also those in provider fields', () => {
    const lookedUp: string[] = [];
    const checkHost = (url: string): string => `refused ${String(lookedUp.push(url))}`;
    const config = {
      provider: 'x',
      custom_host: 'https://a.example',
      huggingface_base_url: 'https://b.example',
    };
    expect(validateConfig(config, { checkHost })).toMatchObject({ ok: false, details: { length: 2 } });
    expect(lookedUp).toEqual(['https://a.example', 'https://b.example']);
  });

  it('accepts the shapes of public configs: hooks written out, provider fields, plural retry key', () => {
    const config = {
      provider: 'azure-openai',
      azure_resource_name: 'my-resource',
      vertex_service_account_json: { type: 'service_account' },
      retry: { attempts: 2, use_retry_after_headers: true },
      cache: { mode: 'semantic', max_age: 60 },
      input_guardrails: [
        'saved-guardrail',
        { 'default.contains': { operator: 'none', words: ['x'] }, deny: true },
        {
          type: 'guardrail',
          checks: [{ id: 'default.contains', parameters: {} }],
          on_fail: { feedback: {} },
        },
      ],
      forward_headers: ['Authorization', 'x-trace'],
    };
    expect(rules(config)).toEqual([]);
  });
});

describe('validateConfig: forward_headers', () => {
  it.each([['*'], ['x-*']])('refuses the wildcard %s', (name) => {
    expect(
      parseConfig(JSON.stringify({ provider: 'openai', forward_headers: ['x-trace', name] })),
    ).toMatchObject({
      ok: false,
      details: [
        { rule: 'forbidden_header', message: expect.stringContaining('is a wildcard; name each header') },
      ],
    });
  });
});

describe('validateConfig: bounds', () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? { provider: 'openai' } : fallback(nested(levels - 1));

  it('accepts eight levels of targets and refuses nine', () => {
    expect(rules(nested(8))).toEqual([]);
    expect(rules(nested(9))).toEqual(['config: depth']);
  });

  it('accepts a hundred targets over all levels and refuses one more', () => {
    const targets = Array.from({ length: 50 }, () => ({ provider: 'openai' }));
    expect(
      rules(fallback(fallback(...targets.slice(1)), ...targets.slice(1), ...targets.slice(0, 1))),
    ).toEqual([]);
    expect(rules(fallback(fallback(...targets), ...targets))).toEqual(['config: targets']);
  });

  it('accepts 64 KB and refuses one byte more, as text and as a value', () => {
    const config = (size: number): string => {
      const empty = JSON.stringify({ provider: 'openai', override_params: { text: '' } });
      return empty.replace('""', JSON.stringify('x'.repeat(size - empty.length)));
    };
    expect(parseConfig(config(65_536))).toMatchObject({ ok: true });
    expect(parseConfig(config(65_537))).toMatchObject({ ok: false, details: [{ rule: 'size' }] });
    expect(rules(JSON.parse(config(65_537)))).toEqual(['config: size']);
  });

  it('returns for a document of any depth, size or type without exhausting the stack', () => {
    const depth = 200_000;
    const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) as unknown;
    expect(rules({ provider: 'x', override_params: { deep } })).toEqual([
      expect.stringContaining(': nesting'),
    ]);
    expect(parseConfig('['.repeat(depth))).toMatchObject({ ok: false, details: [{ rule: 'size' }] });
    for (const value of [null, undefined, 1, 'x', true, [], [[]]])
      expect(rules(value)).toEqual(['config: type']);
  });

  it('lists at most a hundred failures', () => {
    const config = { provider: 'openai', drop_params: Array.from({ length: 500 }, () => 5) };
    expect(failures(config)).toHaveLength(100);
  });
});
