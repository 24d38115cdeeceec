import { atTurnEnd } from './turn-end';

describe('atTurnEnd', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('does the work of a turn at its end, in order, and what comes meanwhile a turn later', async () => {
    const done: number[] = [];
    const later = atTurnEnd((item: number) => {
      done.push(item);
      if (item === 1) later(3);
    });
    later(1);
    later(2);
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual([1, 2]);
    await turn();
    expect(done).toEqual([1, 2, 3]);
  });
});
