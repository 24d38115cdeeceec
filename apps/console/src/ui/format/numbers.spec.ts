import fc from 'fast-check';
import { bytes, change, compactCount, count, directionOf, percent } from './numbers';
import { duration, durationChange } from './durations';

describe('count', () => {
  it('groups digits, and is compact in tiles from 100,000 on', () => {
    expect(count(184_203)).toBe('184,203');
    expect(count(-12)).toBe('−12');
    expect(count(null)).toBe('–');
    expect(compactCount(99_999)).toBe('99,999');
    expect(compactCount(184_203)).toBe('184k');
    expect(compactCount(1_240_000)).toBe('1.24M');
    expect(count(1234, 'de')).toBe('1.234');
  });
});

describe('compactCount', () => {
  it('formats English like Intl, whose first call would delay the first paint', () => {
    const format = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
    fc.assert(
      fc.property(fc.integer({ min: 100_000, max: 999_000_000_000_000 }), (value) => {
        expect(compactCount(value)).toBe(format.format(value).replace(/K$/, 'k'));
      }),
    );
    const formats = jest.spyOn(Intl, 'NumberFormat');
    expect([compactCount(-184_203), compactCount(999_950)]).toEqual(['−184k', '1M']);
    expect(formats).not.toHaveBeenCalled();
    formats.mockRestore();
  });
});

describe('percent', () => {
  it.each([
    [0.0062, '0.62 %'],
    [0.124, '12.4 %'],
    [0, '0 %'],
    [1, '100 %'],
    [0.9997, '>99.9 %'],
    [0.000_01, '<0.01 %'],
    [0.009_96, '1.0 %'],
  ])('shows %s as %s', (ratio, text) => {
    expect(percent(ratio)).toBe(text);
  });

  it('shows 0 % and 100 % only for exactly those', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true, minExcluded: true, maxExcluded: true }),
        (ratio) => {
          return !['0 %', '100 %', '100.0 %', '0.00 %'].includes(percent(ratio));
        },
      ),
    );
  });
});

describe('change', () => {
  it('has a sign, with a typographic minus', () => {
    expect(change(-0.031, 'ratio')).toBe('−3.1 %');
    expect(change(0.124, 'ratio')).toBe('+12.4 %');
    expect(change(0.0011, 'points')).toBe('+0.11 pt');
    expect(change(0.000_01, 'ratio')).toBe('0.0 %');
    expect(durationChange(-140)).toBe('−140 ms');
    expect(durationChange(1200)).toBe('+1.20 s');
  });

  it('has a direction', () => {
    expect(directionOf(change(-0.2, 'ratio'))).toBe('down');
    expect(directionOf(change(0.2, 'points'))).toBe('up');
    expect(directionOf(change(0, 'ratio'))).toBe('none');
  });
});

describe('duration', () => {
  it.each([
    [0, '0 ms'],
    [0.0001, '1 µs'],
    [0.4, '400 µs'],
    [0.9996, '1 ms'],
    [414, '414 ms'],
    [999.6, '1.00 s'],
    [3260, '3.26 s'],
    [59_996, '1 m 00 s'],
    [125_000, '2 m 05 s'],
    [3_599_600, '1 h 00 m'],
    [3_720_000, '1 h 02 m'],
    [null, '–'],
  ])('shows %s ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('never shows a shorter text value for a longer time', () => {
    const read = (text: string): number => {
      const unit: Record<string, number> = { µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 };
      return [...text.matchAll(/([\d.]+) (µs|ms|s|m|h)/g)].reduce(
        (sum, [, n, u]) => sum + Number(n) * (unit[u ?? ''] ?? 0),
        0,
      );
    };
    const times = fc.double({ min: 0.001, max: 1e8, noNaN: true });
    fc.assert(
      fc.property(times, times, (a, b) => {
        const [short, long] = a < b ? [a, b] : [b, a];
        return read(duration(short)) <= read(duration(long)) + 1e-6;
      }),
    );
  });
});

describe('bytes', () => {
  it('uses the largest unit that fits', () => {
    expect(bytes(512)).toBe('512 B');
    expect(bytes(1_204_000)).toBe('1.2 MB');
    expect(bytes(999_960)).toBe('1.0 MB');
  });
});
