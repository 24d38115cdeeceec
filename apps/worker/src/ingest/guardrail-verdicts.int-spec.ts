import { randomUUID } from 'node:crypto';
import type { GuardrailCheckRecord, GuardrailRecord, LogRecord } from '@gw/contracts';
import { decodeFrames, encodeFrame } from '@gw/journal';
import { listVerdicts, markVerdicts, qualityOf, type CheckQuality, type StoredVerdict } from '@gw/log-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { LedgerBook } from '../ledger/ledger-book';
import { LogBodyPacker } from './log-bodies';
import { LogIngest, type Stored } from './log-ingest';
import { LogPartitions } from './log-partitions.service';

const GUARDRAIL = 'pg-3f9a1c';
/** Each test uses its own workspace, because all tests write to one log. */
let workspaceId = '';

const check = (over: Partial<GuardrailCheckRecord> = {}): GuardrailCheckRecord => ({
  id: 'gw.pii',
  verdict: false,
  transformed: false,
  durationMs: 2.5,
  error: null,
  ...over,
});

const judged = (
  checks: readonly unknown[],
  over: Partial<GuardrailRecord> = {},
  more: Partial<LogRecord> = {},
): LogRecord => {
  const record = sampleLogRecord({ workspaceId, ...more });
  const guardrail = {
    stage: 'input',
    id: GUARDRAIL,
    versionId: 'v1',
    verdict: false,
    deny: true,
    async: false,
    monitor: false,
    transformed: false,
    durationMs: 3,
    feedback: null,
    ...over,
    checks: checks as readonly GuardrailCheckRecord[],
  } as const;
  return { ...record, decision: { ...record.decision, guardrails: [guardrail] } };
};

