import { readCases } from '@gw/testing';
import { compileGuardrail, compileInline, guardrailInvalid } from './compile';

interface Cases {
  readonly cases: readonly Readonly<Record<string, unknown>>[];
  readonly [member: string]: unknown;
}

const data = (name: string): Cases => readCases(name) as Cases;

const webhook = (forwardHeaders: unknown) => ({
  checks: [{ id: 'default.webhook', parameters: { webhookURL: 'https://a.example.com/x', forwardHeaders } }],
});

describe('guardrail forwardHeaders', () => {
  it.each(data('forward_headers.json').cases.map((each) => [each['id'], each['reason'], each] as const))(
    'decides the forwardHeaders case %s: %s [ERR-03]',
    (_, __, { value, expect: expected }) => {
      const result = compileGuardrail(webhook(value));
      if (expected !== 'either') expect(result.ok).toBe(expected === 'accept');
      if (!result.ok) {
        expect(result.details[0]?.path).toMatch(/^checks\.0\.parameters\.forwardHeaders/);
        expect(guardrailInvalid(result.details)).toMatchObject({ code: 'AB01', status: 400 });
      }
    },
  );
});

describe('compileGuardrail: wildcards in forwardHeaders', () => {
  it.each([['*'], ['x-*'], ['X-Trace-*']])('refuses the wildcard %s and names the alternative', (name) => {
    expect(compileGuardrail(webhook(['x-session-id', name]))).toMatchObject({
      ok: false,
      details: [{ path: 'checks.0.parameters.forwardHeaders.1', message: 'is a wildcard; name each header' }],
    });
  });
});

describe('requestParams guardrails', () => {
  const rows = data('policies.json').cases.filter(({ endpoint }) => endpoint === 'request-params guardrail');

  it.each(rows.map((each) => [each['id'], each['reason'], each] as const))(
    'decides the request-params case %s: %s [GRD-01]',
    (_, __, { body, expect: expected }) => {
      const result = compileGuardrail({
        checks: [{ id: 'default.requestParametersCheck', parameters: body }],
      });
      expect(result.ok).toBe(expected === 'accept');
    },
  );
});

describe('guardrail patterns', () => {
  const rows = data('regex_templates.json')['invalid_patterns'] as Readonly<Record<string, unknown>>[];

  it.each(rows.map((each) => [each['id'], each] as const))('refuses %s on save', (_, { pattern }) => {
    const checks = [{ id: 'default.regexMatch', parameters: { rule: pattern } }];
    expect(compileGuardrail({ checks })).toMatchObject({ ok: false });
  });
});

