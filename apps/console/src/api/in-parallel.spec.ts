import { inParallel } from './in-parallel';

describe('inParallel', () => {
  /** Functions that end the running work items, in the order in which these started. */
  const endWork: (() => void)[] = [];
  const work = (item: string): Promise<void> => {
    started.push(item);
    return new Promise((resolve) => endWork.push(resolve));
  };
  let started: string[] = [];
  beforeEach(() => {
    endWork.length = 0;
    started = [];
  });

  it('starts `width` items, and the next one when one of them ends', async () => {
    const done = inParallel(['a', 'b', 'c'], 2, new AbortController().signal, work);
    expect(started).toEqual(['a', 'b']);
    endWork[0]?.();
    await Promise.resolve().then(() => undefined);
    await Promise.resolve();
    expect(started).toEqual(['a', 'b', 'c']);
    endWork[1]?.();
    endWork[2]?.();
    await done;
  });

  it('starts no further item after the signal aborts', async () => {
    const controller = new AbortController();
    const done = inParallel(['a', 'b', 'c'], 1, controller.signal, work);
    controller.abort();
    endWork[0]?.();
    await done;
    expect(started).toEqual(['a']);
  });

  it('does nothing without items', async () => {
    await inParallel([], 4, new AbortController().signal, work);
    expect(started).toEqual([]);
  });
});
