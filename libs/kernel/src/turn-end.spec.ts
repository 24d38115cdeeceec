import { atTurnEnd, firstAtTurnEnd } from './turn-end';

describe('atTurnEnd', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('processes the items of a turn at its end, in order, and items added meanwhile a turn later', async () => {
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

  it('processes the other items of a turn when one throws, and throws its error afterwards', async () => {
    const done: number[] = [];
    const thrown: unknown[] = [];
    const defer = jest.spyOn(globalThis, 'queueMicrotask').mockImplementation((report) => {
      try {
        report();
      } catch (error) {
        thrown.push(error);
      }
    });
    const bug = new Error('bug');
    const later = atTurnEnd((item: number) => {
      if (item === 1) throw bug;
      done.push(item);
    });
    firstAtTurnEnd(() => {
      throw bug;
    });
    for (const item of [1, 2]) later(item);
    await turn();
    defer.mockRestore();
    expect({ done, thrown }).toEqual({ done: [2], thrown: [bug, bug] });
  });

  it('runs work of firstAtTurnEnd before work that was deferred earlier in the turn', async () => {
    const done: string[] = [];
    const later = atTurnEnd((item: string) => done.push(item));
    later('sent');
    firstAtTurnEnd(() => done.push('written'));
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual(['written', 'sent']);
  });
});
