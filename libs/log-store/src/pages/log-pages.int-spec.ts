import { isSuccess, type LogRecord } from '@gw/contracts';
import { FeedbackEntity } from '@gw/entities';
import { HOUR_MS, DAY_MS } from '@gw/kernel';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import fc from 'fast-check';
import type { Bounds, LogFilter, LogOwner } from './log-conditions';
import { listLogs } from './log-pages.queries';
import { dayOf, dropLogPartition, ensureLogPartitions } from '../rows/log-partitions';
import { setLogPrices } from '../rows/log-prices.queries';
import { insertLogs } from '../rows/log-writer.queries';
import { requestLogRow, type RequestLogRow } from '../rows/log-columns';
import { nextZoneRanges } from '../zones/log-zones.queries';
import { unzonedDays, zoneDay } from '../zones/unzoned-days.queries';

const ORGANISATION = '11111111-1111-4111-8111-111111111111';
const workspace = (n: number): string => `22222222-2222-4222-8222-00000000000${String(n)}`;
/** Noon of yesterday, so that the hours before it are on the same day. */
const NOW = (dayOf(new Date()) - 1) * DAY_MS + DAY_MS / 2;
/** Number of the newest rows that a page scans first (`SCANNED_FIRST`). */
const SCANNED_FIRST = 2_000;

const ALL: LogFilter = {
  owner: { organisationId: ORGANISATION, workspaceId: workspace(1) },
  values: {},
  ranges: {},
  statuses: [],
  streamed: null,
  metadata: {},
  after: null,
};
const EVERYWHERE: LogOwner = { organisationId: ORGANISATION, workspaceId: null };

