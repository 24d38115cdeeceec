import { retryAfterMs } from './index';

const now = Date.UTC(2026, 10, 20, 12, 0, 0);
const read = (headers: Record<string, string>): number | null => retryAfterMs((name) => headers[name], now);

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 0 ' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'x-ms-retry-after-ms': '250.2' }, 251],
    [{ 'retry-after-ms': '1', 'x-ms-retry-after-ms': '2', 'retry-after': '3' }, 1],
    [{ 'retry-after-ms': 'soon', 'x-ms-retry-after-ms': '2', 'retry-after': '3' }, 2],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Friday, 20-Nov-26 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Fri Nov 20 12:00:30 2026' }, 30_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
  ])('reads %j as %d ms', (headers, expected) => {
    expect(read(headers)).toBe(expected);
  });

  it.each([
    {},
    { 'retry-after': '' },
    { 'retry-after': '-1' },
    { 'retry-after': 'soon' },
    { 'retry-after': '1e99' },
    { 'retry-after': '2026-11-20' },
    { 'retry-after': 'Fri, 99 Foo 2026' },
  ])('returns null for %j', (headers) => {
    expect(read(headers)).toBeNull();
  });

  const limited = (headers: Record<string, string>): number | null =>
    retryAfterMs((name) => headers[name], now, 429);

  it.each([
    [{ 'x-ratelimit-reset-requests': '1s' }, 1000],
    [{ 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [{ 'x-ratelimit-reset-requests': '1h2m3.5s' }, 3_723_500],
    [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [{ 'x-ratelimit-reset-requests': '2m' }, 120_000],
    [{ 'x-ratelimit-reset': '30' }, 30_000],
    [{ 'x-ratelimit-reset': String(now / 1000 + 5) }, 5000],
    [{ 'x-ratelimit-reset': String(now + 5000) }, 5000],
    [{ 'ratelimit-reset': '2' }, 2000],
    [{ 'x-ratelimit-reset-requests-day': '90' }, 90_000],
    [{ 'anthropic-ratelimit-requests-reset': '2026-11-20T12:00:07Z' }, 7000],
    [{ 'retry-after': '1', 'x-ratelimit-reset-requests': '9s' }, 1000],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset-requests': '9s' }, 9000],
    [
      {
        'x-ratelimit-reset-requests': '50s',
        'x-ratelimit-remaining-requests': '3',
        'x-ratelimit-reset-tokens': '2s',
        'x-ratelimit-remaining-tokens': '0',
      },
      2000,
    ],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '4s' }, 4000],
  ])('reads %j as %d ms with status 429', (headers, expected) => {
    expect(limited(headers)).toBe(expected);
  });

  it.each([
    [{ 'x-ratelimit-reset-requests': '' }],
    [{ 'x-ratelimit-reset-requests': 'soon' }],
    [{ 'x-ratelimit-reset-requests': '-5s' }],
    [{ 'anthropic-ratelimit-requests-reset': '2026-99-99T12:00:07Z' }],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-remaining-requests': '1' }],
  ])('returns null for %j with status 429', (headers) => {
    expect(limited(headers as Record<string, string>)).toBeNull();
  });

  it('ignores the reset of a limit when the response is not a 429', () => {
    const header = (name: string): string | undefined =>
      name === 'x-ratelimit-reset-requests' ? '5s' : undefined;
    expect(retryAfterMs(header, now, 503)).toBeNull();
    expect(retryAfterMs(header, now)).toBeNull();
  });
});
