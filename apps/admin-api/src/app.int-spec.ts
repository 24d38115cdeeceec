import { OrganisationUserEntity } from '@gw/entities';
import { ERRORS } from '@gw/kernel';
import { lockWaits } from '@gw/testing';
import { DataSource } from 'typeorm';
import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';

interface Failure {
  readonly error: {
    readonly message: string;
    readonly type: keyof typeof ERRORS;
    readonly param: string | null;
    readonly code: string;
    readonly request_id: string;
    readonly details?: { readonly path: string; readonly message: string }[];
  };
}

describe('admin API', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();

  function expectFailure(response: GatewayResponse<Failure>, type: keyof typeof ERRORS): void {
    const { error } = response.body;
    expect([response.status, error.type, error.code]).toEqual([ERRORS[type].status, type, ERRORS[type].code]);
    expect(Object.keys(response.body)).toEqual(['error']);
    expect(Object.keys(error)).toEqual(
      expect.arrayContaining(['message', 'type', 'param', 'code', 'request_id']),
    );
    expect(error.request_id).toBe(response.headers['x-gw-request-id']);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  }

  it('[ERR-12] responds to every failure with the same body shape, a stable code and the request id', async () => {
    const { key } = ours;
    const create = '/v1/api-keys/workspace/service';
    const json = { 'content-type': 'application/json' };
    expectFailure(await admin.get('/v1/nothing', { key }), 'route_not_found');
    expectFailure(await admin.get('/nothing'), 'route_not_found');
    expectFailure(await admin.call('PATCH', '/v1/workspaces', { key }), 'method_not_allowed');
    expectFailure(await admin.post(create, { key, body: '{"name":' }), 'body_invalid');
    expectFailure(await admin.post(create, { key, body: '[]' }), 'body_invalid');
    expectFailure(await admin.post(create, { key, body: '"text"' }), 'body_invalid');
    expectFailure(await admin.post(create, { key, body: '{"__proto__":{"a":1}}' }), 'body_invalid');
    expectFailure(await admin.post(create, { key, headers: json }), 'body_invalid');
    expectFailure(await admin.post(create, { key }), 'validation_failed');
    expectFailure(await admin.post(create, { key, body: `"${'x'.repeat(1_048_577)}"` }), 'body_too_large');
    const xml = { headers: { 'content-type': 'application/xml' }, body: '<a/>' };
    expectFailure(await admin.post(create, { key, ...xml }), 'content_type_unsupported');
    expectFailure(await admin.get('/v1/workspaces'), 'api_key_missing');
    expectFailure(await admin.get('/v1/workspaces', { key: 'x'.repeat(40) }), 'api_key_invalid');
    expectFailure(await admin.get('/v1/workspaces', { key: 'x'.repeat(5_000) }), 'api_key_missing');
    expectFailure(await admin.get('/v1/workspaces/%', { key }), 'request_malformed');
    expectFailure(await admin.get('/v1/workspaces?page_size=x', { key }), 'validation_failed');
  });

  it('lists the methods that a path supports', async () => {
    const response = await admin.call('PATCH', `/v1/workspaces/${ours.workspaceId}?x=1`, { key: ours.key });
    expect(response.headers['allow']).toBe('DELETE, GET, HEAD, PUT');
  });

  it('reports all faults of a body in one response, each with its path', async () => {
    const { body } = await admin.post<Failure>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 7, scopes: 'x', rate_limits: [{ type: 'x', unit: 'rpm', value: 1 }], expires_at: 'soon' },
    });
    const paths = new Set(body.error.details?.map(({ path }) => path));
    expect(paths).toEqual(new Set(['name', 'scopes', 'rate_limits.0.type', 'expires_at']));
  });

  it('hides internal faults: responses contain no SQL, no stack trace and no fault message', async () => {
    await admin.dataSource.query('ALTER TABLE workspaces RENAME TO workspaces_gone');
    try {
      const response = await admin.get<Failure>('/v1/workspaces', { key: ours.adminKey });
      expectFailure(response, 'internal_error');
      expect(response.text).not.toMatch(/workspaces|SELECT|Error|\.ts/);
    } finally {
      await admin.dataSource.query('ALTER TABLE workspaces_gone RENAME TO workspaces');
    }
  });

  it('keeps a request id that is a plain token, and generates one otherwise', async () => {
    const id = async (given: string): Promise<unknown> =>
      (await admin.get('/health', { headers: { 'x-gw-request-id': given } })).headers['x-gw-request-id'];
    expect(await id('trace-1.2:3_4')).toBe('trace-1.2:3_4');
    expect(await id('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reports its health and version on every health path', async () => {
    for (const path of ['/health', '/v1/health', '/v2/health']) {
      const { status, body } = await admin.get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'ok', service: 'admin-api', degraded: [] });
      expect(body['version']).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('sends security headers, and no headers that name the server software', async () => {
    for (const path of ['/', '/health', '/docs', '/nothing']) {
      const { headers } = await admin.get(path);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers['server']).toBeUndefined();
    }
  });

  it('serves a page at /, the API documentation with its files at /docs, and the OpenAPI document', async () => {
    const page = await admin.get('/');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('href="/docs"');
    const docs = await admin.get('/docs');
    expect([docs.status, docs.text.includes('swagger-ui')]).toEqual([200, true]);
    for (const asset of docs.text.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)) {
      const { status } = await admin.get(`/${asset[1]?.slice(2) ?? ''}`);
      expect([asset[1], status]).toEqual([asset[1], 200]);
    }
  });

  it('serves an OpenAPI document in which every operation has a unique id and every reference a target', async () => {
    const { status, text } = await admin.get('/openapi.json');
    expect(status).toBe(200);
    const document = JSON.parse(text) as {
      openapi: string;
      paths: Record<
        string,
        Record<
          string,
          { operationId: string; requestBody?: unknown; parameters?: { name: string; in: string }[] }
        >
      >;
      components: { schemas: Record<string, unknown> };
    };
    expect(document.openapi).toMatch(/^3\.1/);
    // `nullable` is a keyword of OpenAPI 3.0, which readers of 3.1 ignore.
    expect(text).not.toContain('"nullable"');
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map(
      ([, name]) => name ?? '',
    );
    expect(targets.filter((name) => !(name in document.components.schemas))).toEqual([]);
    for (const { path, method, parameters } of operations) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const described = (parameters ?? [])
        .filter(({ in: place }) => place === 'path')
        .map(({ name }) => name);
      expect([method, path, described.sort()]).toEqual([method, path, named.sort()]);
    }
    expect(document.components.schemas['CreateWorkspaceDto']).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, maxLength: 128 } },
    });
  });
});

