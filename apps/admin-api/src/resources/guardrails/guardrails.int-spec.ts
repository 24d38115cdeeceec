import { documentKey, type ConfigDocument, type GuardrailDocument } from '@gw/contracts';
import { AuditLogEntity, GuardrailVersionEntity } from '@gw/entities';
import { compileGuardrail } from '@gw/guardrails';
import { readCases } from '@gw/testing';
import { inForce } from '../../publishing/features-in-force';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { lastEvent, UNKNOWN_ID, type Failure } from '../../spec-support/api-keys';

interface Saved {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

interface Detail extends Saved {
  readonly checks: readonly { readonly id: string; readonly parameters: Record<string, unknown> }[];
  readonly [field: string]: unknown;
}

interface Listed {
  readonly total: number;
  readonly data: readonly Saved[];
}

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

const CHECK = { id: 'default.contains', parameters: { words: ['Apollo'], operator: 'none' } };
const BODY = { name: 'No code names', checks: [CHECK], actions: { deny: true } };
const SECRET = 'Bearer CANARY-0123456789';
const WEBHOOK = {
  id: 'default.webhook',
  parameters: { webhookURL: 'https://checks.example.com/v', headers: { authorization: SECRET } },
};

const post = (body: object, key = tenant.key): Promise<GatewayResponse<Saved & Failure>> =>
  api.post('/v1/guardrails', { key, body });
const put = (reference: string, body: object, key = tenant.key): Promise<GatewayResponse<Saved & Failure>> =>
  api.put(`/v1/guardrails/${reference}`, { key, body });
const remove = (reference: string, key = tenant.key): Promise<GatewayResponse<Failure>> =>
  api.delete(`/v1/guardrails/${reference}`, { key });

async function create(more: object = {}, key = tenant.key): Promise<Saved> {
  const response = await post({ ...BODY, ...more }, key);
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body;
}

const read = async (reference: string, key = tenant.key): Promise<Detail> =>
  (await api.get<Detail>(`/v1/guardrails/${reference}`, { key })).body;
const list = async (query = '', key = tenant.key): Promise<string[]> =>
  (await api.get<Listed>(`/v1/guardrails${query}`, { key })).body.data.map(({ slug }) => slug);
const detailsOf = ({ body }: GatewayResponse<Failure>): (string | undefined)[] =>
  (body.error.details ?? []).map(({ path }) => path);

async function documentOf<T>(key: string): Promise<T | null> {
  const { body } = await api.post<{ documents: Record<string, T | null> }>('/internal/v1/documents', {
    token: SERVICE_TOKEN,
    body: { keys: [key] },
  });
  return body.documents[key] ?? null;
}

const guardrailOf = (workspaceId: string, name: string): Promise<GuardrailDocument | null> =>
  documentOf(documentKey.guardrail(workspaceId, name));

describe('/v1/guardrails', () => {
  it('returns a saved guardrail by id and by slug, with the default actions', async () => {
    const { id, slug, version_id } = await create();
    expect(slug).toMatch(/^pg-[0-9a-f]{6}$/);
    for (const reference of [id, slug, id.toUpperCase()]) {
      expect(await read(reference)).toMatchObject({
        id,
        slug,
        version_id,
        version: 1,
        name: 'No code names',
        target: 'llm',
        organisation_id: tenant.organisationId,
        workspace_id: tenant.workspaceId,
        status: 'active',
        checks: [CHECK],
        actions: { deny: true, async: false, sequential: false },
      });
    }
  });

  it('creates a version for new checks or actions, and none for a new name', async () => {
    const first = await create();
    const renamed = await put(first.slug, { name: 'Renamed' });
    expect(renamed.body.version_id).toBe(first.version_id);
    const changed = await put(first.id, { actions: { deny: false } });
    expect(changed.body.version_id).not.toBe(first.version_id);
    expect(await read(first.slug)).toMatchObject({ name: 'Renamed', version: 2, checks: [CHECK] });
    const { body } = await api.get<{ total: number; data: Detail[] }>(
      `/v1/guardrails/${first.slug}/versions`,
      {
        key: tenant.key,
      },
    );
    expect([body.total, body.data.map(({ version_id }) => version_id)]).toEqual([
      2,
      [changed.body.version_id, first.version_id],
    ]);
    const old = await api.get(`/v1/guardrails/${first.slug}/versions/${first.version_id}`, tenant);
    expect(old.body).toMatchObject({ version: 1, actions: { deny: true } });
    const foreign = await create();
    const mixed = await api.get(`/v1/guardrails/${foreign.slug}/versions/${first.version_id}`, tenant);
    expect(mixed.status).toBe(404);
  });

  it('returns 412 for a stale If-Match', async () => {
    const { slug } = await create();
    const headers = { 'if-match': '"99"' };
    const stale = await api.put(`/v1/guardrails/${slug}`, { key: tenant.key, body: { name: 'B' }, headers });
    expect(stale.status).toBe(412);
  });

  it('lists pages, newest first, and filters by ids and target', async () => {
    const own = await api.tenant();
    const made: Saved[] = [];
    for (const target of ['llm', 'mcp_tools', 'llm']) made.push(await create({ target }, own.key));
    const [a, b, c] = made.map(({ slug }) => slug);
    expect(await list('', own.key)).toEqual([c, b, a]);
    expect(await list('?page_size=2&current_page=1', own.key)).toEqual([a]);
    expect(await list('?target=mcp_tools', own.key)).toEqual([b]);
    expect(await list(`?ids=${made[0]?.id ?? ''},${UNKNOWN_ID}`, own.key)).toEqual([a]);
    const { body } = await api.get<Listed>('/v1/guardrails?page_size=1', { key: own.key });
    expect([body.total, body.data.length]).toEqual([3, 1]);
  });

  it('reports all faults together with their paths, without secrets', async () => {
    const checks = [
      { id: 'default.noSuch' },
      { id: 'default.regexMatch', parameters: { rule: '(' } },
      { id: 'default.wordCount', parameters: { maxWord: 1 } },
      {
        ...WEBHOOK,
        parameters: { ...WEBHOOK.parameters, webhookURL: 'http://10.0.0.1/', headers: { 'a b': SECRET } },
      },
    ];
    const { slug } = await create();
    for (const response of [await post({ ...BODY, checks }), await put(slug, { checks })]) {
      expect([response.status, response.body.error.code]).toEqual([400, 'AB01']);
      const paths = detailsOf(response);
      expect(paths).toContain('checks.0.id');
      for (const path of [
        'checks.1.parameters.rule',
        'checks.2.parameters',
        'checks.3.parameters.webhookURL',
      ]) {
        expect(paths.some((found) => found?.startsWith(path))).toBe(true);
      }
      expect(response.text).not.toContain('CANARY');
    }
    expect(await read(slug)).toMatchObject({ version: 1, checks: [CHECK] });
  });

  it('accepts only checks without remote calls for MCP tools, and never changes the target', async () => {
    const response = await post({ ...BODY, target: 'mcp_tools', checks: [WEBHOOK] });
    expect([response.status, detailsOf(response)]).toEqual([400, ['checks.0.id']]);
    const { slug } = await create({ target: 'mcp_tools' });
    expect((await put(slug, { checks: [WEBHOOK] })).status).toBe(400);
    expect((await put(slug, { target: 'llm' })).status).toBe(400);
  });

  it.each([
    ['no checks', { checks: [] }],
    ['a check that is not an object', { checks: ['x'] }],
    ['a check without an id', { checks: [{}] }],
    ['a check whose id is not a text', { checks: [{ id: 5 }] }],
    ['parameters that are not an object', { checks: [{ id: 'patronus.toxicity', parameters: null }] }],
    ['an unknown action', { actions: { dney: true } }],
    ['an unknown field', { colour: 'red' }],
    ['the id of another organisation', { organisation_id: UNKNOWN_ID }],
  ])('refuses %s', async (_title, more) => {
    expect((await post({ ...BODY, ...more })).status).toBe(400);
  });

  it('writes the audit log without secrets', async () => {
    const { id } = await create({ checks: [WEBHOOK] });
    await put(id, { name: 'B' });
    await remove(id);
    const rows = await api.dataSource.manager.find(AuditLogEntity, {
      where: { resourceId: id },
      order: { createdAt: 'ASC' },
    });
    expect(rows.map(({ action }) => action).sort()).toEqual(['create', 'delete', 'update']);
    expect(JSON.stringify(rows)).not.toContain('CANARY');
  });
});

describe('header names that checks forward', () => {
  interface Case {
    readonly id: string;
    readonly value: unknown;
    readonly expect: 'accept' | 'reject' | 'either';
    readonly reason: string;
  }
  const { cases } = readCases('forward_headers.json') as { readonly cases: readonly Case[] };

  it.each(cases.map((item): [string, Case] => [`${item.id} ${item.expect} (${item.reason})`, item]))(
    'handles case %s on create and on update',
    async (_title, { value, expect: verdict }) => {
      const checks = [{ ...WEBHOOK, parameters: { ...WEBHOOK.parameters, forwardHeaders: value } }];
      const { slug } = await create();
      const allowed = { accept: [200], reject: [400], either: [200, 400] }[verdict];
      for (const response of [await post({ ...BODY, checks }), await put(slug, { checks })]) {
        expect(allowed).toContain(response.status);
        if (response.status === 400) expect(response.text).toContain('forwardHeaders');
      }
    },
  );
});

describe('secrets of guardrails', () => {
  it('are stored and published sealed, and shown as masks', async () => {
    const { id, slug, version_id } = await create({ checks: [CHECK, WEBHOOK] });
    const shown = await read(slug);
    expect(shown.checks[1]?.parameters).toMatchObject({ headers: { authorization: 'Be*****789' } });
    const stored = await api.dataSource.manager.findOneByOrFail(GuardrailVersionEntity, { id: version_id });
    expect(JSON.stringify(stored)).not.toContain('CANARY');
    const document = await guardrailOf(tenant.workspaceId, id);
    expect(JSON.stringify(document)).not.toContain('CANARY');
    expect(document?.sealedSecrets).toEqual(expect.any(String));
    const again = await guardrailOf(tenant.workspaceId, slug);
    // Each read seals the secrets again; the document’s version must stay the same.
    expect([again?.version, again?.sealedSecrets === document?.sealedSecrets]).toEqual([
      document?.version,
      false,
    ]);
    expect(document?.checks[1]?.parameters).toEqual({ webhookURL: WEBHOOK.parameters.webhookURL });
  });

  it('stay when their mask is sent back, and are removed when they are left out', async () => {
    const { slug } = await create({ checks: [WEBHOOK] });
    const { checks } = await read(slug);
    await put(slug, { checks, actions: {} });
    expect((await read(slug)).checks).toEqual(checks);
    const headers = { authorization: '*****' };
    const other = { ...WEBHOOK, parameters: { ...WEBHOOK.parameters, headers } };
    const refused = await put(slug, { checks: [other] });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('send the whole secret')]);
    expect((await read(slug)).checks).toEqual(checks);
    const open = { ...WEBHOOK, parameters: { webhookURL: WEBHOOK.parameters.webhookURL } };
    await put(slug, { checks: [open] });
    expect((await read(slug)).checks).toEqual([open]);
    expect((await guardrailOf(tenant.workspaceId, slug))?.sealedSecrets).toBeNull();
  });
});

