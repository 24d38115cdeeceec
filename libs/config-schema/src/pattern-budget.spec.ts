import { Pattern } from './pattern';
import { patternsFault, writtenSize } from './pattern-budget';

const configOf = (patterns: readonly string[]) => ({
  strategy: {
    mode: 'conditional',
    conditions: patterns.map(($regex) => ({ query: { 'metadata.a': { $regex } }, then: 't' })),
    default: 't',
  },
  targets: [{ name: 't', provider: 'openai' }],
});

describe('patterns of a document together', () => {
  it('are refused by their texts before one is compiled, when classes of Unicode make them dear', () => {
    const dear = Array.from({ length: 50 }, () => '(?i:\\pL)'.repeat(40));
    expect(writtenSize(dear[0] as string)).toBeGreaterThan(2_000);
    expect(patternsFault(configOf(dear))).toContain('5000 instructions in sum');
  });

  it('are refused by the instructions that repetitions make of them', () => {
    const short = Array.from({ length: 20 }, (_, at) => `${String(at)}(?:ab){200}`);
    expect(patternsFault(configOf(short))).not.toBeNull();
    expect(patternsFault(configOf(short.slice(0, 5)))).toBeNull();
  });

  it('count wherever a guardrail is written out, with those of conditions', () => {
    const rule = '/[a-z]{300}/i';
    const checks = Array.from({ length: 20 }, (_, at) => ({
      id: 'regexMatch',
      parameters: { rule: `${String(at)}${rule}` },
    }));
    expect(patternsFault({ input_guardrails: [{ checks }] })).toContain('too large together');
    expect(patternsFault({ input_guardrails: [{ checks: checks.slice(0, 3) }] })).toBeNull();
  });

  it('count among the pairs of a check of metadata', () => {
    const metadataPairs = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`k${String(at)}`, [`[a-z]{${String(400 + at)}}`]]),
    );
    const check = { id: 'requiredMetadataKeyPairs', parameters: { metadataPairs, matchType: 'regex' } };
    expect(patternsFault([check])).toContain('too large together');
    expect(patternsFault([{ ...check, parameters: { metadataPairs, matchType: 'exact' } }])).toBeNull();
  });

  it('leave one pattern few classes of Unicode, each of which is thousands of characters', () => {
    expect(Pattern.compile('\\pL'.repeat(51))).toContain('classes of Unicode');
    expect(typeof Pattern.compile('\\pL\\p{Greek}+')).toBe('object');
  });

  it('are compiled once, however often they are used', () => {
    expect(Pattern.compile('once(?:d+)')).toBe(Pattern.compile('once(?:d+)'));
  });
});
