import { mutatedJson, readCases } from '@gw/testing';
import fc from 'fast-check';
import { compileConfig, parseConfig, validateConfig } from './index';

const { cases } = readCases('configs.json') as { cases: readonly { config?: unknown }[] };
const seeds = cases.flatMap(({ config }) => (config === undefined ? [] : [config]));

describe('validateConfig with randomly mutated configs', () => {
  it('returns a config that compiles, or 1 to 100 failures, and never throws', () => {
    fc.assert(
      fc.property(mutatedJson(seeds), (value) => {
        const verdict = validateConfig(value);
        if (verdict.ok) expect(compileConfig(verdict.config).targets.length).toBeLessThanOrEqual(100);
        else {
          expect(verdict.details.length).toBeGreaterThan(0);
          expect(verdict.details.length).toBeLessThanOrEqual(100);
        }
        // The same config as text, as headers carry it.
        expect(parseConfig(JSON.stringify(value)).ok).toBe(verdict.ok);
      }),
    );
  });
});
