import { SharedWrites } from './shared-writes';

/** Creates writes that end when the test calls `end` or `fail`. */
function gatedWrites(options: { sizeMax: number; atOnce: number }) {
  const writes: { parts: readonly number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const shared = new SharedWrites<number>({
    ...options,
    sizeOf: (part) => part,
    write: (parts) =>
      new Promise((resolve, reject) => {
        writes.push({ parts, end: resolve, fail: reject });
      }),
  });
  const partsOf = (): (readonly number[])[] => writes.map(({ parts }) => parts);
  return { shared, writes, partsOf };
}

describe('SharedWrites', () => {
  it('writes the first part immediately, and combines parts that arrive meanwhile in their order', async () => {
    const { shared, writes, partsOf } = gatedWrites({ sizeMax: 100, atOnce: 1 });
    const ends = [1, 2, 3].map((part) => shared.add(part));
    expect(partsOf()).toEqual([[1]]);
    writes[0]?.end();
    await ends[0];
    expect(partsOf()).toEqual([[1], [2, 3]]);
    writes[1]?.end();
    await Promise.all(ends);
  });

  it('bounds the size of a write and the number of writes; a larger part is written alone', async () => {
    const { shared, writes, partsOf } = gatedWrites({ sizeMax: 10, atOnce: 2 });
    const ends = [20, 4, 5, 6, 30].map((part) => shared.add(part));
    expect(partsOf()).toEqual([[20], [4]]);
    writes[0]?.end();
    await ends[0];
    expect(partsOf()).toEqual([[20], [4], [5]]);
    for (let at = 1; at < 5; at += 1) {
      writes[at]?.end();
      await ends[at];
    }
    expect(partsOf()).toEqual([[20], [4], [5], [6], [30]]);
  });

  it('rejects all callers whose parts a failed write contains, and no others', async () => {
    const { shared, writes } = gatedWrites({ sizeMax: 10, atOnce: 1 });
    const ends = Promise.allSettled([1, 2, 3, 9].map((part) => shared.add(part)));
    const settle = async (at: number, how: 'end' | 'fail'): Promise<void> => {
      while (writes.length <= at) await Promise.resolve();
      if (how === 'end') writes[at]?.end();
      else writes[at]?.fail(new Error('The database is down.'));
    };
    await settle(0, 'end');
    await settle(1, 'fail');
    await settle(2, 'end');
    expect((await ends).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });
});
