import { randomUUID } from 'node:crypto';
import type { GuardrailRecord, LogRecord } from '@gw/contracts';
import { FeedbackEntity } from '@gw/entities';
import { decodeFrames, encodeFrame } from '@gw/journal';
import {
  decodeLogBodies,
  findLog,
  qualityOf,
  quarantinedLogs,
  requestLogRow,
  type RequestLogRow,
} from '@gw/log-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { LedgerBook } from '../ledger/ledger-book';
import { LogBodyPacker } from './log-bodies';
import { LogIngest } from './log-ingest';
import { LogPartitions } from './log-partitions.service';

const quiet = createLog('test', 'silent');

const verdict = (id: string): GuardrailRecord => ({
  stage: 'output',
  id,
  versionId: null,
  verdict: false,
  deny: true,
  async: true,
  monitor: false,
  transformed: false,
  durationMs: 1,
  checks: [{ id: 'default.contains', verdict: false, transformed: false, durationMs: 1, error: null }],
  feedback: null,
});

describe('amendments of log records', () => {
  const database = testDatabase();
  let ingest: LogIngest;

  beforeEach(async () => {
    const { dataSource } = database;
    const partitions = new LogPartitions(dataSource);
    await partitions.prepareAhead();
    ingest = new LogIngest(
      dataSource,
      partitions,
      new LedgerBook(dataSource),
      new LogBodyPacker(null, quiet),
      quiet,
    );
  });

  const runs = async ({ organisationId, workspaceId }: LogRecord, ids = ['soon', 'late']) => {
    const counted = ids.map((guardrail) =>
      qualityOf(database.dataSource.manager, {
        organisationId: organisationId as string,
        workspaceId,
        guardrail,
      }),
    );
    return (await Promise.all(counted)).map((checks) => checks.reduce((sum, { runs }) => sum + runs, 0));
  };

  const make = (): { first: LogRecord; second: LogRecord } => {
    // Each test uses its own workspace, because the counts are per workspace.
    const sample = sampleLogRecord({ workspaceId: randomUUID() });
    const { id } = sample;
    const of = (guardrails: readonly GuardrailRecord[]): LogRecord => ({
      ...sample,
      id,
      decision: { ...sample.decision, guardrails },
    });
    return {
      first: of([verdict('soon')]),
      second: { ...of([verdict('soon'), verdict('late')]), amends: true },
    };
  };
  const bodies = [Buffer.from('asked'), Buffer.from('told')] as const;
  const frameOf = (record: LogRecord): Buffer =>
    encodeFrame(
      JSON.stringify(record),
      record.amends ? null : bodies[0],
      record.amends ? null : bodies[1],
    ) as Buffer;
  const store = async (...batches: readonly (readonly LogRecord[])[]): Promise<void> => {
    for (const batch of batches) await ingest.store(decodeFrames(Buffer.concat(batch.map(frameOf))).frames);
  };
  const found = async ({ id, organisationId, workspaceId }: LogRecord) => {
    const owner = { organisationId: organisationId as string, workspaceId };
    return findLog(database.dataSource.manager, owner, id);
  };

  it.each<readonly [string, (of: { first: LogRecord; second: LogRecord }) => LogRecord[][]]>([
    ['after the first', ({ first, second }) => [[first], [second]]],
    ['in one batch with the first', ({ first, second }) => [[first, second]]],
    ['before the first, which a slower consumer stores later', ({ first, second }) => [[second], [first]]],
    ['followed by a repetition of the first', ({ first, second }) => [[first], [second], [first]]],
    ['twice', ({ first, second }) => [[first], [second, second], [second]]],
  ])(
    'keeps all verdicts and bodies and counts each verdict once when the amendment arrives %s',
    async (_how, batchesOf) => {
      const records = make();
      await store(...batchesOf(records));
      const row = await found(records.first);
      expect(decodeLogBodies(row?.content as Buffer)).toEqual({ request: bodies[0], response: bodies[1] });
      expect(row?.decision).toEqual(records.second.decision);
      expect(await runs(records.first)).toEqual([1, 1]);
    },
  );

  it.each<readonly [string, (of: { first: LogRecord; second: LogRecord }) => LogRecord[][]]>([
    ['after the first', ({ first, second }) => [[first], [second], [second]]],
    ['in one batch with the first', ({ first, second }) => [[first, second]]],
    ['before the first', ({ first, second }) => [[second], [first]]],
  ])('stores the feedback of each guardrail once when the amendment arrives %s', async (_how, batchesOf) => {
    const { first, second } = make();
    // A backslash before `u0000`, and characters that Postgres cannot store.
    const metadata = { text: String.raw`\u0000`, half: '\ud800', nul: '\0' };
    const withFeedback = (record: LogRecord): LogRecord => ({
      ...record,
      decision: {
        ...record.decision,
        guardrails: record.decision.guardrails?.map((each) => ({
          ...each,
          feedback: { value: each.id === 'soon' ? 5 : -5, weight: 1, metadata },
        })),
      },
    });
    await store(...batchesOf({ first: withFeedback(first), second: withFeedback(second) }));
    const { manager } = database.dataSource;
    const rows = await manager.findBy(FeedbackEntity, { workspaceId: first.workspaceId as string });
    expect(rows.map(({ value }) => value).sort((one, other) => one - other)).toEqual([-5, 5]);
    expect(rows[0]?.metadata).toEqual({ ...metadata, half: '\ufffd', nul: '\ufffd' });
    expect(await quarantinedLogs(manager, 1)).toEqual([]);
  });

  it.each([
    ['after the first', false],
    ['before the first', true],
  ])(
    'does not resend a record to the external analytics store when the amendment arrives %s',
    async (_how, isReversed) => {
      const { first, second } = make();
      const reported: RequestLogRow[] = [];
      ingest.addUp = (rows) => {
        reported.push(...rows);
        return Promise.resolve();
      };
      await store(...(isReversed ? [[second], [first]] : [[first], [second]]));
      // The result is the same in either order.
      expect(reported).toEqual([{ ...requestLogRow(first), decision: expect.anything() as unknown }]);
    },
  );
});
