import type { CompiledStrategy } from './compile/compiled';
import { configLanguage } from './config-language';
import { commonFault, faultOf } from './faults';
import { createPlan, createRoutingState, simulate } from './index';
import { STRATEGIES } from './strategies';
import { defineStrategy, type Strategy } from './strategy';
import { factsOf, runtimeOf } from './spec-support/play';

interface CompiledNamed extends CompiledStrategy {
  readonly header: string;
}

/** A complete new strategy: selects the target that a header names, otherwise the first one. */
const byHeader: Strategy = defineStrategy<CompiledNamed>({
  mode: 'by_header',
  members: { header: { type: 'string', maxLength: 20 } },
  check({ header }, _targets, path, report) {
    if (header === undefined)
      report([...path, 'strategy', 'header'], 'required', 'is required in mode by_header', undefined);
  },
  compile: ({ config, path, edges }) =>
    Object.freeze({
      kind: 'strategy',
      strategy: byHeader,
      path,
      edges: edges(),
      header: config.strategy['header'] as string,
    }),
  choose({ edges, header }, { facts }) {
    const name = facts.header(header);
    return edges.find(({ node }) => node.kind === 'target' && node.name === name) ?? edges[0] ?? null;
  },
  fault: ({ edges }, situation, isChoice) =>
    commonFault(edges, (child) => faultOf(child, situation, isChoice)),
});

const { schema, validateConfig, compileConfig } = configLanguage([...STRATEGIES, byHeader]);
const a = { name: 'a', provider: 'openai' };
const b = { name: 'b', provider: 'anthropic' };
const config = { strategy: { mode: 'by_header', header: 'x-target' }, targets: [a, b] };

const faultsOf = (value: unknown): readonly string[] => {
  const result = validateConfig(value);
  return result.ok ? [] : result.details.map(({ path, rule }) => `${path}: ${rule}`);
};

describe('a new strategy, added with one file and one registration line', () => {
  it('is part of the schema and has its own rules', () => {
    expect(JSON.stringify(schema)).toContain('"by_header"');
    expect(faultsOf(config)).toEqual([]);
    expect(faultsOf({ ...config, strategy: { mode: 'by_header' } })).toEqual(['strategy.header: required']);
    expect(faultsOf({ ...config, strategy: { ...config.strategy, header: 1 } })).toEqual([
      'strategy.header: type',
    ]);
  });

  it('accepts only its own members, and no other strategy accepts them', () => {
    const strategy = { mode: 'fallback', header: 'x-target' };
    expect(faultsOf({ ...config, strategy })).toEqual(['strategy.header: misplaced']);
    expect(faultsOf({ ...config, strategy: { ...config.strategy, percentage: 5 } })).toEqual([
      'strategy.percentage: misplaced',
    ]);
  });

  it('selects a target when nested in another strategy, and appears in the strategy trail', () => {
    const outer = { strategy: { mode: 'fallback' }, targets: [config, a] };
    const facts = { ...factsOf({}), header: (name: string) => (name === 'x-target' ? 'b' : undefined) };
    const cursor = createPlan(compileConfig(outer), facts, { ...runtimeOf(0), state: createRoutingState() });
    expect(cursor.next(null)).toMatchObject({ kind: 'attempt', target: { name: 'b' } });
    expect(cursor.strategyTrail).toEqual([
      'config: fallback -> targets[0]',
      'config.targets[0]: by_header -> targets[1]',
    ]);
  });

  it('works in simulate', () => {
    const request = { metadata: {}, headers: { 'x-target': 'b' }, pathname: '/', caller: 'key' };
    const { decision } = simulate(compileConfig(config), request, [], { nowMs: 0 });
    expect(decision.respondedBy).toBe('config.targets[1]');
  });
});
