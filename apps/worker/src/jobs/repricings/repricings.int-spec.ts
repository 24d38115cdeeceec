import type { ChargeRecord, LogRecord, Usage } from '@gw/contracts';
import type { FactRow } from '@gw/clickhouse';
import {
  IntegrationEntity,
  IntegrationModelEntity,
  OrganisationEntity,
  RepricingEntity,
  type RepricingReport,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import {
  addToRollups,
  dayOf,
  ensureLogPartitions,
  insertLogs,
  mergeRollups,
  requestLogRow,
} from '@gw/log-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { LedgerBook } from '../../ledger/ledger-book';
import { LogPricer } from './log-pricer';
import { RepricingsProcessor } from './repricings.processor';

/** One cent: a thousand output tokens at 10 USD per million. */
const CENT = 1_000_000;
const usage = (outputTokens: number): Usage => ({
  ...{ inputTokens: 0, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ reasoningTokens: 0, inputAudioTokens: 0, outputAudioTokens: 0 },
});
const NOON = new Date();
NOON.setUTCHours(12, 0, 0, 0);
const hour = (at: number): Date => new Date(NOON.getTime() + at * 3_600_000);

describe('repricings job', () => {
  const database = testDatabase();
  let book: LedgerBook;
  let organisationId: string;
  const processor = (batch?: number): RepricingsProcessor =>
    new RepricingsProcessor(database.dataSource, book, new LogPricer(null), batch);

  beforeAll(async () => {
    book = new LedgerBook(database.dataSource);
    await ensureLogPartitions(database.dataSource, [dayOf(NOON)]);
  });
  beforeEach(async () => {
    organisationId = uuidv7();
    await database.dataSource.manager.insert(OrganisationEntity, {
      ...{ id: organisationId, name: 'Acme', slug: organisationId },
    });
  });

  /**
   * Stores a log that was charged `cost` for 1,000 output tokens of a model at 10 USD per million.
   */
  async function log(
    cost: number | null,
    over: Partial<LogRecord> = {},
    counters?: ChargeRecord['counters'],
  ) {
    const sample = sampleLogRecord({ organisationId });
    const id = uuidv7();
    const line = { unit: 'output', quantity: 1_000, pricePerMillion: 0, cost: cost ?? 0 };
    const charge: ChargeRecord = {
      ...{ line: 'primary', provider: 'openai', cost, tokens: 1_000, requests: 1, counters: counters ?? [] },
      flags: cost === null ? ['unpriced'] : [],
    };
    const record: LogRecord = {
      ...sample,
      ...{
        id,
        createdAt: hour(0).toISOString(),
        provider: 'openai',
        model: 'gpt-4o',
        responseModel: 'gpt-4o',
      },
      ...{ integrationId: null, usage: usage(1_000), cost, priced: cost === null ? 'unpriced' : 'priced' },
      decision: {
        ...sample.decision,
        price: cost === null ? null : { source: 'catalogue', model: 'gpt-4o', lines: [line] },
        ...(counters === undefined ? {} : { charges: [charge] }),
      },
      ...over,
    };
    const entries = [{ row: requestLogRow(record), request: null, response: null }];
    await database.dataSource.transaction(async (manager) => {
      const fresh = await insertLogs(manager, entries);
      await book.enter(manager, entries, fresh);
      await addToRollups(
        manager,
        entries.map(({ row }) => row),
      );
    });
    return id;
  }
  async function ask(over: Partial<RepricingEntity> = {}): Promise<string> {
    const id = uuidv7();
    await database.dataSource.manager.insert(RepricingEntity, {
      ...{ id, organisationId, status: 'previewing', startTime: hour(-1), endTime: hour(1) },
      report: { seen: 0, groups: [] },
      ...over,
    });
    return id;
  }
  const read = (id: string): Promise<RepricingEntity> =>
    database.dataSource.manager.findOneByOrFail(RepricingEntity, { id });
  const apply = async (id: string): Promise<void> => {
    const row = await read(id);
    const report: RepricingReport = { seen: 0, groups: [] };
    Object.assign(row, { status: 'applying', cursorTime: null, cursorId: null, report });
    await database.dataSource.manager.save(row);
  };
  const costs = async (...ids: string[]): Promise<unknown[]> => {
    const rows: { id: string; cost: string | null; priced: string }[] = await database.dataSource.query(
      'SELECT id, cost, priced FROM request_logs WHERE id = ANY($1)',
      [ids],
    );
    return ids.map((id) => {
      const row = rows.find((each) => each.id === id);
      return [row?.cost === null ? null : Number(row?.cost), row?.priced];
    });
  };
  const sums = async (): Promise<unknown> => {
    await mergeRollups(database.dataSource);
    const [row] = await database.dataSource.query<Record<string, string>[]>(
      `SELECT (SELECT sum(cost) FROM request_logs WHERE organisation_id = $1) AS logs,
         (SELECT sum(cost) FROM usage_rollups WHERE organisation_id = $1 AND grain = 15) AS rollups,
         (SELECT sum(requests) FROM usage_rollups WHERE organisation_id = $1 AND grain = 15) AS requests,
         (SELECT sum(cost) FROM ledger_balances WHERE organisation_id = $1 AND account LIKE 'limit:%') AS limits,
         (SELECT sum(cost) FROM ledger_balances WHERE organisation_id = $1 AND account LIKE 'spend:%') AS spending,
         (SELECT sum(cost) FROM ledger_balances WHERE organisation_id = $1) AS books`,
      [organisationId],
    );
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, sum]) => [name, Number(sum)]));
  };

  it('reports the difference of each provider and model before it changes anything', async () => {
    const ids = [await log(2 * CENT), await log(null), await log(CENT)];
    const other = await log(CENT, { model: 'nobody-knows', responseModel: 'nobody-knows' });
    const before = await sums();
    const id = await ask();
    await processor().process();
    expect(await read(id)).toMatchObject({ status: 'previewed' });
    const { report } = await read(id);
    expect(report.seen).toBe(4);
    expect([...report.groups].sort((one) => (one.model === 'gpt-4o' ? -1 : 1))).toEqual([
      { provider: 'openai', model: 'gpt-4o', changed: 2, unpriced: 0, before: 2 * CENT, after: 2 * CENT },
      { provider: 'openai', model: 'nobody-knows', changed: 0, unpriced: 1, before: 0, after: 0 },
    ]);
    expect(await sums()).toEqual(before);
    expect(await costs(...ids, other)).toEqual([
      [2 * CENT, 'priced'],
      [null, 'unpriced'],
      [CENT, 'priced'],
      [CENT, 'priced'],
    ]);
  });

  it('corrects logs, analytics and budgets by the same amount, and the ledger stays balanced', async () => {
    const counter = [['api_key:k:cost:budget', 0]] as const;
    const ids = [
      await log(3 * CENT, {}, counter),
      await log(null, {}, counter),
      await log(CENT, {}, counter),
    ];
    const id = await ask();
    await processor().process();
    await apply(id);
    await processor().process();
    expect((await read(id)).status).toBe('applied');
    expect(await costs(...ids)).toEqual(ids.map(() => [CENT, 'priced']));
    const all = 3 * CENT;
    expect(await sums()).toEqual({
      ...{ logs: all, rollups: all, requests: 3, limits: all, spending: all, books: 0 },
    });
    const counters = [{ key: 'api_key:k:cost:budget', since: 0 }];
    expect(await book.balances({ organisationId, counters })).toMatchObject([
      // Charged 4 cents, corrected by 1: counters receive the correction separately from what
      // gateways counted.
      { period: 0, used: all, adjusted: -CENT },
    ]);
    const [{ decision }] = await database.dataSource.query<[{ decision: LogRecord['decision'] }]>(
      'SELECT decision FROM request_logs WHERE id = $1',
      [ids[1]],
    );
    expect(decision.charges).toMatchObject([{ cost: CENT, flags: [] }]);
    expect(decision.price).toMatchObject({ model: 'gpt-4o', lines: [{ unit: 'output', cost: CENT }] });
  });

  it('prices usage of a batch at the batch discount, by the charge that names the batch', async () => {
    const counters = [['api_key:k:cost:budget', 0]] as const;
    const own = { line: 'primary', provider: 'openai', tokens: 0, requests: 1, flags: [], counters } as const;
    const charges: ChargeRecord[] = [
      { ...own, cost: 2 * CENT, tokens: 1_000, requests: 0, once: 'batch i b1' },
      { ...own, cost: 0 },
    ];
    const sample = sampleLogRecord({ organisationId });
    const line = { unit: 'output', quantity: 1_000, pricePerMillion: 0, cost: 2 * CENT };
    const price = { source: 'catalogue', model: 'gpt-4o', lines: [line] } as const;
    const id = await log(2 * CENT, { decision: { ...sample.decision, price, charges } });
    await apply(await ask());
    await processor().process();
    expect(await costs(id)).toEqual([[CENT / 2, 'priced']]);
    expect(await sums()).toMatchObject({ logs: CENT / 2, limits: CENT / 2, rollups: CENT / 2, books: 0 });
    const [{ decision }] = await database.dataSource.query<[{ decision: LogRecord['decision'] }]>(
      'SELECT decision FROM request_logs WHERE id = $1',
      [id],
    );
    expect(decision.charges).toMatchObject([{ cost: CENT / 2, once: 'batch i b1' }, { cost: 0 }]);
  });

  it('corrects an external analytics store by sending whole rows that replace the stored ones', async () => {
    const ids = [await log(2 * CENT), await log(CENT)];
    const added: FactRow[] = [];
    const reported = processor();
    reported.correctSums = (_manager, _before, after) => {
      added.push(...after);
      return Promise.resolve();
    };
    await apply(await ask());
    await reported.process();
    expect(added).toMatchObject([
      { id: ids[0], cost: CENT, total_tokens: 1_000, trace_id: expect.stringMatching(/./) as unknown },
    ]);
  });

  it('keeps the other charges of a re-priced request', async () => {
    const id = await log(2 * CENT);
    await database.dataSource.query('UPDATE request_logs SET cost = cost + 7 WHERE id = $1', [id]);
    await apply(await ask());
    await processor().process();
    expect(await costs(id)).toEqual([[CENT + 7, 'priced']]);
  });

  it('applies each correction once: on a second run, with several workers, and after a crash', async () => {
    const counter = [['api_key:k:cost:budget', 0]] as const;
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) ids.push(await log(2 * CENT, {}, counter));
    const id = await ask();
    await apply(id);
    // Two workers with batches of two logs.
    await Promise.all([processor(2).process(), processor(2).process()]);
    await processor(2).process();
    expect(await read(id)).toMatchObject({ status: 'applied', report: { seen: 7 } });
    const after = await sums();
    expect(after).toMatchObject({ logs: 7 * CENT, limits: 7 * CENT, rollups: 7 * CENT, books: 0 });
    await apply(id);
    await processor(3).process();
    expect((await read(id)).report).toEqual({ seen: 7, groups: [] });
    expect(await sums()).toEqual(after);
  });

  it('continues after the last committed batch', async () => {
    const ids = [await log(2 * CENT), await log(2 * CENT), await log(2 * CENT)].sort();
    await apply(await ask());
    const row = await database.dataSource.manager.findOneByOrFail(RepricingEntity, { organisationId });
    Object.assign(row, { cursorTime: hour(0), cursorId: ids[1] });
    await database.dataSource.manager.save(row);
    await processor().process();
    expect(await costs(...ids)).toEqual([
      [2 * CENT, 'priced'],
      [2 * CENT, 'priced'],
      [CENT, 'priced'],
    ]);
  });

  it('corrects only logs of its time range, provider, model and organisation', async () => {
    const inside = await log(2 * CENT);
    const others = [
      await log(2 * CENT, { createdAt: hour(1).toISOString() }),
      await log(2 * CENT, { createdAt: hour(-2).toISOString() }),
      await log(2 * CENT, { provider: 'anthropic' }),
      await log(2 * CENT, { model: 'gpt-4o-mini', responseModel: 'gpt-4o-mini' }),
    ];
    const mine = organisationId;
    organisationId = uuidv7();
    others.push(await log(2 * CENT));
    organisationId = mine;
    await apply(await ask({ provider: 'openai', model: 'gpt-4o' }));
    await processor().process();
    expect(await costs(inside, ...others)).toEqual([
      [CENT, 'priced'],
      ...others.map(() => [2 * CENT, 'priced']),
    ]);
  });

  it('does not correct the rest of a usage that another record is charged', async () => {
    const counters = [['api_key:k:cost:budget', 0]] as const;
    const sample = sampleLogRecord({ organisationId });
    const line = { unit: 'rest', quantity: 1_000, pricePerMillion: 0, cost: 2 * CENT };
    const price = { source: 'catalogue', model: 'gpt-4o', lines: [line] } as const;
    const charge: ChargeRecord = {
      ...{ line: 'primary', provider: 'openai', cost: 2 * CENT, tokens: 1_000, requests: 0, flags: [] },
      ...{ once: 'response r1', counters },
    };
    const id = await log(2 * CENT, { decision: { ...sample.decision, price, charges: [charge] } });
    await apply(await ask());
    await processor().process();
    expect(await costs(id)).toEqual([[2 * CENT, 'priced']]);
  });

  it('does not correct usage of several models together', async () => {
    const line = { unit: 'output', quantity: 1_000, pricePerMillion: 0, cost: 2 * CENT };
    const sample = sampleLogRecord();
    const price = { source: 'catalogue', model: null, lines: [line] };
    const id = await log(2 * CENT, { decision: { ...sample.decision, price } });
    await apply(await ask());
    await processor().process();
    expect(await costs(id)).toEqual([[2 * CENT, 'priced']]);
  });

  it('does not correct free, estimated or uncounted usage', async () => {
    const ids = [
      await log(0, { usage: usage(0), priced: 'no_usage' }),
      await log(2 * CENT, { usage: null, priced: 'estimated' }),
    ];
    await apply(await ask());
    await processor().process();
    expect(await costs(...ids)).toEqual([
      [0, 'no_usage'],
      [2 * CENT, 'estimated'],
    ]);
  });

  it('uses the current custom price and the current adjustments of the integration', async () => {
    const { manager } = database.dataSource;
    const integrationId = uuidv7();
    await manager.insert(IntegrationEntity, {
      ...{ id: integrationId, organisationId, slug: 'i', name: 'i', aiProviderId: 'openai' },
      ...{ configurations: {}, allowAllModels: true, secretMappings: [] },
      pricingAdjustments: { multiplier: { default: 2 } },
    });
    // 0.01 cents per token: ten cents for the thousand output tokens of a log.
    const price = { request_token: { price: 0.01 }, response_token: { price: 0.01 } };
    await manager.insert(IntegrationModelEntity, {
      ...{ id: uuidv7(), integrationId, slug: 'mine', name: 'mine', enabled: true, isCustom: true },
      pricingConfig: { type: 'static', pay_as_you_go: price },
    });
    const ids = [
      await log(CENT, { integrationId, model: 'mine', responseModel: 'mine-2026' }),
      await log(CENT, { integrationId }),
    ];
    await apply(await ask());
    await processor().process();
    expect(await costs(...ids)).toEqual([
      [20 * CENT, 'priced'],
      [2 * CENT, 'priced'],
    ]);
  });
});