describe('organisation and its users', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  it("renames only the caller's organisation", async () => {
    const call = { key: ours.adminKey, body: { name: 'Acme & Sons' } };
    expect((await admin.put('/v2/admin/organisation', call)).body).toEqual({});
    expect((await admin.get('/v2/admin/organisation', { key: ours.adminKey })).body['name']).toBe(
      'Acme & Sons',
    );
    expect((await admin.get('/v2/admin/organisation', { key: theirs.adminKey })).body['name']).toBe('Acme');
    expect((await admin.put('/v2/admin/organisation', { ...call, body: { name: '' } })).status).toBe(400);
  });

  it('changes settings partially, clears them with null, and notifies the gateways', async () => {
    const url = '/v1/admin/organisation/settings';
    const put = (body: object): Promise<{ status: number }> => admin.put(url, { key: ours.adminKey, body });
    const shown = async (): Promise<unknown> => (await admin.get(url, { key: ours.adminKey })).body;
    expect(await shown()).toMatchObject({
      settings: { debug_log: 1 },
      data_plane_security_settings: { block_inline_config: false },
    });
    expect((await put({ data_plane_security_settings: { block_inline_config: true } })).status).toBe(200);
    expect((await put({ settings: { debug_log: 0 } })).status).toBe(200);
    expect(await shown()).toMatchObject({
      settings: { debug_log: 0 },
      data_plane_security_settings: { block_inline_config: true },
    });
    const [event] = await admin.dataSource.query<{ changed: string[] }[]>(
      'SELECT changed FROM change_events ORDER BY sequence DESC LIMIT 1',
    );
    expect(event?.changed).toEqual([`organisation:${ours.organisationId}`]);
    expect((await put({ settings: { debug_log: null } })).status).toBe(200);
    expect(await shown()).toMatchObject({ settings: { debug_log: 1 } });
    expect((await put({ settings: { debug_log: 2 } })).status).toBe(400);
  });

  it("lists and reads only users of the caller's organisation, by role and by email", async () => {
    const owner = await admin.user(ours.organisationId, 'owner');
    await admin.dataSource.manager.update(
      OrganisationUserEntity,
      { userId: owner.id },
      { createdAt: new Date(0) },
    );
    const member = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const call = { key: ours.adminKey };
    const list = async (query: string): Promise<{ total: number; data: { id: string }[] }> =>
      (await admin.get<{ total: number; data: { id: string }[] }>(`/v1/admin/users?${query}`, call)).body;
    expect((await list('')).data.map(({ id }) => id)).toEqual([member.id, owner.id]);
    expect((await list('role=owner')).data.map(({ id }) => id)).toEqual([owner.id]);
    expect((await list(`email=${member.email}`)).total).toBe(1);
    expect((await list('pageSize=1&currentPage=1')).data.map(({ id }) => id)).toEqual([owner.id]);
    expect((await admin.get('/v1/admin/users?pageSize=101', call)).status).toBe(400);
    const { body } = await admin.get(`/v2/users/${member.id}`, call);
    expect(body).toMatchObject({ object: 'user', email: member.email, workspace_ids: [ours.workspaceId] });
    expect((await admin.get(`/v1/users/${member.id}`, { key: theirs.adminKey })).status).toBe(404);
    expect((await admin.get('/v1/users/no-id', call)).status).toBe(404);
    expect((await admin.get('/v1/users', { key: ours.key })).status).toBe(403);
  });
});

