import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdoptedBalances } from './adopted-balances';
import { HolderNames } from './holder-names';

describe('HolderNames', () => {
  let directory: string;
  let progress: { taken: number; arrived: number };
  let dropped: number;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'holders-'));
    progress = { taken: 0, arrived: 0 };
    dropped = 0;
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const names = (): HolderNames =>
    new HolderNames(directory, {
      progress: () => progress,
      stats: () =>
        ({ droppedAtCap: dropped, droppedByDisk: 0, droppedOversized: 0, damagedRecords: 0 }) as never,
    });
  const file = (): string => join(directory, 'holders.json');

  it('passes the names of all earlier processes to the next one until the counters know that they have ended', () => {
    names().add('g-1');
    names().add('g-2');
    const third = names();
    expect(third.predecessors).toEqual(['g-1', 'g-2']);
    third.add('g-3');
    third.forgetOthers('g-3');
    expect(names().predecessors).toEqual(['g-3']);
  });

  it('keeps the names of the last 64 processes', () => {
    for (let i = 0; i < 70; i += 1) names().add(`g.${String(i)}`.replace('.', '-'));
    const { predecessors } = names();
    expect([predecessors.length, predecessors[0], predecessors.at(-1)]).toEqual([64, 'g-6', 'g-69']);
  });

  it('is adopted once everything that was in the journal at its start is stored, whatever arrived since', () => {
    progress = { taken: 10, arrived: 4 };
    const next = names();
    expect([next.hasArrived(), next.isAdopted()]).toEqual([false, false]);
    progress = { taken: 15, arrived: 10 };
    expect([next.hasArrived(), next.isAdopted()]).toEqual([true, true]);
  });

  it('is never adopted after the journal lost a record of any process, until the others are forgotten', () => {
    names().add('g-1');
    dropped = 1;
    const next = names();
    next.add('g-2');
    expect([next.hasArrived(), next.isAdopted()]).toEqual([true, false]);
    next.forgetOthers('g-2');
    expect(names().isAdopted()).toBe(true);
  });

  it.each(['', 'no json', '{"processes":5,"lost":0}', '{"processes":["a"],"lost":"0"}', 'null'])(
    'starts empty with a file that contains %j',
    (content) => {
      writeFileSync(file(), content);
      expect(names().predecessors).toEqual([]);
      names().add('g-1');
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ processes: ['g-1'], lost: 0 });
    },
  );

  it('accepts only valid process names', () => {
    writeFileSync(file(), JSON.stringify({ processes: ['g-1', '', 5, 'a b', 'x'.repeat(65)], lost: 0 }));
    expect(names().predecessors).toEqual(['g-1']);
  });
});

describe('AdoptedBalances', () => {
  it('reads the durable record only once the records of earlier processes are in it', async () => {
    let hasArrived = false;
    const reads: unknown[] = [];
    const balances = new AdoptedBalances(
      {
        balances: (...args) => {
          reads.push(args);
          return [];
        },
      },
      () => hasArrived,
    );
    const organisation = '0a000000-0000-4000-8000-000000000001';
    await expect(balances.balances(organisation, [])).rejects.toThrow('not in the durable record yet');
    expect(reads).toEqual([]);
    hasArrived = true;
    expect(await balances.balances(organisation, [])).toEqual([]);
    expect(reads).toEqual([[organisation, []]]);
  });
});
