import { createHmac } from 'node:crypto';
import type { ChargeRecord } from '@gw/contracts';
import {
  AlertWebhookEntity,
  ApiKeyEntity,
  AuditLogEntity,
  claimMail,
  OrganisationEntity,
  OrganisationUserEntity,
  UsageLimitPolicyEntity,
  UserEntity,
  webhookBinding,
  WorkspaceEntity,
  WorkspaceUserEntity,
  type StoredUsageLimit,
} from '@gw/entities';
import {
  createAddressPolicy,
  parseTrustedHosts,
  seal,
  sealingKeyring,
  uuidv7,
  UNITS_PER_USD,
} from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { BufferedClient } from '@gw/outbound';
import { sampleLogRecord, StubProvider, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { LimitAlerts } from '../../alerts/limit-alerts';
import { BudgetStates } from '../../ledger/budget-states';
import { LedgerBook } from '../../ledger/ledger-book';
import { AlertsProcessor } from './alerts.processor';
import { WebhookSender } from './webhook-sender';

const SECRET = Buffer.alloc(32, 7);
const keyring = sealingKeyring(Buffer.alloc(32, 9));

describe('budget alerts', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const workspaceId = uuidv7();
  let stub: StubProvider;
  let users = 0;

  /** Simulates several worker processes: each has its own ledger book and states. */
  const worker = (): { book: LedgerBook; states: BudgetStates } => {
    const book = new LedgerBook(database.dataSource);
    const alerts = new LimitAlerts(keyring, true);
    const states = new BudgetStates(database.dataSource, book, alerts, (error) => {
      throw error;
    });
    return { book, states };
  };
  const processor = (trusted = '127.0.0.1'): AlertsProcessor => {
    const policy = createAddressPolicy({ trustedHosts: parseTrustedHosts(trusted) });
    const sender = new WebhookSender(new BufferedClient({ policy }));
    return new AlertsProcessor(database.dataSource, sender, keyring, createLog('test', 'silent'));
  };

  beforeAll(async () => {
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    await manager.insert(WorkspaceEntity, { id: workspaceId, organisationId, slug: 'w', name: 'w' });
    const today = dayOf(new Date());
    // Midnight may pass during these tests.
    await ensureLogPartitions(database.dataSource, [today, today + 1]);
  });
  beforeEach(async () => {
    stub = await StubProvider.start();
    stub.respond({ status: 204 });
    await database.dataSource.query('TRUNCATE mails, alert_webhooks, alert_deliveries, budget_marks');
  });
  afterEach(() => stub.stop());

  async function key(limit: Partial<StoredUsageLimit>, more: Partial<ApiKeyEntity> = {}): Promise<string> {
    const id = uuidv7();
    const usageLimits: StoredUsageLimit = {
      ...{ type: 'cost', credit_limit: 10, alert_threshold: null, periodic_reset: null },
      ...{ periodic_reset_days: null, next_usage_reset_at: null, status: 'active' },
      ...limit,
    };
    await database.dataSource.manager.insert(ApiKeyEntity, {
      ...{ id, type: 'workspace-service', organisationId, workspaceId, name: 'Batch key', scopes: [] },
      usageLimits,
      ...more,
    });
    return id;
  }
  async function webhook(more: Partial<AlertWebhookEntity> = {}): Promise<string> {
    const id = uuidv7();
    await database.dataSource.manager.insert(AlertWebhookEntity, {
      ...{ id, organisationId, workspaceId, name: 'h', url: `${stub.origin}/hook`, enabled: true },
      sealedSecret: seal(keyring, SECRET, webhookBinding(id)),
      ...more,
    });
    return id;
  }
  /** Stores a charge as a gateway's record would, before the budget is checked. */
  async function spend(usd: number, counter: string, book = worker().book): Promise<void> {
    const charge: ChargeRecord = {
      ...{ line: 'primary', provider: 'openai', tokens: 1, requests: 1, flags: [] },
      cost: Math.round(usd * UNITS_PER_USD),
      counters: [[counter, 0]],
    };
    const sample = sampleLogRecord({ organisationId });
    const record = { ...sample, decision: { ...sample.decision, charges: [charge] } };
    const entries = [{ row: requestLogRow(record), request: null, response: null }];
    await database.dataSource.transaction(async (manager) =>
      book.enter(manager, entries, await insertLogs(manager, entries)),
    );
  }
  const look = (): Promise<void> => worker().states.catchUp();
  const counterOf = (id: string): string => `api_key:${id}:cost:budget`;
  const reported = async (counter: string): Promise<{ kind: string; amount: number }[]> => {
    const rows: { kind: string; amount: string }[] = await database.dataSource.query(
      'SELECT kind, amount FROM limit_alerts WHERE counter = $1 ORDER BY created_at, kind DESC',
      [counter],
    );
    return rows.map(({ kind, amount }) => ({ kind, amount: Number(amount) / UNITS_PER_USD }));
  };
  const mails = async (): Promise<{ to: string; text: string }[]> => {
    const found: { to: string; text: string }[] = [];
    for (;;) {
      const mail = await claimMail(database.dataSource.manager, keyring);
      if (!mail) return found.sort((one, other) => (one.to < other.to ? -1 : 1));
      found.push({ to: mail.recipient, text: mail.message.paragraphs.join('\n') });
    }
  };
  const waiting = async (): Promise<number> => {
    const [row] = await database.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM alert_deliveries',
    );
    return row.count;
  };
  const makeDue = (): Promise<unknown> =>
    database.dataSource.query(`UPDATE alert_deliveries SET due_at = now() - interval '1 second'`);
  async function user(role: 'owner' | 'admin' | 'member', inTeam?: 'admin' | 'manager' | 'member') {
    const { manager } = database.dataSource;
    const id = uuidv7();
    const email = `u${String((users += 1))}@example.com`;
    await manager.insert(UserEntity, { id, email });
    await manager.insert(OrganisationUserEntity, { organisationId, userId: id, role });
    if (inTeam) await manager.insert(WorkspaceUserEntity, { workspaceId, userId: id, role: inTeam });
    return { id, email };
  }

  it('creates one alert for each reached amount, with several workers', async () => {
    const id = await key({ alert_threshold: 5 });
    await spend(4.9, counterOf(id));
    await look();
    expect(await reported(counterOf(id))).toEqual([]);
    await spend(1, counterOf(id));
    await Promise.all([look(), look(), look()]);
    expect(await reported(counterOf(id))).toEqual([{ kind: 'threshold', amount: 5 }]);
    await spend(1, counterOf(id));
    await look();
    expect(await reported(counterOf(id))).toHaveLength(1);
    await spend(9, counterOf(id));
    await Promise.all([look(), look(), look()]);
    expect(await reported(counterOf(id))).toEqual([
      { kind: 'threshold', amount: 5 },
      { kind: 'exhausted', amount: 10 },
    ]);
    const audits = await database.dataSource.manager.findBy(AuditLogEntity, {
      ...{ resourceId: id, action: 'alert' },
    });
    expect(audits).toHaveLength(2);
  });

  it('creates alerts even if the worker that stored the charges died before the check', async () => {
    const id = await key({});
    await spend(10, counterOf(id));
    await look();
    expect(await reported(counterOf(id))).toEqual([{ kind: 'exhausted', amount: 10 }]);
    expect(await database.dataSource.manager.findOneBy(ApiKeyEntity, { id })).toMatchObject({
      status: 'exhausted',
    });
    expect(await database.dataSource.query('SELECT * FROM budget_marks')).toEqual([]);
  });

  it('creates an alert again in the next period and for another threshold', async () => {
    const id = await key({ alert_threshold: 5 });
    const { manager } = database.dataSource;
    await spend(6, counterOf(id));
    await look();
    const row = await manager.findOneByOrFail(ApiKeyEntity, { id });
    row.usageLimits = { ...(row.usageLimits as StoredUsageLimit), alert_threshold: 6 };
    await manager.save(row);
    await spend(0.5, counterOf(id));
    await look();
    expect((await reported(counterOf(id))).map(({ amount }) => amount)).toEqual([5, 6]);
    await manager.update(ApiKeyEntity, { id }, { lastResetAt: new Date(Date.now() - 60_000) });
    const charge = { period: Date.now() - 60_000, cost: 6 * UNITS_PER_USD };
    await database.dataSource.query(
      `INSERT INTO ledger_balances (organisation_id, account, period, cost, tokens, requests)
       VALUES ($1, $2, $3, $4, 0, 0)`,
      [organisationId, `limit:${counterOf(id)}`, charge.period + 1_000, charge.cost],
    );
    await worker().states.refresh({ scope: 'api_key', id, group: null });
    expect((await reported(counterOf(id))).map(({ amount }) => amount)).toEqual([5, 6, 6]);
  });

  it('posts alerts with a signature that covers the id, the time and the body', async () => {
    await webhook();
    const id = await key({ alert_threshold: 5 });
    await spend(5, counterOf(id));
    await look();
    await Promise.all([processor().process(), processor().process(), processor().process()]);
    expect(stub.requests).toHaveLength(1);
    const [{ headers, body }] = stub.requests as unknown as [
      { headers: Record<string, string>; body: Buffer },
    ];
    const text = body.toString('utf8');
    const event = JSON.parse(text) as { id: string };
    expect(event).toMatchObject({
      type: 'limit.threshold_reached',
      data: {
        ...{ scope: 'api_key', id, name: 'Batch key', workspace_id: workspaceId, type: 'cost' },
        ...{ organisation_id: organisationId, credit_limit: 10, alert_threshold: 5, current_usage: 5 },
        ...{ period_started_at: null, resets_at: null },
      },
    });
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
    expect(headers['webhook-id']).toBe(event.id);
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`,
    );
    expect(await waiting()).toBe(0);
  });

  it('posts alerts only to enabled webhooks of the workspace and of the organisation', async () => {
    const other = uuidv7();
    await database.dataSource.manager.insert(WorkspaceEntity, {
      ...{ id: other, organisationId, slug: `w-${other.slice(-8)}`, name: 'other' },
    });
    await webhook({ url: `${stub.origin}/team` });
    await webhook({ url: `${stub.origin}/all`, workspaceId: null });
    await webhook({ url: `${stub.origin}/off`, enabled: false });
    await webhook({ url: `${stub.origin}/other`, workspaceId: other });
    const id = await key({});
    await spend(10, counterOf(id));
    await look();
    await processor().process();
    expect(stub.requests.map(({ url }) => url).sort()).toEqual(['/all', '/team']);
  });

  it('retries a refused delivery a bounded number of times under the same id', async () => {
    await webhook();
    stub.respond({ status: 500 });
    const id = await key({});
    await spend(10, counterOf(id));
    await look();
    for (let attempts = 1; attempts <= 7; attempts += 1) {
      await processor().process();
      await processor().process();
      expect(stub.requests).toHaveLength(attempts);
      await makeDue();
    }
    expect(await waiting()).toBe(0);
    expect(new Set(stub.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('posts no alert to an internal address, even if one is saved', async () => {
    await webhook();
    const id = await key({});
    await spend(10, counterOf(id));
    await look();
    await processor('').process();
    expect(stub.connections).toBe(0);
    expect(await waiting()).toBe(1);
  });

  it('delivers alerts to other receivers while one receiver hangs', async () => {
    const silent = await StubProvider.start();
    silent.respond({ neverRespond: true });
    await webhook({ url: `${silent.origin}/hang` });
    await webhook();
    const id = await key({});
    await spend(10, counterOf(id));
    await look();
    const running = processor().process();
    await silent.waitForRequest();
    await stub.waitForRequest();
    await silent.stop();
    await running;
    expect(await waiting()).toBe(1);
  });

  it('mails alerts to owners, admins, workspace managers, the key’s user and the key’s alert addresses', async () => {
    const owner = await user('owner');
    const admin = await user('admin');
    const lead = await user('member', 'admin');
    const manager = await user('member', 'manager');
    await user('member', 'member');
    const own = await user('member', 'member');
    const id = await key(
      { alert_threshold: 5 },
      { type: 'workspace-user', userId: own.id, alertEmails: ['Ops@Example.com', owner.email] },
    );
    await spend(6, counterOf(id));
    await Promise.all([look(), look()]);
    const sent = await mails();
    const expected = [owner, admin, lead, manager, own].map(({ email }) => email);
    expect(sent.map(({ to }) => to)).toEqual([...expected, 'ops@example.com'].sort());
    expect(sent[0]?.text).toContain('“Batch key” has reached its alert threshold: 6 USD of 10 USD');
  });

  it('[LIM-03] creates alerts separately for each value of a policy', async () => {
    const policyId = uuidv7();
    await database.dataSource.manager.insert(UsageLimitPolicyEntity, {
      ...{ id: policyId, organisationId, workspaceId, name: 'p', type: 'cost', creditLimit: 10 },
      ...{ alertThreshold: 5, conditions: [], groupBy: ['api_key'], status: 'active' },
    });
    await webhook();
    const counter = (value: string): string => `policy:${policyId}:cost:budget:${value}`;
    await spend(6, counter('api_key:a'));
    await spend(4, counter('api_key:b'));
    await look();
    await processor().process();
    expect(stub.requests.map(({ body }) => JSON.parse(String(body)) as unknown)).toMatchObject([
      { data: { scope: 'policy', id: policyId, value_key: 'api_key:a', current_usage: 6 } },
    ]);
  });
});
