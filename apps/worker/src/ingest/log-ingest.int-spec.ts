import { decodeFrames, encodeFrame } from '@gw/journal';
import { DAY_MS } from '@gw/kernel';
import {
  dayOf,
  decodeLogBodies,
  ensureLogPartitions,
  findLog,
  PostgresAnalytics,
  quarantinedLogs,
  quarantineLog,
} from '@gw/log-store';
import { analyticsQueries, sampleLogRecord, testDatabase } from '@gw/testing';
import type { AnalyticsQueryCase } from '@gw/analytics';
import type { LogRecord } from '@gw/contracts';
import { createLog } from '@gw/web';
import { LedgerBook } from '../ledger/ledger-book';
import { LogBodyPacker } from './log-bodies';
import { LogIngest, type Stored } from './log-ingest';
import { LogPartitions } from './log-partitions.service';

const quiet = createLog('test', 'silent');

describe('LogIngest', () => {
  const database = testDatabase();
  let partitions: LogPartitions;
  let ingest: LogIngest;

  beforeEach(async () => {
    partitions = new LogPartitions(database.dataSource);
    await partitions.prepareAhead();
    ingest = new LogIngest(
      database.dataSource,
      partitions,
      new LedgerBook(database.dataSource),
      new LogBodyPacker(null, quiet),
      quiet,
    );
  });

  const frame = (record: object, request: Buffer | null = null, response: Buffer | null = null): Buffer =>
    encodeFrame(JSON.stringify(record), request, response) as Buffer;
  const store = (...frames: Buffer[]): Promise<Stored> =>
    ingest.store(decodeFrames(Buffer.concat(frames)).frames);
  const ownerOf = ({ organisationId, workspaceId }: LogRecord) => ({
    organisationId: organisationId as string,
    workspaceId,
  });
  const find = (record: LogRecord) => findLog(database.dataSource.manager, ownerOf(record), record.id);
  const quarantined = (
    id: string,
  ): Promise<{ stored_bare: boolean; workspace_id: string; request: Buffer | null }[]> =>
    database.dataSource.query('SELECT * FROM quarantined_logs WHERE log_id = $1', [id]);
  const countOf = async (table: string, id: string): Promise<number> => {
    const rows: { count: number }[] = await database.dataSource.query(
      `SELECT count(*)::int AS count FROM ${table} WHERE id = $1`,
      [id],
    );
    return rows[0]?.count ?? 0;
  };

  it('[SVC-02] stores status, provider, model, tokens, cost, latency, key, workspace, trace and both bodies', async () => {
    const record = sampleLogRecord({ traceId: 'svc-02' });
    const [request, response] = [Buffer.from([0, 1, 255]), Buffer.from('{"choices":[]}')];
    await expect(store(frame(record, request, response))).resolves.toEqual({ accepted: 1, rejected: 0 });
    const found = await find(record);
    expect(found).toMatchObject({
      id: record.id,
      created_at: new Date(record.createdAt),
      status: 200,
      provider: 'openai',
      model: 'gpt-4o',
      input_tokens: '100',
      output_tokens: '20',
      total_tokens: '120',
      cost: '45000',
      duration_ms: 120.5,
      api_key_id: record.apiKeyId,
      workspace_id: record.workspaceId,
      trace_id: 'svc-02',
      metadata: { environment: 'test' },
      decision: record.decision,
    });
    expect(decodeLogBodies(found?.content as Buffer)).toEqual({ request, response });
  });

  it.each([
    ['30 days ahead', new Date(Date.now() + 30 * DAY_MS).toISOString()],
    ['in 1970', '1970-01-01T00:00:10.000Z'],
  ])(
    'stores records of a clock that is %s once, under their time of first arrival, and marks them as skewed [faults D7]',
    async (_when, createdAt) => {
      const [skewed, other] = [sampleLogRecord({ createdAt }), sampleLogRecord()];
      const before = Date.now() - 1_000;
      expect(await store(frame(skewed, Buffer.from('asked')), frame(other))).toEqual({
        accepted: 2,
        rejected: 0,
      });
      expect(await store(frame(skewed, Buffer.from('asked')))).toEqual({ accepted: 1, rejected: 0 });
      expect(await countOf('request_logs', skewed.id)).toBe(1);
      const found = await find(skewed);
      expect(found?.created_at.getTime()).toBeGreaterThan(before);
      expect(found?.decision).toMatchObject({ clockSkewed: { createdAt } });
      expect(decodeLogBodies(found?.content as Buffer).request?.toString()).toBe('asked');
      expect((await find(other))?.decision).not.toHaveProperty('clockSkewed');
      expect(ingest.counts).toMatchObject({ stored: 2, known: 1, rejected: 0, skewed: 2 });
    },
  );

  it('stores a record once that was ahead of the accepted times at first and no longer is', async () => {
    const createdAt = new Date(Date.now() + DAY_MS + 60_000).toISOString();
    const record = sampleLogRecord({ createdAt });
    await store(frame(record));
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000);
    try {
      expect(await store(frame(record))).toEqual({ accepted: 1, rejected: 0 });
    } finally {
      clock.mockRestore();
    }
    expect(await countOf('request_logs', record.id)).toBe(1);
    expect(ingest.counts).toMatchObject({ stored: 1, known: 1 });
  });

  it('stores a record once that was on the oldest accepted day at first and no longer is', async () => {
    const record = sampleLogRecord({ createdAt: new Date(Date.now() - 30 * DAY_MS).toISOString() });
    const { dataSource } = database;
    const [book, bodies] = [new LedgerBook(dataSource), new LogBodyPacker(null, quiet)];
    for (const days of [30, 29]) {
      const own = new LogIngest(dataSource, new LogPartitions(dataSource, days), book, bodies, quiet);
      await own.store(decodeFrames(frame(record)).frames);
    }
    expect(await countOf('request_logs', record.id)).toBe(1);
    expect((await find(record))?.created_at.toISOString()).toBe(record.createdAt);
  });

  it('[SVC-02] stores denied and failed requests, which have no key, provider, model, usage or cost', async () => {
    const bare = {
      apiKeyId: null,
      provider: null,
      model: null,
      usage: null,
      cost: null,
      priced: 'no_usage',
    } as const;
    const denied = sampleLogRecord({ ...bare, status: 403, outcome: 'denied', errorType: 'scope_missing' });
    const unknown = sampleLogRecord({
      ...bare,
      organisationId: null,
      workspaceId: null,
      status: 401,
      outcome: 'denied',
    });
    await expect(store(frame(denied), frame(unknown))).resolves.toEqual({ accepted: 2, rejected: 0 });
    expect(await find(denied)).toMatchObject({ status: 403, total_tokens: null, cost: null, content: null });
    expect(await countOf('request_logs', unknown.id)).toBe(1);
  });

  it('stores a repeated batch once, including bodies', async () => {
    const records = Array.from({ length: 50 }, () => sampleLogRecord());
    const batch = records.map((record) => frame(record, Buffer.from('in'), Buffer.from('out')));
    await store(...batch);
    await Promise.all([store(...batch), store(...batch.slice(10)), store(...batch, ...batch)]);
    for (const { id } of records) {
      expect(await countOf('request_logs', id)).toBe(1);
      expect(await countOf('request_log_bodies', id)).toBe(1);
    }
  });

  it('widens the zone maps of new logs, and does not write those that already contain their values', async () => {
    const workspaceId = '55555555-5555-4555-8555-555555555555';
    const createdAt = new Date().toISOString();
    const storeOne = (cost: number): Promise<Stored> =>
      store(frame(sampleLogRecord({ workspaceId, createdAt, cost })));
    /** Returns each zone map with the transaction that wrote it last. */
    const zones = (): Promise<{ cost_high: number; xmin: string }[]> =>
      database.dataSource.query(
        'SELECT minutes, cost_high, xmin FROM log_zones WHERE owner_id = $1 ORDER BY minutes',
        [workspaceId],
      );
    await storeOne(7);
    const first = await zones();
    expect(first).toMatchObject([
      { minutes: 5, cost_high: 7 },
      { minutes: 1440, cost_high: 7 },
    ]);
    await storeOne(7);
    expect(await zones()).toEqual(first);
    await storeOne(8);
    expect((await zones()).map(({ cost_high: high }) => high)).toEqual([8, 8]);
  });

  it('counts a request once in the rollups, even if its batch is repeated or merged with others', async () => {
    const organisationId = '44444444-4444-4444-8444-444444444444';
    const createdAt = new Date(Math.floor(Date.now() / DAY_MS - 2) * DAY_MS + 1).toISOString();
    const records = Array.from({ length: 60 }, () =>
      sampleLogRecord({ organisationId, createdAt, cost: 1_000, metadata: { _user: 'ann' } }),
    );
    const batch = records.map((record) => frame(record));
    await Promise.all([
      store(...batch.slice(0, 40)),
      store(...batch.slice(20), ...batch.slice(20)),
      store(...batch, ...batch),
      store(...batch.slice(10, 30), frame({ ...sampleLogRecord(), workspaceId: 'no uuid' })),
    ]);
    const day = Date.parse(createdAt) - 1;
    const { filter } = analyticsQueries(day)['all of an organisation'] as AnalyticsQueryCase;
    const scope = { organisationId, workspaceId: null, userId: null };
    const times = { from: day, to: day + DAY_MS - 1, bucket: null, by: [], limit: 1 };
    const analytics = new PostgresAnalytics(database.dataSource);
    const plain = { ...times, scope, filter, measures: ['requests', 'cost', 'total_tokens'] } as const;
    const [all] = await analytics.rows(plain);
    expect(all?.values).toMatchObject({ requests: 60, cost: 60_000, total_tokens: 7_200 });
    const [byUser] = await analytics.rows({ ...plain, by: [{ metadata: '_user' }] });
    expect(byUser).toMatchObject({ keys: ['ann'], values: { requests: 60, cost: 60_000 } });
  });

  it('creates partitions for records within a year, and stores records further away under their time of arrival', async () => {
    const at = (days: number): LogRecord =>
      sampleLogRecord({ createdAt: new Date(Date.now() + days * DAY_MS).toISOString() });
    const records = [at(-365), at(-40), at(-1), at(1), at(2)];
    await expect(store(...records.map((record) => frame(record)))).resolves.toEqual({
      accepted: 5,
      rejected: 0,
    });
    for (const record of records) expect(await find(record)).not.toBeNull();
    const far = [at(-400), at(30)];
    const earliest = dayOf(new Date());
    await expect(store(...far.map((record) => frame(record)))).resolves.toEqual({ accepted: 2, rejected: 0 });
    const days = [earliest, dayOf(new Date())];
    for (const record of far) expect(days).toContain(dayOf((await find(record))?.created_at as Date));
  });

  it('recreates a partition that was dropped by another process', async () => {
    const record = sampleLogRecord({ createdAt: new Date(Date.now() - 100 * DAY_MS).toISOString() });
    const later = sampleLogRecord({ createdAt: record.createdAt });
    await store(frame(record));
    const name = `request_logs_${record.createdAt.slice(0, 10).replaceAll('-', '')}`;
    await database.dataSource.query(`DROP TABLE ${name}`);
    await expect(store(frame(later))).resolves.toEqual({ accepted: 1, rejected: 0 });
    expect(await find(later)).not.toBeNull();
  });

  it('lets several workers create the same partitions while others write', async () => {
    const days = Array.from({ length: 5 }, (_, i) => dayOf(new Date()) - 200 - i);
    const record = sampleLogRecord();
    await Promise.all([
      ...Array.from({ length: 4 }, () => ensureLogPartitions(database.dataSource, days)),
      store(frame(record)),
    ]);
    const rows: { count: number }[] = await database.dataSource.query(
      `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'request_logs'::regclass
         AND inhrelid::regclass::text = ANY($1)`,
      [
        days.map(
          (day) => `request_logs_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`,
        ),
      ],
    );
    expect(rows[0]?.count).toBe(5);
    expect(await find(record)).not.toBeNull();
  });

  it('stores the other records of a batch when the database refuses one', async () => {
    const good = Array.from({ length: 9 }, () => sampleLogRecord());
    const bad = { ...sampleLogRecord(), workspaceId: 'not a uuid' };
    const frames = good.map((record) => frame(record));
    frames.splice(4, 0, frame(bad), frame({ id: 'no uuid' }), encodeFrame('no json', null, null) as Buffer);
    await expect(store(...frames)).resolves.toEqual({ accepted: 11, rejected: 1 });
    for (const record of good) expect(await find(record)).not.toBeNull();
    // The workspace is unknown, the organisation is known.
    expect(await find({ ...bad, workspaceId: null })).toMatchObject({ cost: '45000' });
    expect(await quarantined(bad.id)).toMatchObject([
      { stored_bare: true, reason: expect.stringContaining('uuid') },
    ]);
  });

  it('charges and quarantines a record that the worker cannot parse, and stores the other records', async () => {
    const good = sampleLogRecord();
    const poisoned = {
      ...sampleLogRecord(),
      decision: null,
    };
    const body = Buffer.from('{"note":"my key is sk-CANARYPROVIDER0123456789"}');
    const batch = [frame(good), frame(poisoned, body), frame(sampleLogRecord())];
    await expect(store(...batch)).resolves.toEqual({ accepted: 3, rejected: 0 });
    await expect(store(...batch)).resolves.toEqual({ accepted: 3, rejected: 0 });
    expect(await find(good)).not.toBeNull();
    expect(await find(poisoned as never)).toMatchObject({ cost: '45000', request_body_truncated: true });
    const [kept, ...more] = await quarantined(poisoned.id);
    expect(kept).toMatchObject({ stored_bare: true, workspace_id: poisoned.workspaceId });
    expect(more).toEqual([]);
    expect(kept?.request?.toString()).toBe('{"note":"my key is [redacted]"}');
    expect(ingest.quarantine.counts.quarantined).toBeGreaterThan(0);
  });

  it('keeps the newest quarantined records within the caps of a workspace and of the whole quarantine', async () => {
    const manager = database.dataSource.manager;
    await manager.query('TRUNCATE quarantined_logs');
    const add = (logId: string, workspaceId: string, bytes = 10) =>
      quarantineLog(
        manager,
        {
          ...{ logId, workspaceId, reason: 'no\0reason', storedBare: false },
          ...{ meta: Buffer.alloc(bytes), request: null, response: null },
        },
        { recordsMax: 4, recordsOfWorkspaceMax: 2, bytesMax: 45 },
      );
    for (const [id, workspace] of ['a1', 'b2', 'b3', 'b4'].map((id) => [id, id.slice(0, 1)] as const)) {
      await add(id, workspace);
    }
    expect((await quarantinedLogs(manager, 10)).map(({ log_id: id }) => id)).toEqual(['b4', 'b3', 'a1']);
    expect(await add('c5', 'c', 30)).toBe(2);
    expect((await quarantinedLogs(manager, 10)).map(({ log_id: id }) => id)).toEqual(['c5', 'b4']);
  });

  it('stores text that Postgres cannot represent and numbers that providers should not send', async () => {
    const record = sampleLogRecord({
      model: 'a\0b\ud800c',
      metadata: { 'k\0': 'v\udc00', backslash: '\\u0000' },
      // Characters with a special meaning in COPY rows.
      url: '\\N',
      credential: 'tab\t, line\r\n, end\n\\.\n, "quotes" \\t',
      traceId: 'ü'.repeat(5_000),
      usage: {
        ...(sampleLogRecord().usage as NonNullable<LogRecord['usage']>),
        inputTokens: 1.5,
        outputTokens: 1e300,
      },
    });
    await expect(store(frame(record))).resolves.toEqual({ accepted: 1, rejected: 0 });
    const found = await find(record);
    expect(found).toMatchObject({
      model: 'a\ufffdb\ufffdc',
      metadata: { 'k\ufffd': 'v\ufffd', backslash: '\\u0000' },
      url: '\\N',
      credential: 'tab\t, line\r\n, end\n\\.\n, "quotes" \\t',
      input_tokens: '2',
    });
    expect(found?.trace_id).toHaveLength(512);
  });

  it('refuses batches beyond its limit, so that its memory stays bounded', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => store(frame(sampleLogRecord()))),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(24);
    await expect(store(frame(sampleLogRecord()))).resolves.toMatchObject({ accepted: 1 });
  });
});
