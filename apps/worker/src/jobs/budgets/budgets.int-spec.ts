import type { ChargeRecord } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditLogEntity,
  dataSourceOptions,
  IntegrationEntity,
  IntegrationWorkspaceEntity,
  OrganisationEntity,
  ProviderEntity,
  UsageLimitPolicyEntity,
  UsageLimitPolicyValueEntity,
  WorkspaceEntity,
  type StoredUsageLimit,
} from '@gw/entities';
import { uuidv7, DAY_MS, UNITS_PER_USD } from '@gw/kernel';
import { insertLogs, ensureLogPartitions, dayOf, requestLogRow } from '@gw/log-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import { DataSource } from 'typeorm';
import { LimitAlerts } from '../../alerts/limit-alerts';
import { BudgetStates } from '../../ledger/budget-states';
import { LedgerBook } from '../../ledger/ledger-book';
import { BudgetsProcessor } from './budgets.processor';
import { dueOwners, exhaustedOwners } from './owners-to-check.queries';

const stored = (over: Partial<StoredUsageLimit> = {}): StoredUsageLimit => ({
  type: 'cost',
  credit_limit: 1,
  alert_threshold: null,
  periodic_reset: null,
  periodic_reset_days: null,
  next_usage_reset_at: null,
  status: 'active',
  ...over,
});

