import { API_KEY_LENGTH, mayHoldApiKey } from './api-key-form';
import { randomAlphanumeric } from './ids';

describe('mayHoldApiKey', () => {
  const key = randomAlphanumeric(API_KEY_LENGTH - 1) + 'z';

  it.each([
    ['a key alone', key],
    ['a key with a prefix', `tg_${key}`],
    ['a key behind a scheme', `Bearer ${key}`],
    ['a key in a cookie', `session=1; key=${key}`],
    ['a key in Basic authentication', `Basic ${Buffer.from(`user:${key}`).toString('base64')}`],
  ])('returns true for %s', (_what, value) => {
    expect(mayHoldApiKey(value)).toBe(true);
  });

  it.each([
    ['a session name', 's1'],
    ['a UUID', '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90'],
    ['a trace id', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['a trace parent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['a list of languages', 'en-GB,en;q=0.9,de;q=0.8,fr;q=0.7'],
  ])('returns false for %s', (_what, value) => {
    expect(mayHoldApiKey(value)).toBe(false);
  });
});
