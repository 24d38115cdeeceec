import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFrames } from './frame';
import { Journal } from './journal';
import type { JournalOptions } from './journal-options';
import { Sealer } from './sealer';

const sealer = new Sealer([Buffer.alloc(32, 1)]);
const KIB = 1024;

type Step =
  | { readonly kind: 'append'; readonly bytes: number; readonly count: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'ship'; readonly records: number; readonly bytes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    bytes: fc.constantFrom(0, 1, 900, 40 * KIB, 400 * KIB, 1100 * KIB),
    count: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({ kind: fc.constant('flush' as const) }),
  fc.record({
    kind: fc.constant('ship' as const),
    records: fc.integer({ min: 1, max: 20 }),
    bytes: fc.constantFrom(KIB, 100 * KIB, KIB * KIB),
  }),
);

describe('Journal with frames in memory', () => {
  const opened: { journal: Journal; directory: string }[] = [];
  afterEach(() => {
    for (const { journal, directory } of opened.splice(0)) {
      journal.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
  const open = (options: Partial<JournalOptions> = {}): Journal => {
    const directory = mkdtempSync(join(tmpdir(), 'journal-tail-'));
    const journal = Journal.open({ directory, sealer, ...options });
    opened.push({ journal, directory });
    return journal;
  };
  /** Reads and acknowledges the next batch. Returns the id and body length of each record. */
  const ship = async (journal: Journal, records: number, bytes: number): Promise<[number, number][]> => {
    const batch = await journal.read(records, bytes);
    if (batch === null) return [];
    const { frames, damaged } = decodeFrames(batch.bytes);
    expect(damaged).toBe(false);
    expect(frames.length).toBe(batch.count);
    journal.acknowledge(batch.end);
    return frames.map(({ meta, request }) => [Number(meta.toString()), request?.length ?? 0]);
  };

  it('returns every record once, in order and complete, from memory or from the disk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const journal = open({ segmentBytes: 3 * KIB * KIB });
        const written: [number, number][] = [];
        const shipped: [number, number][] = [];
        for (const action of steps) {
          if (action.kind === 'flush') journal.flush();
          else if (action.kind === 'ship')
            shipped.push(...(await ship(journal, action.records, action.bytes)));
          else {
            for (let i = 0; i < action.count; i += 1) {
              written.push([written.length, action.bytes]);
              const body = Buffer.alloc(action.bytes, written.length);
              journal.append(String(written.length - 1), body, null, () => undefined);
            }
          }
        }
        journal.flush();
        for (let more = await ship(journal, 500, KIB * KIB); more.length > 0;) {
          shipped.push(...more);
          more = await ship(journal, 500, KIB * KIB);
        }
        expect(shipped).toEqual(written);
        expect(journal.hasBacklog()).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('does not overwrite the bytes of a batch while later records fill all buffers', async () => {
    const journal = open();
    const body = Buffer.alloc(200 * KIB, 7);
    for (let id = 0; id < 4; id += 1) journal.append(String(id), body, null, () => undefined);
    journal.flush();
    const batch = await journal.read(500, KIB * KIB);
    const before = Buffer.from(batch?.bytes ?? []);
    for (let id = 4; id < 60; id += 1)
      journal.append(String(id), Buffer.alloc(200 * KIB, id), null, () => undefined);
    journal.flush();
    expect(batch?.count).toBe(4);
    expect(batch?.bytes.equals(before)).toBe(true);
  });
  it('runs the callback of whenBacklog once when the backlog reaches the size', () => {
    const journal = open();
    let calls = 0;
    journal.whenBacklog(100 * KIB, () => (calls += 1));
    journal.append('1', Buffer.alloc(60 * KIB), null, () => undefined);
    journal.flush();
    expect(calls).toBe(0);
    for (let id = 0; id < 3; id += 1) {
      journal.append('2', Buffer.alloc(60 * KIB), null, () => undefined);
      journal.flush();
    }
    expect(calls).toBe(1);
  });
});