describe('guardrails of an organisation', () => {
  it('are created without a workspace, readable in each workspace, and changeable in none', async () => {
    const { slug, id } = await create({}, tenant.adminKey);
    expect(await read(slug, tenant.adminKey)).toMatchObject({ id, workspace_id: null });
    expect(await read(slug)).toMatchObject({ id, workspace_id: null });
    expect(await list(`?ids=${id}`)).toEqual([slug]);
    const inside = `${slug}?workspace_id=${tenant.workspaceId}`;
    for (const [reference, key] of [
      [slug, tenant.key],
      [inside, tenant.adminKey],
    ] as const) {
      expect((await put(reference, { name: 'B' }, key)).status).toBe(403);
      expect((await remove(reference, key)).status).toBe(403);
    }
    expect((await put(slug, { name: 'B' }, tenant.adminKey)).status).toBe(200);
  });

  it('require organisation scopes, unlike guardrails of a workspace', async () => {
    const at = { organisationId: tenant.organisationId };
    const common = await create({}, tenant.adminKey);
    const own = await create();
    const actions = ['create', 'read', 'list', 'update', 'delete'];
    const holders = { organisation_guardrails: common, guardrails: own };
    for (const [resource, mine] of Object.entries(holders)) {
      const key = await api.apiKey(
        'organisation-service',
        at,
        actions.map((action) => `${resource}.${action}`),
      );
      const theirs = mine === own ? common : own;
      expect((await put(mine.slug, { name: 'B' }, key)).status).toBe(200);
      expect((await api.get(`/v1/guardrails/${mine.slug}`, { key })).status).toBe(200);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const call = { key, ...(method === 'PUT' ? { body: { name: 'C' } } : {}) };
        const response = await api.call<Failure>(method, `/v1/guardrails/${theirs.slug}`, call);
        expect([method, response.status, response.body.error.type]).toEqual([method, 403, 'scope_missing']);
      }
      expect(await list(`?ids=${own.id},${common.id}`, key)).toEqual([mine.slug]);
      const where = mine === own ? {} : { workspace_id: tenant.workspaceId };
      expect((await post({ ...BODY, ...where }, key)).status).toBe(403);
    }
  });
});

