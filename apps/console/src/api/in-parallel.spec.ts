import { inParallel } from './in-parallel';

describe('inParallel', () => {
  /** Works that end by hand. */
  const begun: (() => void)[] = [];
  const work = (item: string): Promise<void> => {
    places.push(item);
    return new Promise((resolve) => begun.push(resolve));
  };
  let places: string[] = [];
  beforeEach(() => {
    begun.length = 0;
    places = [];
  });

  it('begins as many as it is wide, and the next one when one ends', async () => {
    const done = inParallel(['a', 'b', 'c'], 2, new AbortController().signal, work);
    expect(places).toEqual(['a', 'b']);
    begun[0]?.();
    await Promise.resolve().then(() => undefined);
    await Promise.resolve();
    expect(places).toEqual(['a', 'b', 'c']);
    begun[1]?.();
    begun[2]?.();
    await done;
  });

  it('begins nothing more after its end', async () => {
    const controller = new AbortController();
    const done = inParallel(['a', 'b', 'c'], 1, controller.signal, work);
    controller.abort();
    begun[0]?.();
    await done;
    expect(places).toEqual(['a']);
  });

  it('does nothing without items', async () => {
    await inParallel([], 4, new AbortController().signal, work);
    expect(places).toEqual([]);
  });
});