describe('compileGuardrail', () => {
  it('reports all failures of a guardrail at once, each with path, rule and value', () => {
    const result = compileGuardrail({
      checks: [
        { id: 'default.nosuch' },
        { id: 'default.regexMatch', parameters: { rule: '(' } },
        { id: 'wordCount', parameters: { minWords: 5, maxWords: 2 } },
        { id: 'default.contains', parameters: { words: 'secret', operator: 'some' } },
        { id: 'default.jsonSchema', parameters: { schema: { properties: { a: { pattern: '(a+)+$' } } } } },
      ],
      actions: { deny: 'yes', on_fail: { feedback: { value: 11 } }, surprise: true },
    });
    expect(result).toMatchObject({ ok: false });
    if (result.ok) return;
    const found = result.details.map(({ path, rule, value }) => [path, rule, value]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['checks.0.id', 'unknown_check', 'default.nosuch'],
        ['checks.1.parameters.rule', 'pattern', '('],
        ['checks.2.parameters.minWords', 'bounds', 5],
        ['checks.3.parameters.words', 'type', 'secret'],
        ['checks.3.parameters.operator', 'enum', 'some'],
        ['checks.4.parameters.schema.properties.a.pattern', 'pattern', '(absent)'],
        ['actions.deny', 'type', 'yes'],
        ['actions.on_fail.feedback.value', 'maximum', 11],
        ['actions.surprise', 'unknown_key', 'surprise'],
      ]),
    );
  });

  it.each([null, [], 'x', {}, { checks: [] }, { checks: [null] }, { checks: [{}] }])(
    'refuses the guardrail %j',
    (value) => {
      expect(compileGuardrail(value)).toMatchObject({ ok: false });
    },
  );

  it('reveals no secret in its failures', () => {
    const result = compileGuardrail({
      checks: [
        {
          id: 'default.webhook',
          parameters: { webhookURL: 'https://a.example.com', headers: { 'x-key': 'CANARY\r\nInjected: 1' } },
        },
        {
          id: 'azure.contentSafety',
          parameters: { endpoint: 'https://a.example.com', apiKey: 'C'.repeat(501) },
        },
      ],
    });
    expect(result).toMatchObject({ ok: false });
    expect(JSON.stringify(result)).not.toMatch(/CANARY|CCCC/);
  });

  it('checks every URL by the address policy', () => {
    const checks = [
      { id: 'default.webhook', parameters: { webhookURL: 'http://169.254.169.254/x' } },
      { id: 'default.log', parameters: { logURL: 'http://10.0.0.1/x' } },
      { id: 'lakera.guard', parameters: { apiKey: 'k', endpoint: 'http://127.0.0.1' } },
      { id: 'default.jwt', parameters: { jwksUri: 'https://a.example.com/k , http://169.254.169.254/k' } },
    ];
    const checkHost = (url: string) => (/169\.254|10\.0|127\.0/.test(url) ? 'is not allowed' : null);
    const result = compileGuardrail({ checks }, { checkHost });
    expect(result.ok || result.details.map(({ path, rule }) => [path, rule])).toEqual([
      ['checks.0.parameters.webhookURL', 'address'],
      ['checks.1.parameters.logURL', 'address'],
      ['checks.2.parameters.endpoint', 'address'],
      ['checks.3.parameters.jwksUri', 'address'],
    ]);
  });

  it('refuses a check at a stage where it does not run, and remote checks for MCP tools', () => {
    const checks = [{ id: 'default.modelWhitelist', parameters: { models: ['a'] } }];
    expect(compileGuardrail({ checks }, { stage: 'input' })).toMatchObject({ ok: true });
    expect(compileGuardrail({ checks }, { stage: 'output' })).toMatchObject({
      details: [{ path: 'checks.0.id', rule: 'stage' }],
    });
    const remote = [{ id: 'default.webhook', parameters: { webhookURL: 'https://a.example.com' } }];
    expect(compileGuardrail({ checks: remote }, { target: 'mcp_tools' })).toMatchObject({
      details: [{ path: 'checks.0.id', rule: 'target' }],
    });
  });

  it('refuses a guardrail by its size or nesting before its checks are read', () => {
    const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as unknown;
    expect(compileGuardrail({ checks: deep })).toMatchObject({ details: [{ rule: 'nesting' }] });
    const checks = [{ id: 'default.contains', parameters: { words: ['x'.repeat(140_000)] } }];
    expect(compileGuardrail({ checks })).toMatchObject({ details: [{ rule: 'size' }] });
  });
});

describe('compileInline', () => {
  it('accepts the short form: every member that is not a setting is a check', () => {
    const result = compileInline({
      deny: true,
      regexMatch: { rule: 'a', not: true },
      'default.contains': { words: ['b'], is_enabled: false },
    });
    expect(result).toMatchObject({ ok: true, guardrail: { id: 'inline', actions: { deny: true } } });
    if (result.ok) expect(result.guardrail.input.map(({ id }) => id)).toEqual(['default.regexMatch']);
  });

  it('accepts the long form, with its id and version', () => {
    const value = {
      id: 'mine',
      type: 'guardrail',
      guardrail_version_id: 'v1',
      checks: [{ id: 'default.notNull', parameters: {} }],
    };
    expect(compileInline(value)).toMatchObject({ ok: true, guardrail: { id: 'mine', versionId: 'v1' } });
  });

  it('reports paths in the form in which it was written', () => {
    const result = compileInline({ deny: 1, regexMatch: { rule: '(' }, nosuch: {} });
    expect(result.ok || result.details.map(({ path, rule }) => [path, rule])).toEqual([
      ['deny', 'type'],
      ['regexMatch.rule', 'pattern'],
      ['nosuch', 'unknown_check'],
    ]);
  });
});