describe('tenancy of guardrails', () => {
  it('returns the same 404 for another tenant, another workspace, and an unknown guardrail', async () => {
    const foreign = await create({}, other.key);
    const common = await create({}, other.adminKey);
    const second = await api.workspace(tenant.organisationId);
    const apart = await api.apiKey('workspace-service', {
      organisationId: tenant.organisationId,
      workspaceId: second,
    });
    const own = await create();
    const calls: [string, string][] = [
      [foreign.id, tenant.key],
      [foreign.slug, tenant.adminKey],
      [common.id, tenant.adminKey],
      [common.slug, tenant.key],
      [own.id, apart],
      [own.slug, apart],
    ];
    for (const [reference, key] of calls) {
      for (const [method, path, body] of ROUTES) {
        const call = { key, ...(body === null ? {} : { body }) };
        const strange = await api.call<Failure>(method, `/v1/guardrails/${reference}${path}`, call);
        const unknown = await api.call<Failure>(method, `/v1/guardrails/${UNKNOWN_ID}${path}`, call);
        const shape = ({ status, body: { error } }: GatewayResponse<Failure>): unknown[] => [
          status,
          { ...error, request_id: null },
        ];
        expect([method, path, shape(strange)]).toEqual([method, path, shape(unknown)]);
        // Organisation keys cannot invoke guardrails.
        expect([403, 404]).toContain(strange.status);
      }
      expect(await list(`?ids=${foreign.id},${common.id}`, key)).toEqual([]);
    }
    expect(await guardrailOf(tenant.workspaceId, foreign.slug)).toBeNull();
    expect(await guardrailOf(tenant.workspaceId, common.id)).toBeNull();
    expect(await guardrailOf(second, own.id)).toBeNull();
  });
});

