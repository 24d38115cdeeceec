import type { AttemptRecord, LogRecord } from '@gw/contracts';
import { AuditLogEntity } from '@gw/entities';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { SimulationResponse } from './simulation.view';

const PATH = '/v1/configs/simulate';
const PAIR = [{ provider: '@first' }, { provider: '@second' }];
const FALLBACK = {
  strategy: { mode: 'fallback' },
  retry: { attempts: 1 },
  targets: PAIR,
};

const admin = new TestAdminApi();
const tenant = admin.sharedTenant();
const other = admin.sharedTenant();

const call = (body: object, key: string = tenant.key): Promise<GatewayResponse> =>
  admin.post(PATH, { key, body });

async function simulation(body: object): Promise<SimulationResponse> {
  const { status, text } = await call(body);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as SimulationResponse;
}

const respondedBy = async (body: object): Promise<string | null> =>
  (await simulation(body)).decision.answered_by;

async function save(config: object): Promise<{ readonly id: string; readonly slug: string }> {
  const body = { name: 'Saved', config };
  return (await admin.post<{ id: string; slug: string }>('/v1/configs', { key: tenant.key, body })).body;
}

describe('translations of a simulated request', () => {
  const body = {
    model: 'claude-sonnet-4-5',
    seed: 7,
    temperature: 1.5,
    messages: [{ role: 'user', content: 'Hi' }],
  };
  const targets = [{ provider: '@claude' }, { provider: 'groq' }, { provider: '@nobody' }];
  const FALLBACKS = { strategy: { mode: 'fallback' }, targets };

  beforeAll(async () => {
    const integration = {
      name: 'Claude',
      ai_provider_id: 'anthropic',
      key: 'sk-ant-0123456789',
      slug: 'claude',
    };
    const made = await admin.post('/v1/integrations', {
      key: tenant.key,
      body: { ...integration, default_provider_slug: 'claude' },
    });
    expect(made.status).toBe(200);
  });

  it('show what each target would lose, or why it would refuse', async () => {
    const { translations } = await simulation({ config: FALLBACKS, request: { body } });
    expect(translations).toEqual([
      {
        target: 'config.targets[0]',
        provider: '@claude',
        translation: 'openai-chat>anthropic-messages',
        losses: [],
        more_losses: 0,
        refused: {
          type: 'unsupported_by_provider',
          param: 'temperature',
          message: expect.stringContaining('translation.loss') as unknown,
        },
      },
      {
        ...{ target: 'config.targets[1]', provider: 'groq', translation: null },
        ...{ losses: [], more_losses: 0, refused: null },
      },
    ]);
  });

  it('follow the setting of the config and that of the workspace', async () => {
    const lossesOf = async (config: object): Promise<string[] | undefined> => {
      const { translations } = await simulation({ config, request: { body } });
      return translations[0]?.losses.map(({ path, code }) => `${path} ${code}`);
    };
    const lost = expect.arrayContaining(['temperature approximated', 'seed dropped']) as unknown;
    expect(await lossesOf({ ...FALLBACKS, translation: { loss: 'adapt' } })).toEqual(lost);
    const set = (loss: string | null) =>
      admin.put(`/v1/admin/workspaces/${tenant.workspaceId}`, {
        key: tenant.adminKey,
        body: { settings: { translation_loss: loss } },
      });
    expect((await set('adapt')).status).toBe(200);
    expect(await lossesOf(FALLBACKS)).toEqual(lost);
    await set(null);
    expect(await lossesOf(FALLBACKS)).toEqual([]);
  });

  it.each<[naming: string, request: object]>([
    ['x-gw-provider', { headers: { 'X-GW-Provider': '@claude' } }],
    ['x-gw-provider with a model', { headers: { 'x-gw-provider': '@claude/claude-sonnet-4-5' } }],
    ['x-gw-virtual-key', { headers: { 'x-gw-virtual-key': 'claude' } }],
    ['the model', { body: { ...body, model: '@claude/claude-sonnet-4-5' } }],
  ])('show the provider that the request names by %s', async (_, request) => {
    const { translations } = await simulation({
      config: { retry: { attempts: 1 } },
      request: { body, ...request },
    });
    expect(translations).toMatchObject([
      { target: 'config', provider: '@claude', translation: 'openai-chat>anthropic-messages' },
    ]);
  });

  it('are absent without a body, or on a path that calls no model', async () => {
    expect((await simulation({ config: FALLBACKS })).translations).toEqual([]);
    const request = { body, url: '/v1/files' };
    expect((await simulation({ config: FALLBACKS, request })).translations).toEqual([]);
  });
});

