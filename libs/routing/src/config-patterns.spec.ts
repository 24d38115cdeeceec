import { expressionsMadeBy, madeOfPatterns, readCases, withPatterns } from '@gw/testing';
import { compileConfig, validateConfig } from './config-language';

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

describe('catastrophic pattern at every place of a config', () => {
  it('never reaches the backtracking engine', async () => {
    const { cases } = readCases('configs.json') as { cases: readonly { config?: unknown }[] };
    const seeds = cases.flatMap(({ config }) =>
      isNode(config) && validateConfig(config).ok ? [config] : [],
    );
    const documents = seeds.flatMap((seed) => withPatterns(seed, { isDeep: true })).slice(0, 4_000);
    let compiled = 0;
    const made = await expressionsMadeBy(() => {
      for (const document of documents) {
        const verdict = validateConfig(document);
        if (!verdict.ok) continue;
        compileConfig(verdict.config);
        compiled += 1;
      }
    });
    expect(madeOfPatterns(made)).toEqual([]);
    expect(compiled).toBeGreaterThan(50);
  });
});
