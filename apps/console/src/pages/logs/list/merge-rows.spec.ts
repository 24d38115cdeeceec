import fc from 'fast-check';
import { mergeRows } from './merge-rows';

const row = (time: number) => ({ id: `id-${time % 7}-${time}`, created_at: new Date(time).toISOString() });
const newestFirst = (times: readonly number[]) =>
  [...new Set(times)]
    .map(row)
    .sort((a, b) =>
      a.created_at === b.created_at ? (a.id > b.id ? -1 : 1) : a.created_at > b.created_at ? -1 : 1,
    );

describe('mergeRows', () => {
  it('has each row of both once, newest first', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(times, times, (tail, listed) => {
        expect(mergeRows(newestFirst(tail), newestFirst(listed))).toEqual(newestFirst([...tail, ...listed]));
      }),
    );
  });

  it('leaves the list alone while the tail has nothing', () => {
    const listed = newestFirst([1, 2]);
    expect(mergeRows([], listed)).toBe(listed);
  });
});