describe('listLogs', () => {
  const database = testDatabase();
  const put = async (records: readonly Partial<LogRecord>[]): Promise<RequestLogRow[]> => {
    const rows = records.map((changes) =>
      requestLogRow(sampleLogRecord({ organisationId: ORGANISATION, workspaceId: workspace(1), ...changes })),
    );
    await ensureLogPartitions(database.dataSource, new Set(rows.map((row) => dayOf(row.created_at))));
    await insertLogs(
      database.dataSource.manager,
      rows.map((row) => ({ row, request: null, response: null })),
    );
    return rows;
  };
  const at = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR_MS).toISOString();
  const list = async (changes: Partial<LogFilter>, limit = 50): Promise<string[]> =>
    (await listLogs(database.dataSource.manager, { ...ALL, ...changes }, limit)).map(({ id }) => id);
  const stored: RequestLogRow[] = [];

  beforeAll(async () => {
    const ordinary = Array.from({ length: SCANNED_FIRST + 200 }, (_, i) => ({
      createdAt: at(i / (SCANNED_FIRST + 200)),
      workspaceId: workspace(1 + (i % 11 === 0 ? 1 : 0)),
    }));
    stored.push(...(await put(ordinary)));
    stored.push(...(await put(fc.sample(oddRecord, { numRuns: 3_000, seed: 7 }))));
  });

  it('[SVC-02] returns the same pages for any filter as a scan of all logs, however few and old the matches are', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter(stored), fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
        const expected = newestFirst(stored.filter((row) => matches(row, filter)));
        const first = await listLogs(database.dataSource.manager, filter, limit);
        expect(first.map(({ id }) => id)).toEqual(expected.slice(0, limit).map(({ id }) => id));
        const last = first.at(-1);
        if (!last) return;
        const after = { createdAt: last.created_at, id: last.id };
        const second = await listLogs(database.dataSource.manager, { ...filter, after }, limit);
        expect(second.map(({ id }) => id)).toEqual(expected.slice(limit, 2 * limit).map(({ id }) => id));
      }),
      { numRuns: 150 },
    );
  });

  it('reads only the minutes in which the workspace has a log that can match', async () => {
    const [[rare]] = [await put([{ createdAt: at(50), durationMs: 7_654_321.5, workspaceId: workspace(3) }])];
    const filter: LogFilter = { ...ALL, ranges: { duration_ms: { min: 7_654_321.5 } } };
    const ranges = async (owner: LogOwner): Promise<unknown> =>
      (await nextZoneRanges(database.dataSource.manager, { ...filter, owner }, null, 100)).ranges;
    expect(await ranges(ALL.owner)).toEqual([]);
    const start = new Date(Math.floor((NOW - 50 * HOUR_MS) / 300_000) * 300_000);
    const expected = [{ start, end: new Date(start.getTime() + 300_000) }];
    expect(await ranges({ ...ALL.owner, workspaceId: workspace(3) })).toEqual(expected);
    expect(await ranges(EVERYWHERE)).toEqual(expected);
    expect(await list({ ...filter, owner: EVERYWHERE })).toEqual([rare?.id]);
  });

  it('finds logs by a new price, by later feedback, and after a repeated record', async () => {
    const [old] = await put([{ createdAt: at(40), traceId: 'judged' }]);
    if (!old) throw new Error('nothing was stored');
    await setLogPrices(database.dataSource.manager, [
      { id: old.id, createdAt: old.created_at, cost: 987_654_321, decision: old.decision, priced: 'priced' },
    ]);
    expect(await list({ ranges: { cost: { min: 987_654_321, max: 987_654_321 } } })).toEqual([old.id]);

    const feedback = { organisationId: ORGANISATION, workspaceId: workspace(1), traceId: 'judged' };
    await database.dataSource
      .getRepository(FeedbackEntity)
      .insert({ id: old.id, ...feedback, value: 7, weight: 1, metadata: {}, source: 'api' });
    expect(await list({ feedback: { min: 7, max: 7 } })).toEqual([old.id]);
    expect(await list({ feedback: { min: 8 } })).toEqual([]);

    const repeated = { id: old.id, createdAt: old.created_at };
    const [, late] = await put([repeated, { createdAt: at(41), model: 'late' }]);
    expect(await list({ values: { response_model: [late?.response_model ?? ''], model: ['late'] } })).toEqual(
      [late?.id],
    );
  });

  it('reads all logs of a day with incomplete zones, and builds the same zones as the ingest', async () => {
    const { dataSource } = database;
    const day = new Date(Math.floor((NOW - 200 * HOUR_MS) / DAY_MS) * DAY_MS);
    const zones = (): Promise<unknown[]> =>
      dataSource.query(
        `SELECT * FROM log_zones WHERE start >= $1 AND start < $1::timestamptz + interval '24 hours'
         ORDER BY owner_id, minutes, start`,
        [day],
      );
    const [rare] = await put([
      { createdAt: at(200), provider: 'rare-1', cost: 2 ** 40 + 1 },
      { createdAt: at(200.01), retries: 3, userId: 'user-1', durationMs: 0.000_000_1 },
      { createdAt: at(201), provider: null, model: null, usage: null, cost: null, streamed: true },
      { createdAt: at(201), organisationId: null, workspaceId: null },
      { createdAt: at(201), workspaceId: null, errorType: 'rate_limited', status: 429 },
    ]);
    const zonesOfIngest = await zones();
    expect(zonesOfIngest).not.toHaveLength(0);
    await dataSource.query(
      `DELETE FROM log_zones WHERE start >= $1 AND start < $1::timestamptz + interval '24 hours'`,
      [day],
    );
    expect(await list({ values: { provider: ['rare-1'] } })).toEqual([]);
    await dataSource.query(
      `INSERT INTO unzoned_log_days (start, known_at) VALUES ($1, now() - interval '2 hours')`,
      [day],
    );
    expect(await list({ values: { provider: ['rare-1'] } })).toEqual([rare?.id]);
    expect(await unzonedDays(dataSource)).toEqual([day]);
    await zoneDay(dataSource, day);
    expect(await unzonedDays(dataSource)).toEqual([]);
    expect(await zones()).toEqual(zonesOfIngest);
    expect(await list({ values: { provider: ['rare-1'] } })).toEqual([rare?.id]);
  });

  it('deletes the zones of a day with its logs', async () => {
    const [old] = await put([{ createdAt: at(24 * 60) }]);
    const zones = (): Promise<unknown[]> =>
      database.dataSource.query('SELECT FROM log_zones WHERE start < $1', [new Date(NOW - 59 * DAY_MS)]);
    expect(await zones()).not.toHaveLength(0);
    await dropLogPartition(database.dataSource, dayOf(old?.created_at ?? ''));
    expect(await zones()).toEqual([]);
  });
});

