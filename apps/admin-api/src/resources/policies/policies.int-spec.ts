import { documentKey, type WorkspaceDocument } from '@gw/contracts';
import { AuditLogEntity, UsageLimitPolicyValueEntity } from '@gw/entities';
import { uuidv7, DAY_MS } from '@gw/kernel';
import { addBalances, addBudgetHours, hourOf, raiseAlert } from '@gw/ledger-store';
import { readCases } from '@gw/testing';
import { DocumentsService } from '../../publishing/documents.service';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { lastEvent, UNKNOWN_ID, type Failure, type List } from '../../spec-support/api-keys';

interface PolicyCase {
  readonly id: string;
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

interface Policy {
  readonly id: string;
  readonly object: string;
  readonly [field: string]: unknown;
}

const USAGE = '/v2/policies/usage-limits';
const RATE = '/v2/policies/rate-limits';
const CONDITIONS = [{ key: 'metadata.team', value: ['search', 'ads'], excludes: 'batch' }];
const GROUP_BY = [{ key: 'api_key' }];
const COMMON = { name: 'Search team', conditions: CONDITIONS, group_by: GROUP_BY };
const usageBody = (more: object = {}): object => ({ ...COMMON, type: 'cost', credit_limit: 10, ...more });
const rateBody = (more: object = {}): object => ({
  ...COMMON,
  type: 'requests',
  unit: 'rpm',
  value: 5,
  ...more,
});
const bodyFor = (url: string): object => (url === USAGE ? usageBody() : rateBody());

const admin = new TestAdminApi();
const ours = admin.sharedTenant();
const theirs = admin.sharedTenant();

async function create(url: string, body = bodyFor(url), key = ours.key): Promise<string> {
  const response = await admin.post<Policy>(url, { key, body });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body.id;
}

const read = async (url: string, id: string): Promise<Policy> =>
  (await admin.get<Policy>(`${url}/${id}`, { key: ours.key })).body;
const put = (url: string, id: string, body: object, key = ours.key): Promise<GatewayResponse<Failure>> =>
  admin.put<Failure>(`${url}/${id}`, { key, body });

async function documentOf({ workspaceId }: Tenant): Promise<WorkspaceDocument> {
  const key = documentKey.workspace(workspaceId);
  const { documents } = await admin.api.app.get(DocumentsService).read([key]);
  return documents[key] as WorkspaceDocument;
}

describe('policies of the case file', () => {
  const { cases } = readCases('policies.json') as { cases: PolicyCase[] };
  const titled = cases
    .filter(({ endpoint }) => /^(?:POST|PUT) \/v2\/policies\//.test(endpoint))
    .map((item): [string, PolicyCase] => [`${item.id} ${item.expect}: ${item.reason}`, item]);

  it('include many cases', () => {
    expect(titled.length).toBeGreaterThan(35);
  });

  it.each(titled)('[CTL-08] [LIM-03] [LIM-05] %s', async (_title, { endpoint, body, expect: expected }) => {
    const [method = '', path = ''] = endpoint.split(' ');
    const url = path.includes('{id}') ? path.replace('{id}', await create(path.replace('/{id}', ''))) : path;
    const response = await admin.call<Failure>(method, url, { key: ours.key, body });
    const allowed = { accept: [200], reject: [400], either: [200, 400] }[expected];
    expect([response.text, allowed.includes(response.status)]).toEqual([response.text, true]);
    if (response.status === 400) {
      expect(response.body.error).toMatchObject({ type: 'validation_failed', code: 'AB01' });
      expect(response.body.error.param).toEqual(expect.any(String));
    }
  });
});

describe('/v2/policies/usage-limits', () => {
  it('[LIM-03] returns what was saved, and rounds the next reset down to midnight UTC', async () => {
    const next_usage_reset_at = '2027-01-31T15:30:00+05:30';
    const id = await create(USAGE, usageBody({ next_usage_reset_at, alert_threshold: 8 }));
    expect(await read(USAGE, id)).toMatchObject({
      ...COMMON,
      id,
      object: 'policy_usage_limits',
      description: null,
      type: 'cost',
      credit_limit: 10,
      alert_threshold: 8,
      periodic_reset: null,
      periodic_reset_days: null,
      next_usage_reset_at: '2027-01-31T00:00:00.000Z',
      last_reset_at: null,
      status: 'active',
      workspace_id: ours.workspaceId,
      organisation_id: ours.organisationId,
    });
    expect(await read(USAGE, id.toUpperCase())).toMatchObject({ id });
  });

  it('[LIM-03] resets by a named period or by days: one sent alone replaces the other, and null removes it', async () => {
    const id = await create(USAGE, usageBody({ periodic_reset: 'weekly' }));
    const { next_usage_reset_at: monday } = await read(USAGE, id);
    expect(new Date(String(monday)).getUTCDay()).toBe(1);
    expect((await put(USAGE, id, { periodic_reset_days: 3 })).status).toBe(200);
    const byDays = await read(USAGE, id);
    expect(byDays).toMatchObject({ periodic_reset: null, periodic_reset_days: 3 });
    expect(byDays['next_usage_reset_at']).toMatch(/T00:00:00\.000Z$/);
    expect((await put(USAGE, id, { periodic_reset_days: null })).status).toBe(200);
    expect(await read(USAGE, id)).toMatchObject({ periodic_reset_days: null, next_usage_reset_at: null });
  });

  it('[CTL-08] replaces conditions, and keeps members that are not sent', async () => {
    const id = await create(USAGE, usageBody({ periodic_reset: 'monthly', description: 'd' }));
    const before = await read(USAGE, id);
    const conditions = [{ key: 'model', value: '@openai/*' }];
    expect((await put(USAGE, id, { conditions, credit_limit: 20 })).status).toBe(200);
    const after = await read(USAGE, id);
    const changing = {
      etag: expect.any(String) as string,
      last_updated_at: expect.any(String) as string,
    };
    expect(after).toEqual({ ...before, ...changing, conditions, credit_limit: 20 });
    expect(after['etag']).not.toBe(before['etag']);
  });

  it('keeps the threshold below the limit in force, whichever of them changes', async () => {
    const id = await create(USAGE, usageBody({ alert_threshold: 8 }));
    for (const body of [{ credit_limit: 8 }, { alert_threshold: 10 }]) {
      const { status, body: response } = await put(USAGE, id, body);
      expect([status, response.error.param]).toEqual([400, 'alert_threshold']);
    }
    expect((await put(USAGE, id, { credit_limit: 5, alert_threshold: null })).status).toBe(200);
    const odd = await admin.post<Failure>(USAGE, {
      key: ours.key,
      body: usageBody({ type: 'tokens', credit_limit: 1.5 }),
    });
    expect([odd.status, odd.body.error.param]).toEqual([400, 'credit_limit']);
  });
});

describe('/v2/policies/rate-limits', () => {
  it('[LIM-05] has the target llm by default, and can be filtered by target, type and unit', async () => {
    const fresh = await admin.tenant();
    const llm = await create(RATE, rateBody(), fresh.key);
    const mcp = await create(
      RATE,
      rateBody({ target: 'mcp_tools', group_by: [], unit: 'rpw', type: 'tokens' }),
      fresh.key,
    );
    const listed = async (query: string): Promise<string[]> =>
      (await admin.get<List<Policy>>(`${RATE}?${query}`, { key: fresh.key })).body.data.map(({ id }) => id);
    expect(await listed('')).toEqual([mcp, llm]);
    expect(await listed('target=llm')).toEqual([llm]);
    expect(await listed('target=mcp_tools')).toEqual([mcp]);
    expect(await listed('type=tokens')).toEqual([mcp]);
    expect(await listed('unit=rpm')).toEqual([llm]);
    expect(await listed('page_size=1&current_page=1')).toEqual([llm]);
    expect(await listed('search=SEARCH')).toEqual([mcp, llm]);
    expect(await listed('search=%25')).toEqual([]);
  });

  it('[CTL-08] replaces conditions, and keeps target, type and grouping', async () => {
    const id = await create(RATE);
    const conditions = [{ key: 'endpoint_type', value: '*' }];
    expect((await put(RATE, id, { conditions, value: 7, unit: 'rph' })).status).toBe(200);
    expect(await read(RATE, id)).toMatchObject({ conditions, value: 7, unit: 'rph', group_by: GROUP_BY });
    for (const fixed of [{ target: 'mcp_tools' }, { type: 'tokens' }, { group_by: GROUP_BY }]) {
      const { status, body } = await put(RATE, id, fixed);
      expect([status, body.error.param]).toEqual([400, Object.keys(fixed)[0]]);
    }
  });

  it('takes conditions on users, clients and annotations with the target mcp_tools', async () => {
    const conditions = [
      { key: 'user_id', value: '*' },
      { key: 'client_id', excludes: 'editor' },
      { key: 'mcp_annotation', value: 'destructive' },
    ];
    const group_by = [{ key: 'user_id' }, { key: 'client_id' }];
    const id = await create(RATE, rateBody({ target: 'mcp_tools', conditions, group_by }));
    expect(await read(RATE, id)).toMatchObject({ conditions, group_by });
  });

  it.each([
    ['conditions.0.key', { conditions: [{ key: 'nosuch', value: 'x' }] }],
    ['conditions.0.key', { conditions: [{ key: 'metadata.', value: 'x' }] }],
    ['conditions.0.key', { conditions: [{ key: 'mcp_tool', value: 'x' }] }],
    ['conditions.0.key', { conditions: [{ key: 'user_id', value: 'x' }] }],
    ['group_by.0.key', { target: 'mcp_tools', group_by: [{ key: 'mcp_annotation' }] }],
    ['conditions.0.key', { target: 'mcp_tools', conditions: [{ key: 'model', value: 'x' }] }],
    ['conditions.0.value', { conditions: [{ key: 'api_key' }] }],
    ['conditions.0.value', { conditions: [{ key: 'api_key', value: 5 }] }],
    ['conditions.0.value', { conditions: [{ key: 'api_key', value: [] }] }],
    ['conditions.0.excludes', { conditions: [{ key: 'api_key', value: 'x', excludes: ['a\u0000'] }] }],
    ['conditions.0.operator', { conditions: [{ key: 'api_key', value: 'x', operator: 'not' }] }],
    ['conditions', { conditions: [] }],
    ['conditions', { conditions: undefined }],
    ['group_by', { group_by: [] }],
    ['group_by', { group_by: undefined }],
    ['group_by.0.key', { group_by: [{ key: 'endpoint_type' }] }],
    ['group_by.1.key', { group_by: [...GROUP_BY, ...GROUP_BY] }],
    ['unit', { unit: 'rps' }],
    ['value', { value: 0 }],
    ['name', { name: undefined }],
    ['description', { description: 'x'.repeat(501) }],
    ['nosuch', { nosuch: 1 }],
  ])('refuses an invalid %s by its name: %j', async (param, more) => {
    const { status, body } = await admin.post<Failure>(RATE, { key: ours.key, body: rateBody(more) });
    expect([status, body.error.type, body.error.param]).toEqual([400, 'validation_failed', param]);
  });
});

describe.each([USAGE, RATE])('policies at %s', (url) => {
  const put404 = { status: 404, body: { error: { type: 'not_found' } } };

  it('archives a deleted policy, which only a filter by that status then finds', async () => {
    const fresh = await admin.tenant();
    const id = await create(url, bodyFor(url), fresh.key);
    const { key } = fresh;
    expect((await admin.delete(`${url}/${id}`, { key })).body).toEqual({});
    expect((await admin.get(`${url}/${id}`, { key })).status).toBe(404);
    expect((await admin.get(`${url}/${id}?status=archived`, { key })).body).toMatchObject({
      status: 'archived',
    });
    expect((await admin.get<List>(url, { key })).body.total).toBe(0);
    expect((await admin.get<List>(`${url}?status=archived`, { key })).body.total).toBe(1);
    expect(await put(url, id, { name: 'x' }, key)).toMatchObject(put404);
    expect(await admin.delete(`${url}/${id}`, { key })).toMatchObject(put404);
  });

  it('responds in the same way for a foreign and an unknown policy', async () => {
    const id = await create(url);
    for (const key of [theirs.key, theirs.adminKey]) {
      for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
        const ask = async (which: string): Promise<unknown> => {
          const call = { key, ...(body === undefined ? {} : { body }) };
          const response = await admin.call<Failure>(method, `${url}/${which}`, call);
          return [response.status, { ...response.body.error, request_id: null }];
        };
        expect(await ask(id)).toEqual(await ask(UNKNOWN_ID));
        expect(((await ask(id)) as [number])[0]).toBe(404);
      }
      const { data } = (await admin.get<List<Policy>>(url, { key })).body;
      expect(data.map((policy) => policy.id)).not.toContain(id);
    }
    const foreign = await admin.get(`${url}?organisation_id=${theirs.organisationId}`, { key: ours.key });
    expect(foreign.status).toBe(404);
    const body = { ...bodyFor(url), workspace_id: theirs.workspaceId };
    expect((await admin.post(url, { key: ours.adminKey, body })).status).toBe(404);
  });

  it('creates policies in a workspace of the organisation, for a credential limited to that workspace', async () => {
    const workspaceId = await admin.workspace(ours.organisationId);
    const body = { ...bodyFor(url), workspace_id: workspaceId };
    const id = await create(url, body, ours.adminKey);
    expect((await admin.get(`${url}/${id}`, { key: ours.key })).status).toBe(404);
    const byAdmin = await admin.get(`${url}/${id}`, { key: ours.adminKey });
    expect(byAdmin.body).toMatchObject({ workspace_id: workspaceId });
    const nowhere = await admin.post<Failure>(url, { key: ours.adminKey, body: bodyFor(url) });
    expect([nowhere.status, nowhere.body.error.param]).toEqual([400, 'workspace_id']);
  });

  it('refuses an update with an outdated If-Match', async () => {
    const id = await create(url);
    const { etag } = await read(url, id);
    const write = { key: ours.key, headers: { 'if-match': String(etag) }, body: { name: 'x' } };
    expect((await admin.put(`${url}/${id}`, write)).status).toBe(200);
    expect((await admin.put(`${url}/${id}`, write)).status).toBe(412);
  });

  it('audits every write and notifies gateways through the workspace document', async () => {
    const fresh = await admin.tenant();
    expect((await documentOf(fresh)).policies).toBeUndefined();
    const kind = url === USAGE ? 'usageLimits' : 'rateLimits';
    const limit = url === USAGE ? { type: 'cost', creditLimit: 10 } : { type: 'requests', value: 5 };
    const id = await create(url, bodyFor(url), fresh.key);
    expect((await lastEvent(admin)).changed).toEqual([documentKey.workspace(fresh.workspaceId)]);
    const { policies, version } = await documentOf(fresh);
    expect(policies?.[kind]).toMatchObject([
      { id, name: 'Search team', conditions: CONDITIONS, groupBy: ['api_key'], limit },
    ]);
    await put(url, id, { name: 'Renamed' }, fresh.key);
    expect((await documentOf(fresh)).version).not.toBe(version);
    await admin.delete(`${url}/${id}`, { key: fresh.key });
    expect((await documentOf(fresh)).policies).toBeUndefined();
    const rows = await admin.dataSource.manager.find(AuditLogEntity, {
      where: { resourceId: id },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    expect(rows.map(({ action, resourceType }) => [action, resourceType])).toEqual([
      ['create', 'policies'],
      ['update', 'policies'],
      ['delete', 'policies'],
    ]);
  });

  it('archives policies with their workspace, which can be deleted only with force while it has policies', async () => {
    const fresh = await admin.tenant();
    const key = fresh.adminKey;
    const workspace = await admin.workspace(fresh.organisationId, { name: 'Going' });
    const id = await create(url, { ...bodyFor(url), workspace_id: workspace }, key);
    const remove = (more: object): Promise<GatewayResponse> =>
      admin.delete(`/v1/workspaces/${workspace}`, { key, body: { name: 'Going', ...more } });
    expect((await remove({})).status).toBe(409);
    expect((await remove({ force_delete: true })).status).toBe(200);
    const archived = await admin.get(`${url}/${id}?status=archived`, { key });
    expect([archived.status, archived.body['status']]).toEqual([200, 'archived']);
  });

  it('allows a hundred active policies in a workspace', async () => {
    const fresh = await admin.tenant();
    for (let i = 0; i < 100; i += 1) await create(url, bodyFor(url), fresh.key);
    expect((await admin.post(url, { key: fresh.key, body: bodyFor(url) })).status).toBe(409);
    expect((await documentOf(fresh)).policies?.[url === USAGE ? 'usageLimits' : 'rateLimits']).toHaveLength(
      100,
    );
  });
});

describe('values that a usage-limit policy counts separately', () => {
  interface Value {
    readonly id: string;
    readonly value_key: string;
    readonly current_usage: number;
    readonly burn_rate_per_day: number | null;
    readonly forecast_exhausted_at: string | null;
    readonly status: string;
  }

  const start = Date.now();
  let values = 0;
  /** Writes a value as the worker does after charges, newer than those before it. */
  async function valueOf(policyId: string, valueKey: string, usd: number): Promise<string> {
    const id = uuidv7();
    const { manager } = admin.dataSource;
    values += 1;
    const createdAt = new Date(start + values);
    const value = { id, policyId, valueKey, status: 'exhausted' as const, createdAt };
    await manager.insert(UsageLimitPolicyValueEntity, value);
    const account = `limit:policy:${policyId}:cost:budget:${valueKey}`;
    const amount = { cost: usd * 100_000_000, tokens: 1, requests: 1 };
    await addBalances(manager, [{ organisationId: ours.organisationId, account, period: 0, ...amount }]);
    return id;
  }
  const entities = (id: string, query = '', key = ours.key): Promise<GatewayResponse<List<Value>>> =>
    admin.get<List<Value>>(`${USAGE}/${id}/entities${query}`, { key });

  it('[REL-16] are listed with the usage of each, by status and by part of the key', async () => {
    const id = await create(USAGE);
    await valueOf(id, 'api_key:a', 12.5);
    const { body } = await entities(id, '?status=exhausted&search=key:a');
    expect(body.data).toMatchObject([{ value_key: 'api_key:a', current_usage: 12.5, status: 'exhausted' }]);
    expect((await entities(id, '?status=active')).body.data).toEqual([]);
  });

  it('have a burn rate and forecast in lists, null when unknown', async () => {
    const id = await create(USAGE);
    await valueOf(id, 'api_key:fast', 7);
    await valueOf(id, 'api_key:new', 1);
    const account = `limit:policy:${id}:cost:budget:api_key:fast`;
    const hour = hourOf(new Date(Date.now() - 9 * DAY_MS));
    const hours = [hour, hourOf(new Date())].map((each) => ({
      ...{ organisationId: ours.organisationId, account, period: 0, hour: each },
      ...{ cost: 350_000_000, tokens: 1, requests: 1 },
    }));
    await addBudgetHours(admin.dataSource.manager, hours);
    const before = Date.now();
    const { body } = await entities(id);
    const [fresh, fast] = body.data;
    expect(fresh).toMatchObject({ burn_rate_per_day: null, forecast_exhausted_at: null });
    // 3.5 USD were used in the last seven days, and 3 of 10 USD are left.
    expect(fast).toMatchObject({ current_usage: 7, burn_rate_per_day: 0.5 });
    const at = Date.parse(String(fast?.forecast_exhausted_at));
    expect(at).toBeGreaterThanOrEqual(before + 6 * DAY_MS);
    expect(at).toBeLessThanOrEqual(Date.now() + 6 * DAY_MS + 1);
  });

  it('[REL-16] are part of the policy with include_usage, with their alerts', async () => {
    const id = await create(USAGE, usageBody({ alert_threshold: 8 }));
    await valueOf(id, 'api_key:a', 9);
    const counter = `policy:${id}:cost:budget:api_key:a`;
    await raiseAlert(admin.dataSource.manager, {
      ...{ organisationId: ours.organisationId, workspaceId: ours.workspaceId, counter, period: 0 },
      ...{ kind: 'threshold', amount: 800_000_000, event: {} },
    });
    expect(await read(USAGE, id)).not.toHaveProperty('value_key_usage_map');
    const { body } = await admin.get<Policy>(`${USAGE}/${id}?include_usage=true`, { key: ours.key });
    expect(body['value_key_usage_map']).toEqual({
      'api_key:a': {
        ...{ current_usage: 9, burn_rate_per_day: null, forecast_exhausted_at: null, status: 'exhausted' },
        ...{ is_threshold_alerts_sent: true, is_exhausted_alerts_sent: false },
      },
    });
  });

  it('can be reset by key in an update of the policy', async () => {
    const id = await create(USAGE);
    await valueOf(id, 'api_key:a', 12.5);
    expect((await put(USAGE, id, { reset_usage_for_value: 'api_key:a' })).status).toBe(200);
    expect((await entities(id)).body.data).toMatchObject([{ current_usage: 0, status: 'active' }]);
    const unknown = await put(USAGE, id, { reset_usage_for_value: 'api_key:b' });
    expect([unknown.status, unknown.body.error.param]).toEqual([400, 'reset_usage_for_value']);
  });

  it('can be reset singly: usage restarts at zero, and gateways receive the time', async () => {
    const id = await create(USAGE);
    const value = await valueOf(id, 'api_key:a', 12.5);
    await valueOf(id, 'api_key:b', 3);
    expect((await put(USAGE, `${id}/entities/${value}/reset`, {})).status).toBe(200);
    const { body } = await entities(id);
    expect(body.data.map(({ value_key: key, current_usage: used, status }) => [key, used, status])).toEqual([
      ['api_key:b', 3, 'exhausted'],
      ['api_key:a', 0, 'active'],
    ]);
    const policy = (await documentOf(ours)).policies?.usageLimits.find((each) => each.id === id);
    expect(Object.keys(policy?.resets ?? {})).toEqual(['api_key:a']);
    expect(await lastEvent(admin)).toMatchObject({ changed: [documentKey.workspace(ours.workspaceId)] });
  });

  it('can be accessed only through the caller’s own policies', async () => {
    const id = await create(USAGE);
    const value = await valueOf(id, 'api_key:a', 1);
    expect((await entities(id, '', theirs.key)).status).toBe(404);
    expect((await put(USAGE, `${id}/entities/${value}/reset`, {}, theirs.key)).status).toBe(404);
    expect((await put(USAGE, `${id}/entities/${UNKNOWN_ID}/reset`, {})).status).toBe(404);
  });
});
