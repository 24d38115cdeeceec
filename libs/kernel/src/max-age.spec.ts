import { maxAgeMs } from './index';

describe('maxAgeMs', () => {
  it.each([
    ['public, max-age=21600', undefined, 21_600_000],
    ['MAX-AGE = "60" , must-revalidate', undefined, 60_000],
    ['max-age=600, max-age=60', undefined, 60_000],
    ['max-age=3600', '3500', 100_000],
    ['max-age=60', '61', 0],
    ['max-age=60', 'soon', 60_000],
    ['max-age=60, no-store', undefined, 0],
    ['no-cache="set-cookie", max-age=60', undefined, 0],
    ['max-age=0', undefined, 0],
    ['s-maxage=60', undefined, null],
    ['max-age=-1', undefined, null],
    ['max-age=1e9', undefined, null],
    ['max-age', undefined, null],
    ['', '5', null],
    [undefined, undefined, null],
  ])('returns for cache-control %s and age %s: %s', (cacheControl, age, ms) => {
    expect(maxAgeMs({ 'cache-control': cacheControl, age })).toBe(ms);
  });
});