describe('POST /v1/configs/simulate', () => {
  it('returns the plan and the decision for the given outcomes', async () => {
    const { object, plan, decision } = await simulation({
      config: FALLBACK,
      outcomes: [
        { status: 503 },
        { status: 429, retry_after_ms: 200 },
        { failure: 'timeout' },
        { status: 200 },
      ],
    });
    expect(object).toBe('simulation');
    expect(plan.map(({ target, provider, retry }) => [target, provider, retry])).toEqual([
      ['config.targets[0]', '@first', 0],
      ['config.targets[0]', '@first', 1],
      ['config.targets[1]', '@second', 0],
      ['config.targets[1]', '@second', 1],
    ]);
    expect(decision).toMatchObject({
      attempts: [{ status: 503 }, { status: 429, retry: 1 }, { status: null, failure: 'timeout' }],
      end: 'targets_exhausted',
      answered_by: 'config.targets[1]',
      strategy: ['config: fallback -> targets[0]', 'config: fallback -> targets[1]'],
    });
  });

  it('falls back after a 503 and ends with the 200', async () => {
    const config = { ...FALLBACK, retry: { attempts: 0 } };
    const { decision } = await simulation({ config, outcomes: [{ status: 503 }, { status: 200 }] });
    expect(decision).toMatchObject({
      attempts: [
        { target: 'config.targets[0]', status: 503 },
        { target: 'config.targets[1]', status: 200 },
      ],
      end: 'answered',
      answered_by: 'config.targets[1]',
    });
  });

  it('evaluates conditions on metadata, headers of any case, path, model and time', async () => {
    const condition = (query: object): object => ({
      strategy: { mode: 'conditional', conditions: [{ query, then: 'special' }], default: 'plain' },
      targets: [{ name: 'plain' }, { name: 'special' }],
    });
    const request = {
      url: 'https://gateway.example.org/v1/messages?beta=true',
      metadata: { plan: 'paid' },
      headers: { 'X-Region': 'eu' },
      body: { model: 'gpt-4o', user: { tier: 2 } },
    };
    const queries = [
      { 'metadata.plan': 'paid' },
      { 'headers.x-region': 'eu' },
      { 'params.user.tier': { $gte: 2 } },
      { 'url.pathname': '/v1/messages' },
      { model: 'gpt-4o' },
      { 'time.of_day': { $gte: '22:00' } },
    ];
    for (const query of queries) {
      const config = condition(query);
      const special = await simulation({ config, request, at: '2026-05-03T23:00:00Z' });
      expect([query, special.decision.answered_by]).toEqual([query, 'config.targets[1]']);
      expect(special.decision.matched_condition).toBe('config.strategy.conditions[0] -> special');
      expect(await respondedBy({ config, at: '2026-05-03T12:00:00Z' })).toBe('config.targets[0]');
    }
  });

  it('uses the given random number for load balancing and canary, and keeps a caller on one target', async () => {
    const balanced = {
      strategy: { mode: 'loadbalance' },
      targets: [{ weight: 3 }, { weight: 1 }, { weight: 0 }],
    };
    expect(await respondedBy({ config: balanced, random: 0.74 })).toBe('config.targets[0]');
    expect(await respondedBy({ config: balanced, random: 0.76 })).toBe('config.targets[1]');
    const canary = { strategy: { mode: 'canary', percentage: 5 }, targets: PAIR };
    expect(await respondedBy({ config: canary, random: 0.04 })).toBe('config.targets[1]');
    expect(await respondedBy({ config: canary, random: 0.06 })).toBe('config.targets[0]');
    const half = {
      strategy: { mode: 'canary', percentage: 50, hash_fields: ['metadata._user'] },
      targets: PAIR,
    };
    const placed = new Set<string | null>();
    for (let user = 0; user < 16; user += 1) {
      const body = { config: half, request: { metadata: { _user: String(user) } } };
      const place = await respondedBy({ ...body, random: 0.1 });
      expect(await respondedBy({ ...body, random: 0.9 })).toBe(place);
      placed.add(place);
    }
    expect(placed.size).toBe(2);
  });

  it('refuses an invalid config with all its faults, and invalid inputs', async () => {
    const config = {
      strategy: { mode: 'fallbck' },
      targets: [],
      retries: {},
      custom_host: 'http://127.0.0.1/',
    };
    const { status, body } = await call({ config });
    const { error } = body as { error: { code: string; type: string; details: { path: string }[] } };
    expect([status, error.code, error.type]).toEqual([400, 'AB01', 'config_invalid']);
    expect(error.details.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['strategy.mode', 'targets', 'retries', 'custom_host']),
    );
    const wrong = [
      {},
      { config: [] },
      { config: 5 },
      { config: 'a/b' },
      { config: FALLBACK, outcomes: [{ elapsed_ms: 5 }] },
      { config: FALLBACK, outcomes: [{ status: 700 }] },
      { config: FALLBACK, random: 1 },
      { config: FALLBACK, request: { url: 'no address' } },
      { config: FALLBACK, log_id: 'x' },
    ];
    for (const each of wrong) expect([each, (await call(each)).status]).toEqual([each, 400]);
  });

  it('accepts a saved config by slug or id, and returns 404 for one of another tenant', async () => {
    const { id, slug } = await save(FALLBACK);
    const written = await simulation({ config: FALLBACK });
    expect(await simulation({ config: slug })).toEqual(written);
    expect(await simulation({ config: id })).toEqual(written);
    for (const config of [id, slug]) expect((await call({ config }, other.key)).status).toBe(404);
    expect((await call({ config: 'pc-nobody-000000' })).status).toBe(404);
  });

  it('writes nothing', async () => {
    const { slug } = await save(FALLBACK);
    const counts = (): Promise<number> => admin.dataSource.manager.count(AuditLogEntity);
    const before = await counts();
    await simulation({ config: slug });
    expect(await counts()).toBe(before);
  });

  it('matches the example and the members in docs/configs.md', async () => {
    const document = readFileSync(resolve(__dirname, '../../../../../docs/configs.md'), 'utf8');
    const [, example = ''] = /```http\nPOST \/v1\/configs\/simulate\n\n(.*?)```/s.exec(document) ?? [];
    const { decision } = await simulation(JSON.parse(example) as object);
    expect(decision).toMatchObject({ end: 'answered', answered_by: 'config.targets[1]' });
    const { schemas = {} } = admin.api.document.components ?? {};
    const members = ['SimulateConfigDto', 'SimulatedRequestDto', 'OutcomeDto'].flatMap((name) =>
      Object.keys((schemas[name] as { properties: object }).properties),
    );
    const missing = members.filter((name) => name !== 'workspace_id' && !document.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});

describe('simulation of a log', () => {
  const attempt = (changes: Partial<AttemptRecord>): AttemptRecord => ({
    target: 'config',
    provider: 'openai',
    credential: null,
    model: 'gpt-4o',
    retry: 0,
    status: null,
    end: 'answered',
    reason: null,
    startedMs: 0,
    durationMs: 10,
    ...changes,
  });

  async function logged(attempts: readonly AttemptRecord[]): Promise<LogRecord> {
    const { organisationId, workspaceId } = tenant;
    const sample = sampleLogRecord({ organisationId, workspaceId, metadata: { plan: 'paid' } });
    const record = { ...sample, decision: { ...sample.decision, attempts } };
    await ensureLogPartitions(admin.dataSource, [dayOf(record.createdAt)]);
    const request = Buffer.from('{"model":"requested-model","user":"u"}');
    await insertLogs(admin.dataSource.manager, [{ row: requestLogRow(record), request, response: null }]);
    return record;
  }

  it('uses the request and the outcomes of the log, unless the call contains its own', async () => {
    const { id: log_id } = await logged([
      attempt({ end: 'status', status: 500 }),
      attempt({ end: 'timeout', durationMs: 900 }),
      attempt({ end: 'answered', status: 200 }),
    ]);
    const query = {
      'metadata.plan': 'paid',
      'params.user': 'u',
      model: 'requested-model',
      'url.pathname': '/v1/chat/completions',
    };
    const config = {
      strategy: { mode: 'conditional', conditions: [{ query, then: 'draft' }] },
      targets: [{ ...FALLBACK, name: 'draft' }],
    };
    const { decision } = await simulation({ config, log_id });
    expect(decision).toMatchObject({
      attempts: [
        { target: 'config.targets[0].targets[0]', status: 500 },
        { target: 'config.targets[0].targets[0]', retry: 1, failure: 'timeout' },
        { target: 'config.targets[0].targets[1]', status: 200 },
      ],
      answered_by: 'config.targets[0].targets[1]',
    });
    const same = await simulation({ config, log_id, request: { headers: { 'x-region': 'eu' } } });
    expect(same.decision).toEqual(decision);
    const changed = await simulation({ config, log_id, outcomes: [{ status: 200 }] });
    expect(changed.decision.attempts).toHaveLength(1);
    const free = await simulation({ config, log_id, request: { metadata: { plan: 'free' } } });
    expect(free.decision.end).toBe('condition_unmatched');
  });

  it('counts a hedged pair once and skips cancelled attempts', async () => {
    const { id: log_id } = await logged([
      attempt({ end: 'status', status: 503, hedge: 'first', durationMs: 50 }),
      attempt({ end: 'status', status: 502, hedge: 'second', startedMs: 20, durationMs: 100 }),
      attempt({ end: 'cancelled', hedge: 'first' }),
      attempt({ end: 'answered', status: 201, hedge: 'second' }),
    ]);
    const { decision } = await simulation({ config: FALLBACK, log_id });
    expect(decision.attempts.map(({ status }) => status)).toEqual([502, 201]);
  });

  it('replays a denied attempt as denied, and an interrupted stream as one that can be continued', async () => {
    const { id: log_id } = await logged([
      attempt({ end: 'denied', status: null }),
      attempt({ end: 'interrupted', status: 200 }),
      attempt({ end: 'answered', status: 200 }),
    ]);
    const { decision } = await simulation({ config: { ...FALLBACK, on_stream_failure: 'continue' }, log_id });
    expect(decision.attempts.map(({ failure }) => failure)).toEqual(['denied', 'cut', null]);
    const failing = await simulation({ config: FALLBACK, log_id });
    expect(failing.decision.attempts.map(({ failure }) => failure)).toEqual(['denied', 'cut']);
  });

  it('returns 404 for a log of another tenant, and 403 without the right to read logs', async () => {
    const { id: log_id } = await logged([]);
    expect((await call({ config: FALLBACK, log_id }, other.key)).status).toBe(404);
    const { organisationId, workspaceId } = tenant;
    const at = { organisationId, workspaceId };
    const reader = await admin.apiKey('workspace-service', at, ['configs.read']);
    expect((await call({ config: FALLBACK }, reader)).status).toBe(200);
    const { status, body } = await call({ config: FALLBACK, log_id }, reader);
    expect([status, body['error']]).toEqual([403, expect.objectContaining({ type: 'scope_missing' })]);
    const both = await admin.apiKey('workspace-service', at, ['configs.read', 'logs.view']);
    expect((await call({ config: FALLBACK, log_id }, both)).status).toBe(200);
  });
});
