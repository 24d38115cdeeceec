import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFrames, END_MARK_BYTES } from './frame';
import { Journal } from './journal';
import type { JournalOptions } from './journal-options';
import type { Problem } from './rate-limited-report';
import { Sealer } from './sealer';

const sealer = new Sealer([Buffer.alloc(32, 1)]);
const KIB = 1024;

describe('Journal', () => {
  let directory: string;
  let opened: Journal[];
  let problems: Problem[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'journal-'));
    opened = [];
    problems = [];
  });
  afterEach(() => {
    for (const journal of opened) journal.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const open = (options: Partial<JournalOptions> = {}): Journal => {
    const journal = Journal.open({
      directory,
      sealer,
      report: (problem) => problems.push(problem),
      ...options,
    });
    opened.push(journal);
    return journal;
  };
  const append = (journal: Journal, id: number, body: Buffer | null = null): Promise<void> =>
    new Promise((resolve) => {
      journal.append(JSON.stringify({ id }), body, null, resolve);
    });
  const segments = (): string[] =>
    readdirSync(directory)
      .filter((name) => name.startsWith('segment-'))
      .sort();
  const idOf = (meta: Buffer): number => (JSON.parse(meta.toString()) as { id: number }).id;
  const drain = async (journal: Journal): Promise<number[]> => {
    const ids: number[] = [];
    for (let batch = await journal.read(500, 64 * KIB); batch; batch = await journal.read(500, 64 * KIB)) {
      ids.push(...decodeFrames(batch.bytes).frames.map(({ meta }) => idOf(meta)));
      journal.acknowledge(batch.end);
    }
    return ids;
  };
  const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

  it('runs a callback only after its record is in the file, once per record, in order', async () => {
    const journal = open();
    const sizes: number[] = [];
    const order: number[] = [];
    await new Promise<void>((resolve) => {
      for (const id of [1, 2, 3]) {
        journal.append(`{"id":${String(id)}}`, Buffer.from('body'), null, () => {
          sizes.push(statSync(join(directory, segments()[0] as string)).size);
          order.push(id);
          if (id === 3) resolve();
        });
      }
      expect(segments()).toEqual([]);
      expect(order).toEqual([]);
    });
    expect(order).toEqual([1, 2, 3]);
    expect(sizes).toEqual([sizes[0], sizes[0], sizes[0]]);
    expect(sizes[0]).toBe(journal.stats().diskBytes + END_MARK_BYTES);
    expect(await drain(journal)).toEqual([1, 2, 3]);
  });

  it('stores the bytes of the time of append, even if the caller changes the buffer afterwards', async () => {
    const journal = open();
    const body = Buffer.from('as it was');
    const done = append(journal, 1, body);
    body.fill('x');
    await done;
    const batch = await journal.read(10, KIB);
    expect(decodeFrames(batch?.bytes as Buffer).frames[0]?.request?.toString()).toBe('as it was');
  });

  it('writes records that are larger than its buffers in order with small ones', async () => {
    const journal = open();
    const large = Buffer.alloc(3 * KIB * KIB, 'l');
    await Promise.all([
      append(journal, 1),
      append(journal, 2, large),
      append(journal, 3),
      append(journal, 4, large),
    ]);
    expect(await drain(journal)).toEqual([1, 2, 3, 4]);
  });

  it('returns unacknowledged records to the next process, and acknowledged ones never again', async () => {
    const journal = open();
    // Records of one turn form one block, which is read as a whole.
    for (const ids of [range(0, 4), range(4, 6)]) await Promise.all(ids.map((id) => append(journal, id)));
    const batch = await journal.read(4, KIB * KIB);
    expect(batch).toMatchObject({ count: 4 });
    journal.acknowledge((batch as NonNullable<typeof batch>).end);
    journal.close();

    const next = open();
    await append(next, 10);
    expect(next.hasBacklog()).toBe(true);
    expect(await drain(next)).toEqual(range(4, 7));
    expect(next.hasBacklog()).toBe(false);
    expect(next.stats().backlogBytes).toBe(0);
  });

  it('returns the records of a process that died before its first acknowledgement, after all earlier segments were deleted', async () => {
    const writer = open();
    for (const id of [1, 2]) await append(writer, id);
    writer.close();
    expect(await drain(open())).toEqual([1, 2]);
    expect(segments()).toEqual([]);
    await append(open(), 3);
    expect(await drain(open())).toEqual([3]);
    expect(await drain(open())).toEqual([]);
  });

  it('ignores an incomplete last frame, wherever it was cut', async () => {
    const writer = open();
    await append(writer, 1, Buffer.from('first'));
    const whole = writer.stats().diskBytes;
    await append(writer, 2, Buffer.from('second'));
    const both = writer.stats().diskBytes;
    writer.close();
    const name = segments()[0] as string;
    const content = readFileSync(join(directory, name));

    for (let length = whole; length < both; length += 1) {
      rmSync(directory, { recursive: true, force: true });
      open().close();
      writeFileSync(join(directory, name), content);
      truncateSync(join(directory, name), length);
      const next = open();
      await append(next, 3);
      expect(await drain(next)).toEqual([1, 3]);
      expect(next.stats().damagedBytes).toBe(0);
      next.close();
    }
  });

  it('overwrites shipped segments and never returns their old records', async () => {
    const journal = open({ segmentBytes: 2 * KIB });
    const shipped: number[] = [];
    for (let id = 0; id < 60; id += 1) {
      await append(journal, id, Buffer.alloc(300));
      if (id % 5 === 4) shipped.push(...(await drain(journal)));
    }
    expect(shipped).toEqual(range(0, 60));
    expect(readdirSync(directory)).toContain('spare.log');
    await append(journal, 60);
    // The process did not close the journal, and the old content of the reused file is longer than
    // the new.
    const next = open({ segmentBytes: 2 * KIB });
    expect(await drain(next)).toEqual([60]);
    expect(next.stats().damagedBytes).toBe(0);
    await append(next, 61);
    expect(await drain(open({ segmentBytes: 2 * KIB }))).toEqual([61]);
  });

  it('starts a new file when the file kept from a shipped segment cannot be opened', async () => {
    const journal = open();
    await append(journal, 1);
    mkdirSync(join(directory, 'spare.log'));
    expect(await drain(journal)).toEqual([1]);
    journal.close();
    const next = open();
    for (const id of [2, 3]) await append(next, id);
    expect(await drain(next)).toEqual([2, 3]);
    expect(next.stats().unwritten).toBe(0);
  });

  it('keeps the files of records that are acknowledged after it was closed', async () => {
    const journal = open();
    await append(journal, 1);
    const batch = await journal.read(10, KIB);
    journal.close();
    const next = open();
    journal.acknowledge((batch as NonNullable<typeof batch>).end);
    expect(await drain(next)).toEqual([1]);
    expect(next.stats().damagedBytes).toBe(0);
  });

  it('starts from the oldest record when its state file cannot be read', async () => {
    const writer = open();
    await append(writer, 1);
    expect(await drain(writer)).toEqual([1]);
    writer.close();
    appendFileSync(join(directory, 'state.json'), '{"segm');
    expect(await drain(open())).toEqual([1]);
  });

  it('starts new segments and deletes shipped ones', async () => {
    const journal = open({ segmentBytes: 4 * KIB });
    for (const id of range(0, 100)) await append(journal, id, Buffer.alloc(500));
    expect(segments().length).toBeGreaterThan(10);
    expect(await drain(journal)).toEqual(range(0, 100));
    expect(segments().length).toBeLessThanOrEqual(1);
    await append(journal, 100);
    expect(await drain(journal)).toEqual([100]);
  });

  it('drops, counts and reports new records at its cap, runs their callbacks, and accepts records again after shipping', async () => {
    const journal = open({ segmentBytes: 8 * KIB, capBytes: 32 * KIB });
    for (const id of range(0, 200)) await append(journal, id, Buffer.alloc(1000));
    const { appended, droppedAtCap, diskBytes } = journal.stats();
    expect(diskBytes).toBeLessThanOrEqual(32 * KIB);
    expect(appended + droppedAtCap).toBe(200);
    expect(droppedAtCap).toBeGreaterThan(100);
    expect(problems).toEqual([{ kind: 'droppedAtCap', count: 1, message: expect.any(String) }]);

    expect(await drain(journal)).toEqual(range(0, appended));
    await append(journal, 500);
    expect(await drain(journal)).toEqual([500]);
  });

  it('accepts records again after shipping, even when one turn filled it to the cap', async () => {
    const journal = open({ capBytes: 16 * KIB });
    await Promise.all(range(0, 30).map((id) => append(journal, id, Buffer.alloc(1000))));
    expect(journal.stats().droppedAtCap).toBeGreaterThan(0);
    await drain(journal);
    await append(journal, 99);
    expect(await drain(journal)).toEqual([99]);
  });

  it('counts a record whose metadata is too large, and runs its callback', async () => {
    const journal = open();
    await new Promise<void>((resolve) => {
      journal.append('x'.repeat(9 * KIB * KIB), null, null, resolve);
    });
    expect(journal.stats()).toMatchObject({ droppedOversized: 1, appended: 0 });
  });

  it('counts records that are appended after it was closed, and runs their callbacks', async () => {
    const journal = open();
    journal.close();
    await append(journal, 1);
    expect(journal.stats()).toMatchObject({ droppedByDisk: 1, appended: 0 });
  });

  it('runs the other callbacks when one throws, and reports it', async () => {
    const journal = open();
    journal.append('{}', null, null, () => {
      throw new Error('not ours');
    });
    await append(journal, 1);
    expect(problems.map(({ kind }) => kind)).toEqual(['callback']);
  });

  it('creates its folder and files with access for its user only', async () => {
    const inner = join(directory, 'made');
    const journal = open({ directory: inner });
    await append(journal, 1);
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    expect(statSync(join(inner, readdirSync(inner)[0] as string)).mode & 0o777).toBe(0o600);
  });
});
