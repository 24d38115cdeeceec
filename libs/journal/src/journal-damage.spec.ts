import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { decodeFrames, encodeFrame, END_MARK_BYTES } from './frame';
import { Journal } from './journal';
import type { JournalStats } from './journal-options';
import { Sealer, UnknownKeyError } from './sealer';

const KEY = Buffer.alloc(32, 1);
const CANARY = 'sk-live-canary-0123456789abcdef';
const RECORDS = 60;

describe('a journal whose files changed while no process had them', () => {
  let root: string;
  let written: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'journal-damage-'));
    written = join(root, 'written');
    const journal = open(written, 8 * 1024);
    for (let id = 0; id < RECORDS; id += 1) {
      // Bodies may hold what a block begins with.
      journal.append(JSON.stringify({ id }), Buffer.from(`${CANARY} TGB2 TGJ1`.repeat(4)), null, NOTHING);
      if (id % 2 === 1) journal.flush();
    }
    journal.close();
    await Promise.resolve();
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  const open = (directory: string, segmentBytes?: number, key = KEY): Journal =>
    Journal.open({
      directory,
      sealer: new Sealer([key]),
      ...(segmentBytes !== undefined && { segmentBytes }),
    });
  const segmentsOf = (directory: string): string[] =>
    readdirSync(directory)
      .filter((name) => name.startsWith('segment-'))
      .sort()
      .map((name) => join(directory, name));
  const drain = async (journal: Journal): Promise<number[]> => {
    const ids: number[] = [];
    for (let batch = await journal.read(500, 4_096); batch; batch = await journal.read(500, 4_096)) {
      for (const { meta } of decodeFrames(batch.bytes).frames)
        ids.push((JSON.parse(meta.toString()) as { id: number }).id);
      journal.acknowledge(batch.end);
    }
    return ids;
  };
  /** What is read of a copy after `damage`, with one more record appended behind it, as a process does that goes on. */
  const after = async (
    damage: (segments: string[]) => void,
  ): Promise<{ ids: number[]; stats: JournalStats }> => {
    const copy = mkdtempSync(join(root, 'copy-'));
    cpSync(written, copy, { recursive: true });
    damage(segmentsOf(copy));
    const journal = open(copy);
    const ids = await drain(journal);
    journal.append(JSON.stringify({ id: RECORDS }), null, null, NOTHING);
    journal.flush();
    ids.push(...(await drain(journal)));
    const stats = journal.stats();
    journal.close();
    rmSync(copy, { recursive: true });
    return { ids, stats };
  };

  it('costs the two records of the block in which a bit was flipped, wherever that is, and counts them [faults D8]', async () => {
    const first = readFileSync(segmentsOf(written)[0] as string);
    for (let at = 0; at < first.length - END_MARK_BYTES; at += 41) {
      const { ids, stats } = await after(([path = '']) => {
        const content = Buffer.from(first);
        content.writeUInt8(content.readUInt8(at) ^ 4, at);
        writeFileSync(path, content);
      });
      expect({ at, read: ids.length, missing: stats.damagedRecords }).toEqual({
        at,
        read: RECORDS + 1 - 2,
        missing: 2,
      });
    }
  });

  it('counts the records of a segment that was cut in half, and reads all others [faults D8]', async () => {
    const { ids, stats } = await after(([path = '']) => {
      truncateSync(path, readFileSync(path).length >> 1);
    });
    expect(ids.at(-1)).toBe(RECORDS);
    expect(stats.damagedRecords).toBeGreaterThan(0);
    expect(ids.length + stats.damagedRecords).toBe(RECORDS + 1);
  });

  it('counts the records of segments that are gone, and those under a hole of zeros', async () => {
    const { ids, stats } = await after(([first = '', second = '']) => {
      rmSync(first);
      const content = readFileSync(second);
      content.fill(0, 600, 1_800);
      writeFileSync(second, content);
    });
    expect(stats.damagedRecords).toBeGreaterThan(4);
    expect(ids.length + stats.damagedRecords).toBe(RECORDS + 1);
  });

  it('keeps the counts of what is missing for the next process', async () => {
    const copy = join(root, 'kept');
    cpSync(written, copy, { recursive: true });
    rmSync(segmentsOf(copy)[0] as string);
    const reader = open(copy);
    await drain(reader);
    const { damagedRecords } = reader.stats();
    reader.close();
    expect(damagedRecords).toBeGreaterThan(0);
    expect(open(copy).stats().damagedRecords).toBe(damagedRecords);
  });

  it('holds nothing that can be read without the key [security M8]', () => {
    const files = readdirSync(written).map((name) => readFileSync(join(written, name), 'latin1'));
    expect(files.filter((content) => content.includes('canary') || content.includes('"id"'))).toEqual([]);
  });

  it('is not touched by a process with another key, and is read when the key is back [security M8]', async () => {
    const copy = join(root, 'locked');
    cpSync(written, copy, { recursive: true });
    const before = readdirSync(copy).map((name) => readFileSync(join(copy, name), 'latin1'));
    expect(() => open(copy, undefined, Buffer.alloc(32, 2))).toThrow(UnknownKeyError);
    expect(readdirSync(copy).map((name) => readFileSync(join(copy, name), 'latin1'))).toEqual(before);
    const both = new Sealer([Buffer.alloc(32, 2), KEY]);
    expect(await drain(Journal.open({ directory: copy, sealer: both }))).toHaveLength(RECORDS);
  });

  it('is read once when a version without seals has left it, from where that had come, past damage', async () => {
    const legacy = join(root, 'legacy');
    open(legacy).close();
    rmSync(join(legacy, 'state.json'));
    const frames = [0, 1, 2, 3].map(
      (id) => encodeFrame(JSON.stringify({ id }), Buffer.from(CANARY), null) as Buffer,
    );
    const content = Buffer.concat([...frames, Buffer.alloc(END_MARK_BYTES), Buffer.from('TGJ1 of before')]);
    const hit = (frames[0] as Buffer).length + (frames[1] as Buffer).length + 30;
    content.writeUInt8(content.readUInt8(hit) ^ 1, hit);
    writeFileSync(join(legacy, 'segment-000000000007.log'), content);
    const offset = (frames[0] as Buffer).length;
    writeFileSync(
      join(legacy, 'cursor.json'),
      JSON.stringify({ segment: 7, offset, check: crc32(`7 ${String(offset)}`) }),
    );
    const journal = open(legacy);
    expect(readFileSync(join(legacy, 'segment-000000000007.log'), 'latin1')).not.toContain(CANARY);
    expect(existsSync(join(legacy, 'cursor.json'))).toBe(false);
    expect(await drain(journal)).toEqual([1, 3]);
    journal.close();
    expect(await drain(open(legacy))).toEqual([]);
  });
});

const NOTHING = (): void => undefined;
