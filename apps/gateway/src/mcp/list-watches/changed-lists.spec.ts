import { DAY_MS, MINUTE_MS } from '@gw/kernel';
import { ChangedLists } from './changed-lists';

describe('ChangedLists', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('reads a server five times in a row and then once a minute, also when the clock is set back', async () => {
    let reads = 0;
    const post = (): Promise<unknown> => {
      reads += 1;
      return Promise.resolve({});
    };
    const lists = new ChangedLists(post, () => undefined);
    const change = async (): Promise<void> => {
      lists.changed('integration');
      await jest.advanceTimersByTimeAsync(1);
    };
    for (let count = 0; count < 6; count += 1) await change();
    expect(reads).toBe(5);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(reads).toBe(6);
    jest.setSystemTime(Date.now() - DAY_MS);
    await change();
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(reads).toBe(7);
    lists.close();
  });
});
