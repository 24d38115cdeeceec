import fc from 'fast-check';
import { isApart, mergeRows } from './merge-rows';

const row = (time: number) => ({ id: `id-${time % 7}-${time}`, created_at: new Date(time).toISOString() });
const newestFirst = (times: readonly number[]) =>
  [...new Set(times)]
    .map(row)
    .sort((a, b) =>
      a.created_at === b.created_at ? (a.id > b.id ? -1 : 1) : a.created_at > b.created_at ? -1 : 1,
    );

describe('mergeRows', () => {
  it('merges both lists without duplicates, newest first', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(times, times, (tail, listed) => {
        expect(mergeRows(newestFirst(tail), newestFirst(listed))).toEqual(newestFirst([...tail, ...listed]));
      }),
    );
  });

  it('isApart returns true only when rows may be missing between tail and list', () => {
    const whole = { rows: newestFirst([8, 9]), dropped: 0, skipped: 0, isSkippedExact: true };
    expect(isApart(whole, newestFirst([1]))).toBe(false);
    expect(isApart({ ...whole, dropped: 1 }, newestFirst([1, 8]))).toBe(false);
    expect(isApart({ ...whole, dropped: 1 }, newestFirst([1, 7]))).toBe(true);
    expect(isApart({ ...whole, isSkippedExact: false }, [])).toBe(true);
    expect(isApart({ ...whole, rows: [], skipped: 2 }, newestFirst([1]))).toBe(false);
  });

  it('returns the list itself while the tail is empty', () => {
    const listed = newestFirst([1, 2]);
    expect(mergeRows([], listed)).toBe(listed);
  });
});
