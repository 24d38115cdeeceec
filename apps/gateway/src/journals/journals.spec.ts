import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFrames, Sealer, type LogSink } from '@gw/journal';
import { eventually } from '@gw/testing';
import { createLog } from '@gw/web';
import { journalDirectory, takeJournalHome, type JournalHome, type JournalHomeOptions } from './journal-home';
import { recoverInFlight } from '../in-flight/recovery';
import { OrphanedJournals } from './orphaned-journals';

const NOTHING = (): void => undefined;

describe('gateways that share a data folder', () => {
  let root: string;
  let homes: JournalHome[];
  let shipped: number[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'journals-'));
    homes = [];
    shipped = [];
  });
  afterEach(() => {
    for (const home of homes) leave(home);
    rmSync(root, { recursive: true });
  });

  const options = (preferredSlot = 0, key = 1): JournalHomeOptions => ({
    root,
    preferredSlot,
    log: createLog('gateway', 'silent'),
    journal: { sealer: new Sealer([Buffer.alloc(32, key)]) },
  });
  const take = (preferredSlot = 0, key = 1): JournalHome => {
    const home = takeJournalHome(options(preferredSlot, key));
    homes.push(home);
    return home;
  };
  const leave = (home: JournalHome): void => {
    home.journal.close();
    home.release();
    homes = homes.filter((other) => other !== home);
  };
  const append = ({ journal }: JournalHome, id: number): void => {
    journal.append(JSON.stringify({ id }), null, null, NOTHING);
    journal.flush();
  };
  const sink: LogSink = {
    send: (batch) => {
      for (const { meta } of decodeFrames(batch).frames)
        shipped.push((JSON.parse(meta.toString()) as { id: number }).id);
      return Promise.resolve();
    },
  };
  const orphans = (home: JournalHome, key = 1): OrphanedJournals =>
    new OrphanedJournals({ ...options(home.slot, key), ownSlot: home.slot, sink, recover: NOTHING });

  it('have a journal each, whichever slot they prefer, and never share one [faults D6]', () => {
    const three = [take(0), take(0), take(0)];
    expect(three.map(({ slot }) => slot)).toEqual([0, 1, 2]);
    for (const [at, home] of three.entries()) append(home, at);
    expect(three.map(({ journal }) => journal.stats().appended)).toEqual([1, 1, 1]);
    leave(three[1] as JournalHome);
    expect(take(0).slot).toBe(1);
    expect(take(7).slot).toBe(7);
  });

  it('ship the records of a stopped gateway, and do not touch those of a running one [faults D6]', async () => {
    const [living, dead] = [take(0), take(0)];
    append(living, 1);
    append(dead, 2);
    append(dead, 3);
    const own = take(0);
    const adopter = orphans(own);
    adopter.look();
    expect(readdirSync(journalDirectory(root, 1))).toContain('segment-000000000001.log');
    leave(dead);
    adopter.look();
    await eventually(() => shipped.length === 2);
    await eventually(() => {
      adopter.look();
      return readdirSync(journalDirectory(root, 1)).every((name) => !name.startsWith('segment-'));
    });
    expect(shipped).toEqual([2, 3]);
    expect(living.journal.hasBacklog()).toBe(true);
    // Its slot is free for the next gateway that starts.
    await eventually(() => {
      const next = take(1);
      const { slot } = next;
      leave(next);
      return slot === 1;
    });
    await adopter.stop();
  });

  it('ship the records of a stopped gateway at the next attempt if its requests cannot be recovered', async () => {
    const own = take(0);
    const dead = take(1);
    append(dead, 2);
    leave(dead);
    const recover = jest.fn().mockImplementationOnce(() => {
      throw new Error('EACCES');
    });
    const adopter = new OrphanedJournals({ ...options(0), ownSlot: own.slot, sink, recover });
    expect(() => adopter.look()).toThrow('EACCES');
    adopter.look();
    await eventually(() => shipped.length === 1);
    expect(shipped).toEqual([2]);
    await adopter.stop();
  });

  it.each([
    ['a file has the name of its folder', (path: string) => writeFileSync(path, '')],
    [
      'its folder holds another file',
      (path: string) => {
        mkdirSync(path);
        writeFileSync(join(path, 'core'), '');
      },
    ],
  ])('ship the records of a stopped gateway after one of which %s', async (_name, make) => {
    const [own, dead] = [take(0), take(2)];
    append(dead, 2);
    leave(dead);
    make(journalDirectory(root, 1));
    const adopter = orphans(own);
    try {
      // A look that throws is logged and repeated.
      await eventually(() => {
        adopter.look();
        return shipped.length === 1;
      });
    } finally {
      await adopter.stop();
    }
  });

  it('keep records that are sealed with another key, use another folder, and report them [security M8]', async () => {
    const before = take(0, 2);
    append(before, 1);
    leave(before);
    const segment = join(journalDirectory(root, 0), 'segment-000000000001.log');
    const content = readFileSync(segment);
    const own = take(0);
    expect(own.slot).toBe(1);
    const adopter = orphans(own);
    adopter.look();
    expect(adopter.sealedCount).toBe(1);
    expect(readFileSync(segment).equals(content)).toBe(true);
    await adopter.stop();
    expect(take(0, 2).journal.hasBacklog()).toBe(true);
  });

  it('report sealed records no longer when their folder was removed', () => {
    const before = take(0, 2);
    append(before, 1);
    leave(before);
    const adopter = orphans(take(0));
    adopter.look();
    expect(adopter.sealedCount).toBe(1);
    rmSync(journalDirectory(root, 0), { recursive: true });
    adopter.look();
    expect(adopter.sealedCount).toBe(0);
  });

  it('start although folders and dangling links have the names of their files, and report them', async () => {
    const before = take(0);
    append(before, 1);
    leave(before);
    const directory = journalDirectory(root, 0);
    const broken = [
      ...['segment-000000000002.log', 'spare.log', 'state.json', 'cursor.json', 'in-flight-000001.log'],
      ...['under-way.jsonl', 'holders.json'],
    ];
    for (const name of broken) {
      rmSync(join(directory, name), { force: true });
      mkdirSync(join(directory, name));
    }
    symlinkSync(join(root, 'nowhere'), join(directory, 'segment-000000000003.log'));
    mkdirSync(join(directory, 'another'));
    const home = take(0);
    const named = [...broken, 'segment-000000000003.log'].map((name) => `${name}.unreadable`).sort();
    expect([home.slot, home.unreadable]).toEqual([0, named]);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining([...named, 'another']));
    expect(recoverInFlight(directory, home.journal, new Sealer([Buffer.alloc(32, 1)]))).toBe(0);
    append(home, 2);
    expect(home.journal.stats()).toMatchObject({ unwritten: 0, droppedByDisk: 0 });
    leave(home);
    // They are reported at the next start, too, and do not count as records of a stopped gateway.
    const again = take(0);
    expect(again.unreadable).toEqual(named);
    rmSync(join(directory, 'another'), { recursive: true });
    leave(again);
    const own = take(1);
    const adopter = orphans(own);
    await eventually(() => {
      adopter.look();
      return shipped.length === 2 && !readdirSync(directory).some((name) => /^segment-.*log$/.test(name));
    });
    expect(shipped).toEqual([1, 2]);
    await adopter.stop();
    const adopting = orphans(own);
    adopting.look();
    expect(take(0).slot).toBe(0);
    await adopting.stop();
  });
});