describe('guardrail verdicts', () => {
  const database = testDatabase();
  let ingest: LogIngest;

  beforeEach(async () => {
    workspaceId = randomUUID();
    const partitions = new LogPartitions(database.dataSource);
    await partitions.prepareAhead();
    const book = new LedgerBook(database.dataSource);
    const quiet = createLog('test', 'silent');
    ingest = new LogIngest(database.dataSource, partitions, book, new LogBodyPacker(null, quiet), quiet);
  });

  const store = (...records: readonly object[]): Promise<Stored> =>
    ingest.store(
      decodeFrames(
        Buffer.concat(records.map((record) => encodeFrame(JSON.stringify(record), null, null) as Buffer)),
      ).frames,
    );
  const ownerOf = (record: LogRecord) => ({
    organisationId: record.organisationId as string,
    workspaceId: record.workspaceId,
    guardrail: GUARDRAIL,
  });
  const list = async (record: LogRecord): Promise<StoredVerdict[]> =>
    (await listVerdicts(database.dataSource.manager, ownerOf(record), { skip: 0, take: 100 }))[0];
  const quality = (record: LogRecord): Promise<CheckQuality[]> =>
    qualityOf(database.dataSource.manager, ownerOf(record));

  it('[GRD-02] stores a row for each check that failed or could not decide, and counts every check', async () => {
    const record = judged([
      check(),
      check({ id: 'default.contains', verdict: true }),
      check({ id: 'default.webhook', verdict: true, error: 'The check took longer than 50 ms.' }),
    ]);
    await store(record);
    expect(await list(record)).toMatchObject([
      { check_id: 'default.webhook', verdict: 'errored', place: 2 },
      {
        check_id: 'gw.pii',
        verdict: 'failed',
        place: 0,
        log_id: record.id,
        created_at: new Date(record.createdAt),
        stage: 'input',
        version_id: 'v1',
        denied: true,
        duration_ms: 2.5,
        mark: null,
      },
    ]);
    const none = { false_positives: 0, true_positives: 0, stage: 'input', runs: 1, duration_ms: 2.5 };
    expect(await quality(record)).toEqual([
      { ...none, check_id: 'default.contains', failed: 0, errored: 0 },
      { ...none, check_id: 'default.webhook', failed: 0, errored: 1 },
      { ...none, check_id: 'gw.pii', failed: 1, errored: 0 },
    ]);
  });

  it('stores verdicts once when several workers receive a batch repeatedly', async () => {
    const records = Array.from({ length: 60 }, () => judged([check(), check({ id: 'b', verdict: true })]));
    const [first] = records as [LogRecord, ...LogRecord[]];
    await store(...records.slice(0, 20));
    await Promise.all([store(...records), store(...[...records].reverse()), store(...records.slice(30))]);
    expect((await quality(first)).map(({ runs, failed }) => [runs, failed])).toEqual([
      [60, 0],
      [60, 60],
    ]);
    expect(await list(first)).toHaveLength(60);
  });

  it('counts a denial only for a synchronous guardrail with deny', async () => {
    const records = [judged([check()], { monitor: true }), judged([check()], { async: true })];
    await store(...records);
    expect((await list(records[0] as LogRecord)).map(({ denied }) => denied)).toEqual([false, false]);
  });

  it('stores the log record even if its verdicts are malformed', async () => {
    const odd = judged(
      [
        null,
        5,
        check({ id: 'a\0b' }),
        check({ id: 'a\ufffdb' }),
        check({ id: '\ud800', durationMs: 1e300 }),
        { id: 1 },
      ],
      { id: `${GUARDRAIL}` },
    );
    const more = {
      ...odd,
      id: sampleLogRecord().id,
      decision: { ...odd.decision, guardrails: [7, { checks: 'x' }] },
    };
    const vague = judged([check({ id: 'c' })], { deny: undefined as never });
    await expect(store(odd, more, vague)).resolves.toEqual({ accepted: 3, rejected: 0 });
    expect(await list(vague)).toContainEqual(expect.objectContaining({ check_id: 'c', denied: false }));
    expect((await quality(odd)).map(({ check_id, runs }) => [check_id, runs])).toEqual([
      ['a\ufffdb', 2],
      ['c', 1],
      ['\ufffd', 1],
    ]);
  });

  it('bounds the verdicts of one log record', async () => {
    const record = judged(Array.from({ length: 700 }, () => check()));
    await store(record);
    expect((await quality(record))[0]?.runs).toBe(500);
  });

  it('marks and unmarks verdicts within their workspace', async () => {
    const record = judged([check(), check({ id: 'b', error: 'x' })]);
    const other = judged([check()], {}, { workspaceId: randomUUID() });
    await store(record, other);
    const { manager } = database.dataSource;
    const by = '0a000000-0000-4000-8000-000000000001';
    const mark = (of: LogRecord, to: 'false_positive' | 'true_positive' | null): Promise<number> =>
      markVerdicts(manager, { ...ownerOf(record), logId: of.id }, { mark: to, by, note: 'A name.' });
    expect(await mark(record, 'false_positive')).toBe(1);
    expect(await mark(other, 'false_positive')).toBe(0);
    expect((await list(record)).find(({ verdict }) => verdict === 'failed')).toMatchObject({
      mark: 'false_positive',
      marked_by: by,
      marked_at: expect.any(Date) as Date,
      note: 'A name.',
    });
    expect((await quality(record)).find(({ check_id }) => check_id === 'gw.pii')).toMatchObject({
      failed: 1,
      false_positives: 1,
    });
    await mark(record, null);
    expect((await list(record)).map(({ mark: left, marked_by, note }) => [left, marked_by, note])).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
  });

  it('deletes verdicts with the day of their log', async () => {
    const record = judged([check()]);
    await store(record);
    const day = record.createdAt.slice(0, 10).replaceAll('-', '');
    for (const table of ['guardrail_verdicts', 'guardrail_check_counts', 'request_logs'])
      await database.dataSource.query(`DROP TABLE ${table}_${day}`);
    expect([await list(record), await quality(record)]).toEqual([[], []]);
    await expect(store(record)).resolves.toEqual({ accepted: 1, rejected: 0 });
    expect(await list(record)).toHaveLength(1);
  });
});
