import { readCases } from '@gw/testing';
import { createAddressPolicy } from '@gw/kernel';
import type { ConfigResult, ValidateConfigOptions } from '@gw/config-schema';
import { compileConfig, parseConfig, validateConfig } from './index';

interface Row {
  readonly id: string;
  readonly config?: unknown;
  readonly raw?: string;
  readonly gen?: Readonly<Record<string, number>>;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
  readonly check?: string;
}

const { cases } = readCases('configs.json') as { cases: readonly Row[] };

const policy = createAddressPolicy({ trustedHosts: [] });

const workspace: ValidateConfigOptions = {
  isKnownProvider: (name) => ['openai', 'anthropic'].includes(name),
  isKnownSavedProvider: (slug) => ['a', 'b', 'c'].includes(slug),
  isKnownGuardrail: (slug) => slug === 'gr-existing',
  checkHost: (url) => {
    const verdict = policy.checkUrl(url);
    return verdict.ok ? null : verdict.rule;
  },
};

function generated(gen: Readonly<Record<string, number>>): unknown {
  const target = { provider: '@a' };
  const strategy = { mode: 'fallback' };
  if (gen['targets']) return { strategy, targets: Array.from({ length: gen['targets'] }, () => target) };
  if (gen['name_length']) return { strategy, targets: [{ ...target, name: 'n'.repeat(gen['name_length']) }] };
  if (gen['guardrails']) {
    const guardrails = Array.from({ length: gen['guardrails'] }, () => 'gr-existing');
    return { strategy, targets: [target], input_guardrails: guardrails };
  }
  let nested: unknown = target;
  for (let level = 0; level < (gen['nesting'] ?? 0); level++) nested = { strategy, targets: [nested] };
  return nested;
}

function verdictOf(row: Row): ConfigResult {
  if (row.raw !== undefined) return parseConfig(row.raw, workspace);
  return validateConfig(row.gen ? generated(row.gen) : row.config, workspace);
}

describe('validateConfig on configs.json', () => {
  it('has cases to check', () => {
    expect(cases.length).toBeGreaterThan(90);
  });

  it.each(cases)('$id: expected verdict $expect ($reason)', (row) => {
    const verdict = verdictOf(row);
    if (row.expect !== 'either') expect(verdict).toMatchObject({ ok: row.expect === 'accept' });
    if (verdict.ok) {
      expect(compileConfig(verdict.config).targets.length).toBeGreaterThan(0);
    } else {
      expect(verdict.details.length).toBeGreaterThan(0);
      for (const { path, message, rule } of verdict.details) {
        expect([path, message, rule]).not.toContain('');
      }
    }
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  const inline = cases.filter(({ config }) => config !== undefined);
  it.each(inline)('$id: parseConfig gives the same verdict for its JSON text', (row) => {
    expect(parseConfig(JSON.stringify(row.config), workspace)).toEqual(verdictOf(row));
  });
});