const odd = <T>(usual: T, ...values: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );

/** Records that are mostly alike, with an unusual value now and then. */
const oddRecord: fc.Arbitrary<Partial<LogRecord>> = fc
  .record({
    createdAt: fc
      .integer({ min: 1, max: 4 * DAY_MS })
      .map((age) => new Date(NOW - HOUR_MS - age).toISOString()),
    workspaceId: fc.constantFrom(workspace(1), workspace(1), workspace(1), workspace(2), null),
    apiKeyId: odd<string | null>(
      '33333333-3333-4333-8333-333333333333',
      '33333333-3333-4333-8333-3333333333ab',
      null,
    ),
    userId: odd<string | null>(null, 'ann', 'BOB'),
    spanId: odd<string | null>(null, 'span-1'),
    traceId: odd('trace-1', 'trace-2', 'trace-3'),
    provider: odd<string | null>('openai', 'anthropic', 'mistral-ai', null),
    model: odd<string | null>('gpt-4o', 'GPT-4o', 'gpt4o', 'ünï \\ "quoted"', 'half \ud83d', null),
    route: odd('chat.completions', 'embeddings'),
    status: odd(200, 201, 401, 429, 500, 0, 101, 304, 446),
    outcome: odd<LogRecord['outcome']>(
      'ok',
      'provider_error',
      'denied',
      'failed',
      'client_closed',
      'interrupted',
    ),
    errorType: odd<string | null>(null, 'rate_limited'),
    streamed: odd(false, true),
    cacheStatus: odd('DISABLED', 'HIT', 'MISS'),
    retries: odd(0, 1, 5),
    cost: odd<number | null>(45_000, null, 0, 45_001, 10 ** 15 + 1, 10 ** 15),
    durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    firstByteMs: odd<number | null>(110.25, null, 99_999.125),
    gatewayId: odd('gateway-1', 'gateway-2'),
    metadata: odd<Record<string, string>>({ team: 'a' }, { team: 'b' }),
  })
  .map(({ cacheStatus, ...rest }) => ({ ...rest, cacheStatus: cacheStatus }));

const NAMES = [
  'api_key_id',
  'user_id',
  'provider',
  'model',
  'route',
  'outcome',
  'error_type',
  'cache_status',
  'gateway_id',
  'span_id',
  'trace_id',
] as const;
const MEASURES = ['status', 'cost', 'total_tokens', 'duration_ms', 'first_byte_ms', 'retries'] as const;

