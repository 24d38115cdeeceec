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
  ])('does not read %j', (headers) => {
    expect(read(headers)).toBeNull();
  });
});
