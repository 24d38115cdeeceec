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

describe('Journal.open with damaged files', () => {
  let root: string;
  let written: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'journal-damage-'));
    written = join(root, 'written');
    const journal = open(written, 8 * 1024);
    for (let id = 0; id < RECORDS; id += 1) {
      // The bodies contain the magic numbers of blocks and frames.
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
  /**
   * Damages a copy of the journal, opens it and appends one more record. Returns the ids that it
   * can read, and the statistics.
   */
  const readDamaged = async (
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

  it('loses and counts only the two records of the block in which a bit was flipped [faults D8]', async () => {
    const first = readFileSync(segmentsOf(written)[0] as string);
    for (let at = 0; at < first.length - END_MARK_BYTES; at += 41) {
      const { ids, stats } = await readDamaged(([path = '']) => {
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
    const { ids, stats } = await readDamaged(([path = '']) => {
      truncateSync(path, readFileSync(path).length >> 1);
    });
    expect(ids.at(-1)).toBe(RECORDS);
    expect(stats.damagedRecords).toBeGreaterThan(0);
    expect(ids.length + stats.damagedRecords).toBe(RECORDS + 1);
  });

  it('counts the records of deleted segments and of ranges overwritten with zeros', async () => {
    const { ids, stats } = await readDamaged(([first = '', second = '']) => {
      rmSync(first);
      const content = readFileSync(second);
      content.fill(0, 600, 1_800);
      writeFileSync(second, content);
    });
    expect(stats.damagedRecords).toBeGreaterThan(4);
    expect(ids.length + stats.damagedRecords).toBe(RECORDS + 1);
  });

  it('counts the records of a damaged last block when newer records are in memory', async () => {
    const copy = join(root, 'newer');
    cpSync(written, copy, { recursive: true });
    const last = segmentsOf(copy).at(-1) as string;
    const content = readFileSync(last);
    const at = content.length - END_MARK_BYTES - 10;
    content.writeUInt8(content.readUInt8(at) ^ 4, at);
    writeFileSync(last, content);
    const journal = open(copy);
    journal.append(JSON.stringify({ id: RECORDS }), null, null, NOTHING);
    journal.flush();
    const ids = await drain(journal);
    expect([ids.length, ids.at(-1)]).toEqual([RECORDS + 1 - 2, RECORDS]);
    expect(journal.stats().damagedRecords).toBe(2);
    journal.close();
  });

  it('passes the counts of missing records on to the next process', async () => {
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

  it('stores no readable text without the key [security M8]', () => {
    const files = readdirSync(written).map((name) => readFileSync(join(written, name), 'latin1'));
    expect(files.filter((content) => content.includes('canary') || content.includes('"id"'))).toEqual([]);
  });

  it('throws and changes no file with another key, and reads the records once the key is back [security M8]', async () => {
    const copy = join(root, 'locked');
    cpSync(written, copy, { recursive: true });
    const before = readdirSync(copy).map((name) => readFileSync(join(copy, name), 'latin1'));
    expect(() => open(copy, undefined, Buffer.alloc(32, 2))).toThrow(UnknownKeyError);
    expect(readdirSync(copy).map((name) => readFileSync(join(copy, name), 'latin1'))).toEqual(before);
    const both = new Sealer([Buffer.alloc(32, 2), KEY]);
    expect(await drain(Journal.open({ directory: copy, sealer: both }))).toHaveLength(RECORDS);
  });

  it('encrypts an unencrypted journal of an older version once, from its position on, and skips damage', async () => {
    const legacy = join(root, 'legacy');
    open(legacy).close();
    rmSync(join(legacy, 'state.json'));
    const frames = [0, 1, 2, 3].map(
      (id) => encodeFrame(JSON.stringify({ id }), Buffer.from(CANARY), null) as Buffer,
    );
    const content = Buffer.concat([...frames, Buffer.alloc(END_MARK_BYTES), Buffer.from('TGJ1 of before')]);
    const damagedAt = (frames[0] as Buffer).length + (frames[1] as Buffer).length + 30;
    content.writeUInt8(content.readUInt8(damagedAt) ^ 1, damagedAt);
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
