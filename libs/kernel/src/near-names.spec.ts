import { misspeltName, nearestName } from './near-names';

const KNOWN = ['retry', 'request_timeout', 'input_guardrails', 'output_guardrails', 'targets', 'cache'];

describe('nearestName', () => {
  it.each([
    ['retries', 'retry'],
    ['timeout', 'request_timeout'],
    ['guardrails', 'input_guardrails'],
    ['Request-Timeout', 'request_timeout'],
    ['target', 'targets'],
    ['cach', 'cache'],
    ['nothing_like_it', null],
    ['', null],
  ])('returns for %s: %s', (text, near) => {
    expect(nearestName(text, KNOWN)).toBe(near);
  });

  it('returns null for a long text without comparing names', () => {
    const compared: string[] = [];
    const names = {
      *[Symbol.iterator]() {
        for (const name of KNOWN) {
          compared.push(name);
          yield name;
        }
      },
    };
    expect(nearestName(`retry${'y'.repeat(60_000)}`, names)).toBeNull();
    expect(compared).toEqual([]);
  });

  it('compares 500 names at most', () => {
    const names = [...Array.from({ length: 500 }, (_, index) => `name-${String(index)}-long`), 'wanted'];
    expect(nearestName('wanted', names)).toBeNull();
    expect(nearestName('wanted', names.slice(1))).toBe('wanted');
  });
});

describe('misspeltName', () => {
  const KNOWN = ['usage_limits', 'rate_limits', 'scopes', 'name', 'data_plane_security_settings'];

  it.each([
    ['usage_limit', 'usage_limits'],
    ['usageLimits', 'usage_limits'],
    ['Rate-Limits', 'rate_limits'],
    ['scops', 'scopes'],
    ['names', 'name'],
    ['data_plane_securty_setings', 'data_plane_security_settings'],
  ])('returns for %s: %s', (text, meant) => {
    expect(misspeltName(text, KNOWN)).toBe(meant);
  });

  it.each([['nam'], ['game'], ['limits'], ['rate'], ['status'], ['usage_rate_limits'], ['']])(
    'returns null for %s, which is no misspelling',
    (text) => {
      expect(misspeltName(text, KNOWN)).toBeNull();
    },
  );
});
