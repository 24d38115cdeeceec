import fc from 'fast-check';
import { RowBuffer, type LiveRow } from './row-buffer';

const row = (time: number, id = String(time)): LiveRow => ({
  id,
  created_at: new Date(time).toISOString(),
});
const rows = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 3 }))
    .map(([time, id]) => row(time, `${String(time)}-${String(id)}`)),
);

describe('RowBuffer', () => {
  it('holds the newest rows without duplicates, newest first, whatever order they arrive in', () => {
    fc.assert(
      fc.property(fc.array(rows), fc.integer({ min: 1, max: 20 }), (batches, size) => {
        const buffer = new RowBuffer<LiveRow>(size);
        for (const batch of batches) buffer.add(batch);
        const unique = [...new Map(batches.flat().map((item) => [item.id, item])).values()];
        const newest = unique.sort((one, other) =>
          `${one.created_at}${one.id}` < `${other.created_at}${other.id}` ? 1 : -1,
        );
        expect(buffer.all.map(({ id }) => id)).toEqual(newest.slice(0, size).map(({ id }) => id));
      }),
    );
  });

  it('counts the rows that newer ones displaced', () => {
    const buffer = new RowBuffer<LiveRow>(2);
    buffer.add([row(1), row(2), row(3)]);
    expect([buffer.dropped, buffer.newest?.id]).toEqual([1, '3']);
    expect(buffer.add([row(1), row(3)])).toBe(0);
    buffer.clear();
    expect([buffer.dropped, buffer.all]).toEqual([0, []]);
  });

  it('does not add rows again that were in the buffer or displaced before it was cleared', () => {
    const buffer = new RowBuffer<LiveRow>(2);
    buffer.add([row(1), row(2), row(3)]);
    buffer.clear();
    expect(buffer.add([row(1), row(2), row(3), row(4)])).toBe(1);
    expect(buffer.all.map(({ id }) => id)).toEqual(['4']);
  });
});