describe('budgets job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const workspaceId = uuidv7();
  let book: LedgerBook;
  let states: BudgetStates;
  let secrets = 0;

  beforeAll(async () => {
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    await manager.insert(WorkspaceEntity, { id: workspaceId, organisationId, slug: 'w', name: 'w' });
    const today = dayOf(new Date());
    // Midnight may pass during these tests.
    await ensureLogPartitions(database.dataSource, [today, today + 1]);
  });
  beforeEach(() => {
    book = new LedgerBook(database.dataSource);
    states = new BudgetStates(database.dataSource, book, new LimitAlerts(null, false), (error) => {
      throw error;
    });
    book.onTouched = (budgets) => states.touched(budgets);
  });
  afterEach(() => states.stop());

  async function key(usageLimits: StoredUsageLimit): Promise<string> {
    const id = uuidv7();
    const { manager } = database.dataSource;
    await manager.insert(ApiKeyEntity, {
      ...{ id, type: 'workspace-service', organisationId, workspaceId, name: 'k', scopes: [], usageLimits },
    });
    const secretHash = String((secrets += 1)).padStart(64, '0');
    await manager.insert(ApiKeySecretEntity, { secretHash, apiKeyId: id, masked: 'a', state: 'current' });
    return id;
  }
  const read = (id: string): Promise<ApiKeyEntity> =>
    database.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id });

  /** Stores a charge as a gateway's record would. */
  async function spend(usd: number, ...counters: (readonly [string, number])[]): Promise<void> {
    const charge: ChargeRecord = {
      ...{ line: 'primary', provider: 'openai', tokens: 1, requests: 1, flags: [] },
      cost: usd * UNITS_PER_USD,
      counters,
    };
    const sample = sampleLogRecord({ organisationId });
    const record = { ...sample, decision: { ...sample.decision, charges: [charge] } };
    const entries = [{ row: requestLogRow(record), request: null, response: null }];
    const touched = await database.dataSource.transaction(async (manager) =>
      book.enter(manager, entries, await insertLogs(manager, entries)),
    );
    book.committed(touched);
    await states.flush();
  }
  const run = (nowMs = Date.now()): Promise<void> =>
    new BudgetsProcessor(database.dataSource, states, true, () => nowMs).process();
  const audits = (resourceId: string): Promise<AuditLogEntity[]> =>
    database.dataSource.manager.findBy(AuditLogEntity, { resourceId, action: 'reset_usage' });
  const change = async (): Promise<string[]> => {
    const [row] = await database.dataSource.query<{ changed: string[] }[]>(
      'SELECT changed FROM change_events ORDER BY sequence DESC LIMIT 1',
    );
    return row?.changed ?? [];
  };

  it('shows a key as exhausted once its balance reaches the limit, and notifies the gateways', async () => {
    const id = await key(stored());
    const counter = [`api_key:${id}:cost:budget`, 0] as const;
    await spend(0.99, counter);
    expect(await read(id)).toMatchObject({ status: 'active', usageLimits: { status: 'active' } });
    await spend(0.01, counter);
    expect(await read(id)).toMatchObject({ status: 'exhausted', usageLimits: { status: 'exhausted' } });
    expect(await change()).toEqual([expect.stringMatching(/^api_key:/)]);
  });

  it('[LIM-04] [REL-07 in part] shows a key as active again when its limit is raised above its usage', async () => {
    const id = await key(stored());
    await spend(1, [`api_key:${id}:cost:budget`, 0]);
    const row = await read(id);
    row.usageLimits = stored({ credit_limit: 1, status: 'exhausted' });
    await database.dataSource.manager.save(row);
    await run();
    expect((await read(id)).status).toBe('exhausted');
    row.usageLimits = stored({ credit_limit: 2, status: 'exhausted' });
    await database.dataSource.manager.save(row);
    await run();
    expect(await read(id)).toMatchObject({ status: 'active', usageLimits: { status: 'active' } });
  });

  it.each([
    ['weekly', '2027-01-04', '2027-01-11'],
    ['monthly', '2027-01-01', '2027-02-01'],
    ['monthly', '2027-01-31', '2027-02-28'],
    [10, '2027-01-05', '2027-01-15'],
    [null, '2027-01-05', null],
  ] as const)(
    '[LIM-03] records the reset of %p due on %s at its boundary, and the next one on %s',
    async (every, due, next) => {
      const id = await key(
        stored({
          periodic_reset: typeof every === 'number' ? null : every,
          periodic_reset_days: typeof every === 'number' ? every : null,
          next_usage_reset_at: `${due}T00:00:00.000Z`,
          status: 'exhausted',
        }),
      );
      const boundary = Date.parse(`${due}T00:00:00.000Z`);
      await run(boundary - 1);
      expect((await read(id)).lastResetAt).toBeNull();
      await run(boundary + DAY_MS / 2);
      expect(await read(id)).toMatchObject({
        lastResetAt: new Date(boundary),
        usageLimits: {
          status: 'active',
          next_usage_reset_at: next === null ? null : `${next}T00:00:00.000Z`,
        },
      });
      // A clock that goes back and a second run change nothing.
      await run(boundary - DAY_MS);
      await run(boundary + DAY_MS / 2);
      expect(await audits(id)).toHaveLength(1);
    },
  );

  it('keeps a budget exhausted that was used up between its boundary and the recorded reset', async () => {
    const due = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
    const id = await key(stored({ periodic_reset_days: 1, next_usage_reset_at: due.toISOString() }));
    await spend(1, [`api_key:${id}:cost:budget`, due.getTime()]);
    expect((await read(id)).status).toBe('exhausted');
    await run();
    expect(await read(id)).toMatchObject({
      ...{ lastResetAt: due, status: 'exhausted' },
      usageLimits: { status: 'exhausted', next_usage_reset_at: new Date(+due + DAY_MS).toISOString() },
    });
  });

  it('checks budgets with a pool of a single connection', async () => {
    const id = await key(stored());
    await spend(1, [`api_key:${id}:cost:budget`, 0]);
    await database.dataSource.manager.update(
      ApiKeyEntity,
      { id },
      { status: 'active', usageLimits: stored() },
    );
    const options = { url: database.url, poolSize: 1, applicationName: 'test' };
    const narrow = await new DataSource(dataSourceOptions(options)).initialize();
    try {
      const alerts = new LimitAlerts(null, false);
      const own = new BudgetStates(narrow, new LedgerBook(narrow), alerts, (error) => {
        throw error;
      });
      await own.refresh({ scope: 'api_key', id, group: null });
    } finally {
      await narrow.destroy();
    }
    expect((await read(id)).status).toBe('exhausted');
  });

  it('bud-18: records one reset with one audit row when two workers find it at the same time', async () => {
    const id = await key(
      stored({ periodic_reset: 'weekly', next_usage_reset_at: '2026-03-02T00:00:00.000Z' }),
    );
    await Promise.all([run(), run(), run()]);
    expect(await audits(id)).toHaveLength(1);
  });

  it('does not check archived owners, whose limits stay due for ever', async () => {
    const { manager } = database.dataSource;
    const past = '2026-01-01T00:00:00.000Z';
    const limit = stored({ next_usage_reset_at: past, periodic_reset: 'monthly', status: 'exhausted' });
    const live = await key(limit);
    const keyId = await key(limit);
    await manager.update(ApiKeyEntity, { id: keyId }, { status: 'archived' });
    const gone = uuidv7();
    await manager.insert(WorkspaceEntity, {
      ...{ id: gone, organisationId, slug: 'gone', name: 'gone', usageLimits: [limit], status: 'archived' },
    });
    const integrationId = uuidv7();
    const at = { organisationId, slug: 'gone', name: 'gone', status: 'archived' as const };
    await manager.insert(IntegrationEntity, { ...at, id: integrationId, aiProviderId: 'openai' });
    const providerId = uuidv7();
    await manager.insert(ProviderEntity, {
      ...at,
      id: providerId,
      integrationId,
      workspaceId,
      usageLimits: limit,
    });
    const access = { id: uuidv7(), integrationId, workspaceId, enabled: true, usageLimits: [limit] };
    await manager.insert(IntegrationWorkspaceEntity, access);
    const due = (await dueOwners(manager, new Date())).map(({ id }) => id);
    const exhausted = (await exhaustedOwners(manager)).map(({ id }) => id);
    for (const found of [due, exhausted]) {
      expect(found).toContain(live);
      expect(found.filter((id) => [keyId, gone, providerId, integrationId].includes(id))).toEqual([]);
    }
  });

  it('tracks each value of a policy separately from its first charge', async () => {
    const policyId = uuidv7();
    await database.dataSource.manager.insert(UsageLimitPolicyEntity, {
      ...{ id: policyId, organisationId, workspaceId, name: 'p', type: 'cost', creditLimit: 1 },
      ...{ conditions: [], groupBy: ['api_key'], status: 'active' },
    });
    const counter = (value: string) => [`policy:${policyId}:cost:budget:${value}`, 0] as const;
    await spend(1, counter('api_key:a'));
    await spend(0.5, counter('api_key:b'));
    const values = await database.dataSource.manager.find(UsageLimitPolicyValueEntity, {
      where: { policyId },
      order: { valueKey: 'ASC' },
    });
    expect(values.map(({ valueKey, status }) => [valueKey, status])).toEqual([
      ['api_key:a', 'exhausted'],
      ['api_key:b', 'active'],
    ]);
    await database.dataSource.manager.update(UsageLimitPolicyEntity, { id: policyId }, { creditLimit: 3 });
    await run();
    expect(
      await database.dataSource.manager.countBy(UsageLimitPolicyValueEntity, { policyId, status: 'active' }),
    ).toBe(2);
  });
});