/** Filters by one to three values of stored logs, or by values that no log has. */
function anyFilter(rows: readonly RequestLogRow[]): fc.Arbitrary<LogFilter> {
  const row = fc.constantFrom(...rows.slice(-3_000));
  const value = fc
    .tuple(fc.constantFrom(...NAMES), fc.array(row, { minLength: 1, maxLength: 3 }))
    .map(([name, seen]): Partial<LogFilter> => {
      const values = seen.flatMap((each) => each[name] ?? []);
      return {
        values: { [name]: values.length > 0 ? values : [name === 'api_key_id' ? workspace(9) : 'none'] },
      };
    });
  const range = fc
    .tuple(fc.constantFrom(...MEASURES), row, fc.constantFrom('min', 'max', 'both'))
    .map(([name, seen, kind]): Partial<LogFilter> => {
      const bound = seen[name] ?? 7;
      const bounds = { ...(kind === 'max' ? {} : { min: bound }), ...(kind === 'min' ? {} : { max: bound }) };
      return { ranges: { [name]: bounds } };
    });
  const statuses = fc
    .constantFrom<[number, number][]>(
      [[400, 499]],
      [[401, 401]],
      [[0, 0]],
      [[201, 450]],
      [
        [500, 599],
        [201, 201],
      ],
    )
    .map((ranges): Partial<LogFilter> => ({ statuses: ranges }));
  const others = fc.constantFrom<Partial<LogFilter>>(
    { streamed: true },
    { isSuccess: true },
    { isSuccess: false },
    { metadata: { team: 'b' } },
    { providerModels: [['anthropic', 'gpt-4o']] },
    {
      providerModels: [
        ['openai', 'gpt4o'],
        ['mistral-ai', 'gpt-4o'],
      ],
    },
  );
  const owner = fc.constantFrom<LogOwner>(
    ALL.owner,
    EVERYWHERE,
    { ...EVERYWHERE, workspaceId: workspace(2) },
    { ...ALL.owner, userId: 'ann' },
  );
  const ago = fc.integer({ min: 0, max: 5 * DAY_MS }).map((age) => new Date(NOW - age));
  const time = fc.option(fc.record({ min: ago, max: ago }, { requiredKeys: [] }), { nil: {} });
  const narrowing = fc.array(fc.oneof(value, value, range, range, statuses, others), {
    minLength: 1,
    maxLength: 3,
  });
  return fc.tuple(owner, narrowing, time).map(([filterOwner, parts, created]) =>
    parts.reduce<LogFilter>(
      (filter, part) => ({
        ...filter,
        ...part,
        values: { ...filter.values, ...part.values },
        ranges: { ...filter.ranges, ...part.ranges },
      }),
      { ...ALL, owner: filterOwner, ranges: { created_at: created } },
    ),
  );
}

/** Returns whether one log matches a filter, without SQL. */
function matches(row: RequestLogRow, filter: LogFilter): boolean {
  const { owner, values, ranges, statuses, streamed, isSuccess: wanted, metadata } = filter;
  const { providerModels = [] } = filter;
  return [
    row.organisation_id === owner.organisationId,
    owner.workspaceId === null || row.workspace_id === owner.workspaceId,
    typeof owner.userId !== 'string' || row.user_id === owner.userId,
    NAMES.every((name) => isAmong(row[name], values[name])),
    isWithin(Date.parse(row.created_at), ranges.created_at),
    MEASURES.every((name) => isWithin(row[name], ranges[name])),
    statuses.length === 0 || statuses.some(([from, to]) => row.status >= from && row.status <= to),
    streamed === null || row.streamed === streamed,
    wanted === undefined || isSuccess(row) === wanted,
    Object.entries(metadata).every(([name, value]) => row.metadata[name] === value),
    providerModels.length === 0 ||
      providerModels.some(([provider, model]) => row.provider === provider && row.model === model),
  ].every(Boolean);
}

/** Returns the text as the database stores it. */
const storable = (text: string): string => Buffer.from(text).toString();
const isAmong = (value: string | null, requested: readonly string[] | undefined): boolean =>
  requested === undefined || (value !== null && requested.map(storable).includes(storable(value)));

function isWithin(value: number | null, { min, max }: Bounds<number | Date> = {}): boolean {
  if (min === undefined && max === undefined) return true;
  return value !== null && value >= Number(min ?? -Infinity) && value <= Number(max ?? Infinity);
}

const newestFirst = (rows: readonly RequestLogRow[]): RequestLogRow[] =>
  [...rows].sort((one, other) => {
    const [a, b] = [one, other].map((row) => `${row.created_at}/${row.id}`) as [string, string];
    return a < b ? 1 : Number(a > b) * -1;
  });