describe('default settings', () => {
  const admin = new TestAdminApi({
    DB_POOL_SIZE: '',
    LOG_RETENTION_DISPLAY: '',
    METRICS_RETENTION_DISPLAY: '',
  });

  it('[LIM-07] allow 12 database connections and show 90 days of logs and 365 days of metrics', async () => {
    const { organisationId, adminKey } = await admin.tenant();
    const { body } = await admin.get('/v1/admin/organisation', { key: adminKey });
    expect(body).toMatchObject({
      object: 'organisation',
      id: organisationId,
      name: 'Acme',
      retention: { logs_days: 90, metrics_days: 365 },
    });
    // There are more callers than connections: each caller with a connection holds it while it
    // waits for the lock.
    const pool = admin.api.app.get(DataSource);
    const calls = await admin.dataSource.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(7)');
      const waiting = Array.from({ length: 20 }, () => pool.query('SELECT pg_advisory_xact_lock(7)'));
      await lockWaits(admin.dataSource, { count: 12 });
      const [row] = await manager.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE application_name = 'tollgate-admin-api' AND datname = current_database()`,
      );
      expect(row.count).toBe(12);
      return waiting;
    });
    await Promise.all(calls);
  });
});

describe('settings in the environment', () => {
  const admin = new TestAdminApi({
    API_ACCESS_ENABLED: 'OFF',
    BLOCK_INLINE_CONFIG: 'true',
    SCIM_MEMBERSHIP_USER_MODE: 'ON',
  });

  it('[ENV-07] API_ACCESS_ENABLED=OFF closes the control plane to API keys, but not to sessions', async () => {
    const { organisationId, adminKey } = await admin.tenant();
    const { status, body } = await admin.get<Failure>('/v1/workspaces', { key: adminKey });
    expect([status, body.error.type]).toEqual([403, 'feature_disabled']);
    const { email } = await admin.user(organisationId, 'owner');
    const token = await admin.login(email);
    expect((await admin.get('/v1/workspaces', { token })).status).toBe(200);
  });

  it('[ENV-05] BLOCK_INLINE_CONFIG=true and SCIM_MEMBERSHIP_USER_MODE=ON appear as in force in every organisation', async () => {
    const { organisationId } = await admin.tenant();
    const { email } = await admin.user(organisationId, 'owner');
    const { body } = await admin.get('/v1/admin/organisation/settings', { token: await admin.login(email) });
    expect(body).toMatchObject({
      data_plane_security_settings: { block_inline_config: true },
      scim_settings: { membership_user_mode: true },
    });
  });
});

describe('AUDIT_LOGS_ENABLED=OFF', () => {
  const admin = new TestAdminApi({ AUDIT_LOGS_ENABLED: 'OFF' });

  it('closes the audit log and writes no records', async () => {
    const { adminKey } = await admin.tenant();
    const made = await admin.post('/v1/workspaces', { key: adminKey, body: { name: 'x' } });
    expect(made.status).toBe(200);
    const { status, body } = await admin.get<Failure>('/v1/audit-logs', { key: adminKey });
    expect([status, body.error.type]).toEqual([403, 'feature_disabled']);
    expect(await admin.dataSource.query('SELECT FROM audit_logs')).toEqual([]);
  });
});
