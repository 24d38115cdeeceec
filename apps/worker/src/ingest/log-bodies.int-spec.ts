import { FeedbackEntity } from '@gw/entities';
import { decodeFrames, encodeFrame } from '@gw/journal';
import { createAddressPolicy, uuidv7, DAY_MS } from '@gw/kernel';
import { bodyPlace, dayOf, decodeLogBodies, findLog, logPartitionDays } from '@gw/log-store';
import { DiskObjectStore, S3ObjectStore, type ObjectStore } from '@gw/object-store';
import { BufferedClient } from '@gw/outbound';
import { sampleLogRecord, STUB_S3_KEYS, StubObjectStore, testDatabase } from '@gw/testing';
import type { LogRecord } from '@gw/contracts';
import { createLog } from '@gw/web';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogRetentionProcessor } from '../jobs/log-retention/log-retention.processor';
import { LedgerBook } from '../ledger/ledger-book';
import { LogBodyPacker } from './log-bodies';
import { LogIngest } from './log-ingest';
import { LogPartitions } from './log-partitions.service';

const quiet = createLog('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-bodies-'));

describe('log bodies', () => {
  const database = testDatabase();
  let bucket: StubObjectStore;
  beforeAll(async () => {
    bucket = await StubObjectStore.start();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await bucket.stop();
  });

  const s3 = (): ObjectStore =>
    new S3ObjectStore({
      bucket: 'generations',
      region: 'eu-central-1',
      endpoint: bucket.origin,
      basePath: '',
      credentials: { accessKeyId: STUB_S3_KEYS.keyId, secretAccessKey: STUB_S3_KEYS.secret },
      client: new BufferedClient({ policy: createAddressPolicy({ trustedHosts: ['127.0.0.1'] }) }),
    });
  const partitionsFor = (days?: number): LogPartitions => new LogPartitions(database.dataSource, days);
  const ingestInto = (store: ObjectStore | null): LogIngest => {
    const packer = new LogBodyPacker(store, quiet);
    const { dataSource } = database;
    return new LogIngest(dataSource, partitionsFor(), new LedgerBook(dataSource), packer, quiet);
  };
  const frames = (records: readonly LogRecord[]) =>
    decodeFrames(
      Buffer.concat(
        records.map((record, at) => {
          const text = `the body of ${record.id}`;
          return encodeFrame(
            JSON.stringify(record),
            at % 3 === 0 ? null : Buffer.from(text),
            Buffer.from('out'),
          ) as Buffer;
        }),
      ),
    ).frames;
  const find = async ({ organisationId, workspaceId, id }: LogRecord) => {
    const log = await findLog(
      database.dataSource.manager,
      { organisationId: organisationId as string, workspaceId },
      id,
    );
    if (!log) throw new Error('The log is not there.');
    return log;
  };
  const bodiesOf = async (record: LogRecord, store: ObjectStore) => {
    const { body_ref, content } = await find(record);
    if (content !== null || body_ref === null) throw new Error('The bodies are not in the store.');
    const { key, offset, length } = bodyPlace(body_ref);
    return decodeLogBodies((await store.get(key, { offset, length })) as Buffer);
  };
  const at = (days: number): LogRecord =>
    sampleLogRecord({ createdAt: new Date(Date.now() + days * DAY_MS).toISOString() });

  it.each<[string, () => ObjectStore]>([
    ['the disk', () => new DiskObjectStore(folder)],
    ['S3', s3],
  ])(
    'stores the bodies of a batch on %s as one object for each day, separate from their rows',
    async (_, open) => {
      const store = open();
      const records = [at(0), at(0), at(-1), at(0)];
      await ingestInto(store).store(frames(records));
      await ingestInto(store).store(frames(records));
      for (const [i, record] of records.entries()) {
        const { request, response } = await bodiesOf(record, store);
        expect(request?.toString() ?? null).toBe(i % 3 === 0 ? null : `the body of ${record.id}`);
        expect(response?.toString()).toBe('out');
      }
      const keys = new Set(
        await Promise.all(records.map(async (record) => (await find(record)).body_ref?.split('#')[0])),
      );
      expect(keys.size).toBe(2);
    },
  );

  it('stores bodies in the database while the log store fails', async () => {
    bucket.outage = { status: 503 };
    const ingest = ingestInto(s3());
    const [first, second] = [at(0), at(0)];
    await expect(ingest.store(frames([at(0), first]))).resolves.toMatchObject({ accepted: 2 });
    const requested = bucket.stub.requests.length;
    await ingest.store(frames([at(0), second]));
    expect(bucket.stub.requests).toHaveLength(requested);
    bucket.outage = null;
    for (const record of [first, second]) {
      const { content, body_ref } = await find(record);
      expect(body_ref).toBeNull();
      expect(decodeLogBodies(content as Buffer).request?.toString()).toBe(`the body of ${record.id}`);
    }
  });

  it('calls a failing log store for one day of a batch only', async () => {
    const callsFor = async (...records: LogRecord[]): Promise<number> => {
      const before = bucket.stub.requests.length;
      await ingestInto(s3()).store(frames(records));
      return bucket.stub.requests.length - before;
    };
    bucket.outage = { status: 503 };
    const calls = [await callsFor(at(0)), await callsFor(at(0), at(-1), at(-2))];
    bucket.outage = null;
    expect(calls[0]).toBeGreaterThan(0);
    expect(calls[1]).toBe(calls[0]);
  });

  it('removes bodies with their day after the retention time, and nothing else', async () => {
    const store = new DiskObjectStore(join(folder, 'retention'));
    const records = [at(-40), at(-31), at(-30), at(0)];
    await ingestInto(store).store(frames(records));
    const feedback = (days: number) => ({
      id: uuidv7(),
      organisationId: uuidv7(),
      workspaceId: uuidv7(),
      traceId: 't',
      value: 1,
      weight: 1,
      source: 'api' as const,
      createdAt: new Date(Date.now() + days * DAY_MS),
    });
    await database.dataSource.manager.insert(FeedbackEntity, [feedback(-40), feedback(-1)]);
    const processor = new LogRetentionProcessor(database.dataSource, partitionsFor(), store, 30, quiet);
    await processor.process();
    await processor.process();
    const today = dayOf(new Date());
    const days = await logPartitionDays(database.dataSource.manager);
    expect(days.every((day) => day >= today - 30)).toBe(true);
    const left = readdirSync(join(folder, 'retention', 'bodies')).map((name) => dayOf(name) - today);
    expect(left.sort((a, b) => a - b)).toEqual([-30, 0]);
    await expect(find(records[0] as LogRecord)).rejects.toThrow();
    for (const record of records.slice(2)) expect(await bodiesOf(record, store)).toBeDefined();
    expect(await database.dataSource.manager.count(FeedbackEntity)).toBe(1);
  });

  it('rejects a time beyond the retention or more than a day ahead', () => {
    const accepts = (days: number): boolean =>
      partitionsFor(30).accepts(new Date(Date.now() + days * DAY_MS));
    expect([-31, -30, 0, 0.99, 1.01].map(accepts)).toEqual([false, true, true, true, false]);
  });

  it('finds the bodies of a record whose amendment arrived first, in the same batch or an earlier one', async () => {
    const [first, other] = [sampleLogRecord(), sampleLogRecord()];
    const late = (record: LogRecord): LogRecord => ({ ...record, amends: true });
    const frame = (record: LogRecord, response: Buffer | null) =>
      encodeFrame(JSON.stringify(record), null, response) as Buffer;
    const bodies = new DiskObjectStore(folder);
    const ingest = ingestInto(bodies);
    const store = (...batch: Buffer[]) => ingest.store(decodeFrames(Buffer.concat(batch)).frames);
    await store(frame(late(first), null));
    await store(frame(first, Buffer.from('the first')));
    await store(frame(late(other), null), frame(other, Buffer.from('the other')));
    expect((await bodiesOf(first, bodies)).response?.toString()).toBe('the first');
    expect((await bodiesOf(other, bodies)).response?.toString()).toBe('the other');
  });
});
