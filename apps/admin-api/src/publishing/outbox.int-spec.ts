import { lockWaits, testDatabase } from '@gw/testing';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import { Outbox } from './outbox';

describe('Outbox', () => {
  const database = testDatabase();
  const recorder = new ChangeRecorder();
  let outbox: Outbox;
  beforeAll(() => {
    outbox = new Outbox(database.dataSource);
  });

  const record = (changed: string[], removed: string[] = []): Promise<void> =>
    database.dataSource.transaction((manager) => recorder.record(manager, { changed, removed }));

  it('assigns sequences in commit order, so that a reader never skips an uncommitted event', async () => {
    const start = await outbox.newest();
    const first = database.dataSource.createQueryRunner();
    const second = database.dataSource.createQueryRunner();
    await Promise.all([first.startTransaction(), second.startTransaction()]);
    await recorder.record(first.manager, { changed: ['a'] });
    let isRecorded = false;
    const waiting = recorder.record(second.manager, { changed: ['b'] }).then(() => (isRecorded = true));
    await lockWaits(database.dataSource);
    expect(isRecorded).toBe(false);
    expect(await outbox.after(start, 10)).toEqual([]);
    await first.commitTransaction();
    await waiting;
    expect((await outbox.after(start, 10)).map(({ changed }) => changed)).toEqual([['a']]);
    await second.commitTransaction();
    const events = await outbox.after(start, 10);
    expect(events.map(({ changed }) => changed)).toEqual([['a'], ['b']]);
    expect(events.map(({ previous }) => previous)).toEqual([start, events[0]?.sequence]);
    await Promise.all([first.release(), second.release()]);
  });

  it('lets no reader skip an event during concurrent writes', async () => {
    const start = await outbox.newest();
    const keys = Array.from({ length: 200 }, (_, i) => `key-${String(i)}`);
    const writer = async (): Promise<void> => {
      for (let key = keys.shift(); key !== undefined; key = keys.shift()) await record([key]);
    };
    let isDone = false;
    const all = Promise.all(Array.from({ length: 8 }, writer)).finally(() => (isDone = true));
    const seen: string[] = [];
    let position = start;
    for (;;) {
      const wasDone = isDone;
      const events = await outbox.after(position, 7);
      seen.push(...events.flatMap(({ changed }) => changed));
      position = events.at(-1)?.sequence ?? position;
      if (wasDone && events.length === 0) break;
    }
    await all;
    expect(new Set(seen).size).toBe(200);
    expect(seen).toHaveLength(200);
  });

  it('contains no event of a write that was rolled back', async () => {
    const start = await outbox.newest();
    const failing = database.dataSource.transaction(async (manager) => {
      await recorder.record(manager, { changed: ['never'] });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await outbox.newest()).toBe(start);
  });

  it('refuses to record outside a transaction, where the event could be lost without its write', async () => {
    await expect(recorder.record(database.dataSource.manager, { changed: ['x'] })).rejects.toThrow(
      'inside the transaction',
    );
  });

  it('splits a large change into events of at most 256 keys, and lists a removed key only as removed', async () => {
    const start = await outbox.newest();
    const keys = Array.from({ length: 600 }, (_, i) => `k${String(i)}`);
    await record(keys, ['k0']);
    const events = await outbox.after(start, 10);
    expect(events.map(({ changed }) => changed.length)).toEqual([256, 256, 87]);
    expect(events.map(({ removed }) => removed)).toEqual([['k0'], [], []]);
  });

  it('records nothing for an empty change', async () => {
    const start = await outbox.newest();
    await record([]);
    expect(await outbox.newest()).toBe(start);
  });

  it('deletes events older than a day, keeps the newest, and knows from which sequence it can replay', async () => {
    await record(['old']);
    const old = await outbox.newest();
    await record(['new']);
    const newest = await outbox.newest();
    await database.dataSource.query(`UPDATE change_events SET created_at = now() - interval '25 hours'`);
    expect(await outbox.prune()).toBeGreaterThan(0);
    expect((await outbox.after(0, 10)).map(({ sequence }) => sequence)).toEqual([newest]);
    expect(await outbox.reaches(old)).toBe(false);
    expect(await outbox.reaches(0)).toBe(false);
    expect(await outbox.reaches(newest)).toBe(true);
    expect(await outbox.reaches(newest + 1)).toBe(false);
  });
});