const ROUTES: readonly (readonly [method: string, path: string, body: object | null])[] = [
  ['GET', '', null],
  ['PUT', '', { name: 'X' }],
  ['DELETE', '', null],
  ['GET', '/versions', null],
  ['GET', `/versions/${UNKNOWN_ID}`, null],
  ['POST', '/invoke', { text: 'x' }],
];

describe('configs that name guardrails', () => {
  const save = (config: object, by: Tenant = tenant): Promise<GatewayResponse<Saved & Failure>> =>
    api.post('/v1/configs', { key: by.key, body: { name: 'C', config: { provider: '@a', ...config } } });

  it('may name only guardrails of their workspace and organisation, by slug or id [ERR-01]', async () => {
    const own = await create();
    const common = await create({}, tenant.adminKey);
    const foreign = await create({}, other.key);
    const mcp = await create({ target: 'mcp_tools' });
    const gone = await create();
    await remove(gone.slug);
    const good = { input_guardrails: [own.slug, common.id], output_guardrails: [{ id: own.id }] };
    const saved = await save(good);
    expect(saved.status).toBe(200);
    const names = [foreign.slug, own.slug, foreign.id, mcp.slug, gone.slug, 'pg-none00'];
    const bad = { input_guardrails: names, output_guardrails: [foreign.slug] };
    const update = await api.put<Failure>(`/v1/configs/${saved.body.slug}`, {
      key: tenant.key,
      body: { config: { provider: '@a', ...bad } },
    });
    for (const response of [await save(bad), update]) {
      expect([response.status, detailsOf(response)]).toEqual([
        400,
        [...[0, 2, 3, 4, 5].map((index) => `input_guardrails.${String(index)}`), 'output_guardrails.0'],
      ]);
    }
  });

  it('may contain inline guardrails only if they are valid at their stage and contain no secret', async () => {
    const valid = { deny: true, contains: { words: ['a'] } };
    expect((await save({ input_guardrails: [valid], after_request_hooks: [valid] })).status).toBe(200);
    const bad = await save({
      input_guardrails: [{ noSuchCheck: {} }, { notNull: {} }],
      output_guardrails: [{ checks: [{ id: 'regexMatch', parameters: { rule: '(' } }] }],
      before_request_hooks: [{ webhook: { webhookURL: 'http://10.0.0.1/' } }],
    });
    expect([bad.status, detailsOf(bad)]).toEqual([
      400,
      [
        'input_guardrails.0.noSuchCheck',
        'input_guardrails.1.notNull',
        'before_request_hooks.0.webhook.webhookURL',
        'output_guardrails.0.checks.0.parameters.rule',
      ],
    ]);
    const { parameters } = WEBHOOK;
    const secret = await save({
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@a', output_guardrails: [{ webhook: parameters }] }],
      provider: undefined,
    });
    expect([secret.status, detailsOf(secret)]).toEqual([
      400,
      ['targets.0.output_guardrails.0.webhook.headers'],
    ]);
    expect(secret.text).not.toContain('CANARY');
  });

  it('prevent the deletion of a guardrail that their current version names, and are listed in the error', async () => {
    const { slug, id } = await create();
    const first = (await save({ input_guardrails: [slug] })).body.slug;
    const second = (await save({ output_guardrails: [id] })).body.slug;
    await save({ metadata: { note: slug } });
    const response = await remove(slug);
    expect([response.status, response.body.error.code, detailsOf(response)]).toEqual([
      409,
      'AB07',
      [`configs.${first}`, `configs.${second}`],
    ]);
    await api.delete(`/v1/configs/${first}`, { key: tenant.key });
    await api.put(`/v1/configs/${second}`, { key: tenant.key, body: { config: { provider: '@a' } } });
    expect((await remove(slug)).status).toBe(200);
    expect((await api.get(`/v1/guardrails/${slug}`, tenant)).status).toBe(404);
    expect((await post({ ...BODY, slug })).status).toBe(409);
  });
});

