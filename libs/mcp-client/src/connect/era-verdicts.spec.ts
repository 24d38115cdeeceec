import { EraVerdicts } from './era-verdicts';

const LEGACY = { kind: 'legacy' } as const;

describe('EraVerdicts', () => {
  it('keeps a verdict until it expires', () => {
    let now = 0;
    const verdicts = new EraVerdicts({ entriesMax: 2, lifetimeMs: 100 }, () => now);
    verdicts.keep('a', LEGACY);
    now = 99;
    expect(verdicts.get('a')).toEqual(LEGACY);
    now = 100;
    expect(verdicts.get('a')).toBeNull();
  });

  it('drops the least recently used verdict beyond its bound', () => {
    const verdicts = new EraVerdicts({ entriesMax: 2, lifetimeMs: 100 }, () => 0);
    verdicts.keep('a', LEGACY);
    verdicts.keep('b', LEGACY);
    verdicts.get('a');
    verdicts.keep('c', LEGACY);
    expect(['a', 'b', 'c'].map((key) => verdicts.get(key) !== null)).toEqual([true, false, true]);
  });

  it('forgets a verdict that an upstream contradicts', () => {
    const verdicts = new EraVerdicts();
    verdicts.keep('a', LEGACY);
    verdicts.forget('a');
    expect(verdicts.get('a')).toBeNull();
  });
});
