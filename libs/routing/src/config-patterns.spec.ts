import { expressionsMadeBy, madeOfPatterns, readCases, withPatterns } from '@gw/testing';
import { compileConfig, validateConfig } from './config-language';

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

describe('validateConfig and compileConfig with a catastrophic pattern at every place', () => {
  it('never pass the pattern to the backtracking engine', async () => {
    const { cases } = readCases('configs.json') as { cases: readonly { config?: unknown }[] };
    const seeds = cases.flatMap(({ config }) =>
      isNode(config) && validateConfig(config).ok ? [config] : [],
    );
    const documents = seeds.flatMap((seed) => withPatterns(seed, { isDeep: true })).slice(0, 4_000);
    let compiled = 0;
    const expressions = await expressionsMadeBy(() => {
      for (const document of documents) {
        const verdict = validateConfig(document);
        if (!verdict.ok) continue;
        compileConfig(verdict.config);
        compiled += 1;
      }
    });
    expect(madeOfPatterns(expressions)).toEqual([]);
    expect(compiled).toBeGreaterThan(50);
  });
});
