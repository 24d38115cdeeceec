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

describe('patternsFault', () => {
  it('refuses patterns with too many Unicode classes by their text, without compiling any', () => {
    const expensive = Array.from({ length: 50 }, () => '(?i:\\pL)'.repeat(40));
    expect(writtenSize(expensive[0] as string)).toBeGreaterThan(2_000);
    expect(patternsFault(configOf(expensive))).toContain('5000 instructions');
  });

  it('refuses short patterns that repetitions compile to too many instructions', () => {
    const short = Array.from({ length: 20 }, (_, at) => `${String(at)}(?:ab){200}`);
    expect(patternsFault(configOf(short))).not.toBeNull();
    expect(patternsFault(configOf(short.slice(0, 5)))).toBeNull();
  });

  it('counts the patterns of inline guardrails and of conditions together', () => {
    const rule = '/[a-z]{300}/i';
    const checks = Array.from({ length: 20 }, (_, at) => ({
      id: 'regexMatch',
      parameters: { rule: `${String(at)}${rule}` },
    }));
    expect(patternsFault({ input_guardrails: [{ checks }] })).toContain('too large in total');
    expect(patternsFault({ input_guardrails: [{ checks: checks.slice(0, 3) }] })).toBeNull();
  });

  it('counts the patterns in the pairs of a metadata check', () => {
    const metadataPairs = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`k${String(at)}`, [`[a-z]{${String(400 + at)}}`]]),
    );
    const check = { id: 'requiredMetadataKeyPairs', parameters: { metadataPairs, matchType: 'regex' } };
    expect(patternsFault([check])).toContain('too large in total');
    expect(patternsFault([{ ...check, parameters: { metadataPairs, matchType: 'exact' } }])).toBeNull();
  });

  it('Pattern.compile refuses a pattern with more than 50 Unicode classes', () => {
    expect(Pattern.compile('\\pL'.repeat(51))).toContain('Unicode classes');
    expect(typeof Pattern.compile('\\pL\\p{Greek}+')).toBe('object');
  });

  it('Pattern.compile returns the cached pattern for a text that it has compiled', () => {
    expect(Pattern.compile('once(?:d+)')).toBe(Pattern.compile('once(?:d+)'));
  });
});
