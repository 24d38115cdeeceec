import { misspeltName, nearestName } from './near-names';

const KNOWN = ['retry', 'request_timeout', 'input_guardrails', 'output_guardrails', 'targets', 'cache'];

describe('the nearest name', () => {
  it.each([
    ['retries', 'retry'],
    ['timeout', 'request_timeout'],
    ['guardrails', 'input_guardrails'],
    ['Request-Timeout', 'request_timeout'],
    ['target', 'targets'],
    ['cach', 'cache'],
    ['nothing_like_it', null],
    ['', null],
  ])('of %s is %s', (text, near) => {
    expect(nearestName(text, KNOWN)).toBe(near);
  });

  it('is looked for among 500 names at most', () => {
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
  ])('takes %s for %s', (text, meant) => {
    expect(misspeltName(text, KNOWN)).toBe(meant);
  });

  it.each([['nam'], ['game'], ['limits'], ['rate'], ['status'], ['usage_rate_limits'], ['']])(
    'takes %s for no misspelling, though it may be near',
    (text) => {
      expect(misspeltName(text, KNOWN)).toBeNull();
    },
  );
});
