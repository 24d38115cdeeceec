import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutatedBytes } from '@gw/testing';
import fc from 'fast-check';
import { decodeFrames } from './frame';
import { Journal } from './journal';
import { Sealer } from './sealer';

const RECORDS = 40;
const NOTHING = (): void => undefined;

describe('Journal.open with randomly changed bytes', () => {
  let root: string;
  let written: string;
  const open = (directory: string): Journal =>
    Journal.open({ directory, sealer: new Sealer([Buffer.alloc(32, 1)]), segmentBytes: 4_096 });
  const append = (journal: Journal, id: number): void => {
    journal.append(JSON.stringify({ id }), Buffer.from('a body '.repeat(id)), null, NOTHING);
    journal.flush();
  };
  const drain = async (journal: Journal): Promise<number[]> => {
    const ids: number[] = [];
    for (let batch = await journal.read(500, 4_096); batch; batch = await journal.read(500, 4_096)) {
      for (const { meta } of decodeFrames(batch.bytes).frames)
        ids.push((JSON.parse(meta.toString()) as { id: number }).id);
      journal.acknowledge(batch.end);
    }
    return ids;
  };
  const segmentsOf = (directory: string): string[] =>
    readdirSync(directory)
      .filter((name) => name.startsWith('segment-'))
      .sort();

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'journal-fuzz-'));
    written = join(root, 'written');
    const journal = open(written);
    for (let id = 0; id < RECORDS; id += 1) append(journal, id);
    journal.close();
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it('reads intact records once and in order, and all records that are appended later', async () => {
    const names = segmentsOf(written);
    const damage = fc
      .constantFrom(...names)
      .chain((name) => fc.tuple(fc.constant(name), mutatedBytes([readFileSync(join(written, name))])));
    await fc.assert(
      fc.asyncProperty(damage, async ([name, bytes]) => {
        const copy = mkdtempSync(join(root, 'copy-'));
        cpSync(written, copy, { recursive: true });
        writeFileSync(join(copy, name), bytes);
        const journal = open(copy);
        const ids = await drain(journal);
        append(journal, RECORDS);
        ids.push(...(await drain(journal)));
        journal.close();
        rmSync(copy, { recursive: true });
        expect(ids.at(-1)).toBe(RECORDS);
        expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
      }),
    );
  });
});
