import fc from 'fast-check';
import { ranges } from './spec-support/arbitraries';
import { asOfNow, decodeRange, encodeRange, resolveRange, shiftRange, type Range } from './range';

const now = Date.UTC(2026, 10, 23, 14, 2, 11);

describe('encodeRange', () => {
  it('keeps a relative range, and formats moments in UTC in the shortest form', () => {
    expect(encodeRange({ kind: 'relative', span: '24h' })).toBe('24h');
    const [from, to] = [Date.UTC(2026, 10, 23, 13, 30), Date.UTC(2026, 10, 23, 14)];
    expect(encodeRange({ kind: 'absolute', from, to })).toBe('2026-11-23T13:30Z..2026-11-23T14:00Z');
    expect(encodeRange({ kind: 'absolute', from: from + 5000, to: null })).toBe('2026-11-23T13:30:05Z..');
  });

  it('is decoded to the same range', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        expect(decodeRange(encodeRange(range))).toEqual(range);
      }),
    );
  });
});

describe('decodeRange', () => {
  it.each([
    '',
    '24',
    '0h',
    '24x',
    '..',
    '2026-11-23',
    '2026-02-30T10:00Z..',
    '2026-11-23T14:00Z..2026-11-23T13:00Z',
    '1999-01-01T00:00Z..',
  ])('returns null for %j', (broken) => {
    expect(decodeRange(broken)).toBeNull();
  });
});

describe('shiftRange', () => {
  it('moves by the length of the range and never beyond now', () => {
    const day: Range = { kind: 'relative', span: '24h' };
    const before = shiftRange(day, -1, now);
    expect(resolveRange(before, now)).toEqual({ from: now - 2 * 86_400_000, to: now - 86_400_000 });
    expect(shiftRange(day, 1, now)).toEqual(day);
    expect(resolveRange(shiftRange(before, 1, now), now)).toEqual(resolveRange(day, now));
  });

  it('keeps the length', () => {
    fc.assert(
      fc.property(ranges, fc.constantFrom(-1 as const, 1 as const), (range, direction) => {
        const { from, to } = resolveRange(range, now);
        const moved = resolveRange(shiftRange(range, direction, now), now);
        return moved.to - moved.from === to - from && (moved.to <= now || to > now);
      }),
    );
  });
});

describe('asOfNow', () => {
  it('converts a relative range to two moments', () => {
    expect(asOfNow({ kind: 'relative', span: '1h' }, now)).toEqual({
      kind: 'absolute',
      from: now - 3_600_000,
      to: now,
    });
  });
});