describe('gateway documents of guardrails', () => {
  it('exist under each slug and id; every write publishes them, and a deletion removes them', async () => {
    const { id, slug, version_id } = await create();
    const keys = [slug, id].map((name) => documentKey.guardrail(tenant.workspaceId, name));
    expect((await lastEvent(api)).changed.sort()).toEqual([...keys].sort());
    const document = await guardrailOf(tenant.workspaceId, slug);
    expect(document).toMatchObject({
      kind: 'guardrail',
      id,
      slug,
      versionId: version_id,
      workspaceId: tenant.workspaceId,
      organisationId: tenant.organisationId,
      name: 'No code names',
      status: 'active',
      target: 'llm',
      checks: [CHECK],
      actions: { deny: true },
      sealedSecrets: null,
    });
    await put(slug, { actions: {} });
    expect((await lastEvent(api)).changed.sort()).toEqual([...keys].sort());
    expect((await guardrailOf(tenant.workspaceId, id))?.version).not.toBe(document?.version);
    await remove(slug);
    expect((await lastEvent(api)).removed.sort()).toEqual([...keys].sort());
    expect(await guardrailOf(tenant.workspaceId, slug)).toBeNull();
  });

  it('exist in every workspace for a guardrail of the organisation', async () => {
    const own = await api.tenant();
    const second = await api.workspace(own.organisationId);
    const { id, slug } = await create({}, own.adminKey);
    const keys = [own.workspaceId, second].flatMap((workspace) =>
      [slug, id].map((name) => documentKey.guardrail(workspace, name)),
    );
    expect((await lastEvent(api)).changed.sort()).toEqual([...keys].sort());
    for (const key of keys) {
      expect(await documentOf<GuardrailDocument>(key)).toMatchObject({ id, workspaceId: null });
    }
  });

  it('do not exist while the feature is off [ENV-07]', async () => {
    const { slug } = await create();
    const document = await guardrailOf(tenant.workspaceId, slug);
    const features = { USAGE_LIMITS_ENABLED: true, POLICY_ENABLED: true };
    if (!document) throw new Error('The guardrail has a document.');
    const off = inForce(document, { ...features, GUARDRAILS_ENABLED: false }) as GuardrailDocument;
    expect([off.checks, off.version === document.version]).toEqual([
      [{ ...CHECK, is_enabled: false }],
      false,
    ]);
    const { checks, actions } = off;
    expect(compileGuardrail({ checks, actions })).toMatchObject({ guardrail: { input: [], output: [] } });
    expect(inForce(document, { ...features, GUARDRAILS_ENABLED: true })).toBe(document);
    const guarded = { input_guardrails: [slug], before_request_hooks: [] };
    const config = {
      kind: 'config',
      version: 'v',
      config: { ...guarded, targets: [{ ...guarded, weight: 1 }] },
    };
    const bare = inForce(config as unknown as ConfigDocument, { ...features, GUARDRAILS_ENABLED: false });
    expect((bare as ConfigDocument).config).toEqual({ targets: [{ weight: 1 }] });
  });
});

describe('deletion of a workspace with guardrails', () => {
  it('is refused, unless the request also deletes the guardrails', async () => {
    const body = { name: 'Gone' };
    const workspace = (await api.post<Saved>('/v1/workspaces', { key: tenant.adminKey, body })).body;
    const { slug, id } = await create({ workspace_id: workspace.id }, tenant.adminKey);
    const drop = (more: object): Promise<GatewayResponse<Failure>> =>
      api.delete(`/v1/workspaces/${workspace.id}`, { key: tenant.adminKey, body: { ...body, ...more } });
    expect(detailsOf(await drop({}))).toEqual(['guardrails']);
    expect((await drop({ force_delete: true })).status).toBe(200);
    expect((await lastEvent(api)).removed).toEqual(
      expect.arrayContaining([slug, id].map((name) => documentKey.guardrail(workspace.id, name))),
    );
    expect((await api.get(`/v1/guardrails/${slug}`, { key: tenant.adminKey })).status).toBe(404);
  });
});
