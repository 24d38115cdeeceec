import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { AuditLogEntity, LogExportEntity, LogExportPartEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { DatabaseObjectStore } from '@gw/object-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

interface Export {
  readonly id: string;
  readonly status: string;
  readonly total: number;
  readonly etag: string;
}

describe('/v1/logs/exports', () => {
  const admin = new TestAdminApi({ CONSOLE_URL: 'https://gateway.example.com' });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  const store = new DatabaseObjectStore((sql, parameters) => admin.dataSource.query(sql, parameters));
  beforeAll(async () => {
    const { organisationId, workspaceId } = ours;
    const rows = [200, 200, 429].map((status) =>
      requestLogRow(sampleLogRecord({ organisationId, workspaceId, status, traceId: 'exported' })),
    );
    await ensureLogPartitions(admin.dataSource, new Set(rows.map((row) => dayOf(row.created_at))));
    const entries = rows.map((row) => ({ row, request: null, response: null }));
    await insertLogs(admin.dataSource.manager, entries);
  });

  const FIELDS = ['id', 'cost', 'created_at'];
  const create = async (more: object = {}, key = ours.key): Promise<GatewayResponse<Export>> =>
    admin.post<Export>('/v1/logs/exports', { key, body: { filters: {}, requested_data: FIELDS, ...more } });
  const made = async (more: object = {}, key = ours.key): Promise<string> => {
    const { status, body } = await create(more, key);
    expect(status).toBe(200);
    return body.id;
  };
  const act = (id: string, action: string, key = ours.key): Promise<GatewayResponse> =>
    admin.post(`/v1/logs/exports/${id}/${action}`, { key });
  const show = (id: string, key = ours.key): Promise<GatewayResponse> =>
    admin.get(`/v1/logs/exports/${id}`, { key });
  const set = (id: string, row: Partial<LogExportEntity>): Promise<unknown> =>
    admin.dataSource.manager.save(LogExportEntity, { id, ...row });
  const errorOf = ({ body }: GatewayResponse): unknown =>
    (body['error'] as Record<string, unknown> | undefined)?.['type'];

  it('creates drafts with the number of matching logs, and shows and lists them as saved', async () => {
    const filters = { status_code: '200', created_at: { gte: '2020-01-01T00:00:00Z' } };
    const { status, body } = await create({ filters, description: 'Good ones', format: 'parquet' });
    expect([status, body]).toEqual([200, { id: body.id, total: 2, object: 'export' }]);
    const shown = await show(body.id);
    expect(shown.body).toMatchObject({
      id: body.id,
      organisation_id: ours.organisationId,
      workspace_id: ours.workspaceId,
      filters: { status_code: '200', time_of_generation_min: '2020-01-01T00:00:00Z' },
      requested_data: FIELDS,
      format: 'parquet',
      status: 'draft',
      description: 'Good ones',
      progress: { rows: 0, bytes: 0 },
      object: 'export',
    });
    const { body: list } = await admin.get<{ data: Export[] }>(
      `/v1/logs/exports?workspace_id=${ours.workspaceId}`,
      { key: ours.adminKey },
    );
    expect(list).toMatchObject({ object: 'list', total: 1 });
    expect(list.data).toEqual([shown.body]);
    expect((await create({ filters: { page_size: 1, current_page: 0 } })).body.total).toBe(1);
  });

  it.each([
    ['requested_data', { requested_data: ['id', 'secrets'] }],
    ['requested_data', { requested_data: [] }],
    ['filters', { filters: undefined }],
    ['filters.status_code', { filters: { status_code: 'all' } }],
    ['filters.page_size', { filters: { page_size: 50_001 } }],
    ['filters.workspace_slug', { filters: { workspace_slug: 'another' } }],
    ['filters.unknown', { filters: { unknown: 1 } }],
    ['filters.trace_id', { filters: { trace_id: ' , ' } }],
    [
      'filters.created_at.gte',
      {
        filters: {
          created_at: { gte: '2020-01-01T00:00:00Z' },
          time_of_generation_min: '2026-01-01T00:00:00Z',
        },
      },
    ],
    [
      'filters.created_at.lte',
      {
        filters: {
          created_at: { lte: '2026-01-01T00:00:00Z' },
          time_of_generation_max: '2020-01-01T00:00:00Z',
        },
      },
    ],
    ['format', { format: 'csv' }],
  ])('responds with 400 that names %s', async (param, more) => {
    const { status, body } = await create(more);
    expect([status, (body as unknown as { error: { param: string } }).error.param]).toEqual([400, param]);
  });

  it('accepts changes of an export until it runs', async () => {
    const id = await made();
    const put = (more: object = {}, headers = {}): Promise<GatewayResponse> =>
      admin.put(`/v1/logs/exports/${id}`, {
        key: ours.key,
        headers,
        body: { filters: { status_code: '429' }, ...more },
      });
    expect((await put({ requested_data: ['id'] })).body).toEqual({ id, total: 1, object: 'export' });
    expect((await show(id)).body).toMatchObject({ requested_data: ['id'], filters: { status_code: '429' } });
    expect((await put({}, { 'if-match': '"1"' })).status).toBe(412);
    await act(id, 'start');
    expect([(await put()).status, errorOf(await put())]).toEqual([409, 'conflict']);
    await act(id, 'cancel');
    expect((await put()).status).toBe(200);
  });

  it('starts, cancels and restarts an export, each in a valid order', async () => {
    const id = await made();
    expect((await act(id, 'cancel')).status).toBe(409);
    expect((await act(id, 'start')).body).toEqual({
      message: 'The export has been started.',
      object: 'export',
    });
    expect((await show(id)).body['status']).toBe('in_progress');
    expect((await act(id, 'start')).status).toBe(409);
    await set(id, { rowsDone: 5, position: { createdAt: '2026-01-01', id: uuidv7() }, leaseOwner: 'x' });
    expect((await act(id, 'cancel')).status).toBe(200);
    expect((await show(id)).body['status']).toBe('stopped');
    await act(id, 'start');
    const row = await admin.dataSource.manager.findOneByOrFail(LogExportEntity, { id });
    expect(row).toMatchObject({
      run: 2,
      rowsDone: 0,
      position: null,
      leaseOwner: null,
      status: 'in_progress',
    });
    await set(id, { status: 'success' });
    expect((await act(id, 'start')).status).toBe(409);
  });

  it('[CTL-03] [REL-01 in part] deletes exports that are not running, which are then hidden', async () => {
    const id = await made();
    const remove = (): Promise<GatewayResponse> => admin.delete(`/v1/logs/exports/${id}`, { key: ours.key });
    await act(id, 'start');
    const refused = await remove();
    expect([refused.status, errorOf(refused)]).toEqual([409, 'conflict']);
    expect((await show(id)).status).toBe(200);
    await act(id, 'cancel');
    expect((await remove()).body).toEqual({});
    for (const response of [await show(id), await remove(), await act(id, 'start'), await act(id, 'cancel')])
      expect(response.status).toBe(404);
    const { body } = await admin.get<{ data: Export[] }>('/v1/logs/exports', { key: ours.key });
    expect(body.data.map((each) => each.id)).not.toContain(id);
    for (const status of ['draft', 'success', 'failed'] as const) {
      const other = await made();
      await set(other, { status });
      expect((await admin.delete(`/v1/logs/exports/${other}`, { key: ours.key })).status).toBe(200);
    }
    const actions = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(actions.map(({ action }) => action).sort()).toEqual(['create', 'delete', 'export', 'manage']);
  });

  describe('with restricted fields', () => {
    const settings = (body: object): Promise<GatewayResponse> =>
      admin.put('/v1/admin/organisation/settings', { key: ours.adminKey, body });
    const ofWorkspace = (deniedFields: unknown): Promise<GatewayResponse> =>
      admin.put(`/v1/workspaces/${ours.workspaceId}`, {
        key: ours.adminKey,
        body: { export_settings: { deniedFields } },
      });
    const restrictions = (): Promise<GatewayResponse> =>
      admin.get(`/v1/logs/exports/field-restrictions?workspace_id=${ours.workspaceId}`, {
        key: ours.adminKey,
      });
    afterAll(() =>
      settings({ export_settings: { deniedFields: null }, workspace_overrides: { export_settings: false } }),
    );

    it('[CTL-04] shows the restriction in force: that of the organisation, or of a workspace that may override it', async () => {
      expect((await restrictions()).body).toMatchObject({ deniedFields: [], source: 'organisation' });
      await settings({ export_settings: { deniedFields: ['cost', 'metadata'] } });
      const { body } = await restrictions();
      expect(body).toMatchObject({ workspace_id: ours.workspaceId, deniedFields: ['cost', 'metadata'] });
      expect(body['allowedFields']).toHaveLength(22);
      expect(body['allowedFields']).not.toContain('cost');
      expect((await ofWorkspace(['id'])).status).toBe(400);
      await settings({ workspace_overrides: { export_settings: true } });
      expect((await restrictions()).body).toMatchObject({ source: 'organisation' });
      expect((await ofWorkspace(['id'])).status).toBe(200);
      expect((await restrictions()).body).toMatchObject({ deniedFields: ['id'], source: 'workspace' });
      await settings({ workspace_overrides: { export_settings: false } });
      expect((await restrictions()).body).toMatchObject({ deniedFields: ['cost', 'metadata'] });
      expect((await settings({ export_settings: { deniedFields: ['nothing'] } })).status).toBe(400);
    });

    it('[ERR-04] [REL-06] refuses to save, change or start an export with a denied field, which the error names', async () => {
      await settings({ export_settings: { deniedFields: [] } });
      const id = await made({ requested_data: ['id', 'metadata', 'cost'] });
      await settings({ export_settings: { deniedFields: ['cost', 'metadata'] } });
      const put = admin.put(`/v1/logs/exports/${id}`, { key: ours.key, body: { filters: {} } });
      const responses = [await create({ requested_data: ['id', 'cost'] }), await put, await act(id, 'start')];
      for (const { status, body } of responses as GatewayResponse[]) {
        expect(status).toBe(400);
        expect(body['error']).toMatchObject({ code: 'AB01', param: 'requested_data' });
        expect(JSON.stringify(body)).toContain('cost');
      }
      expect((await show(id)).body['status']).toBe('draft');
      expect((await create({ requested_data: ['id'] })).status).toBe(200);
    });
  });

  describe('for an export that succeeded', () => {
    let id: string;
    const file = (url: string): Promise<GatewayResponse> =>
      admin.get(url.replace('https://gateway.example.com', ''));
    beforeAll(async () => {
      id = await made();
      const parts = ['{"id":"1"}\n', '{"id":"2"}\n'];
      for (const [number, text] of parts.entries()) {
        const key = `exports/${id}/${String(number)}`;
        await store.put(key, Buffer.from(text));
        const part = { exportId: id, number, key, bytes: text.length, rows: 1, meta: null };
        await admin.dataSource.manager.insert(LogExportPartEntity, part);
      }
      await set(id, { status: 'success', run: 1, rowsDone: 2, bytesDone: '22' });
    });
    const link = async (): Promise<string> => {
      const { status, body } = await admin.get(`/v1/logs/exports/${id}/download`, { key: ours.key });
      expect(status).toBe(200);
      return String(body['signed_url']);
    };

    it('returns a signed link to the complete file', async () => {
      const url = await link();
      expect(url).toMatch(/^https:\/\/gateway\.example\.com\/v1\/logs\/exports\//);
      const { status, headers, text } = await file(url);
      expect([status, text]).toEqual([200, '{"id":"1"}\n{"id":"2"}\n']);
      expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'content-length': '22' });
    });

    it('serves nothing for a link that was changed, has expired, or belongs to another run or a deleted export', async () => {
      const url = await link();
      const other = await made();
      const wrong = [
        url.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? '-' : '_'}`),
        url.replace(/expires=(\d)/, 'expires=9$1'),
        url.replace(/expires=\d+/, 'expires=1'),
        url.replace(/&signature=.*/, ''),
        url.replace(/by=key\.[^&]+/, `by=session.${ours.workspaceId}`),
        url.replace(/&by=[^&]+/, ''),
        url.replace(id, other),
      ];
      for (const each of wrong) expect([each, (await file(each)).status]).toEqual([each, 404]);
      await set(id, { run: 2 });
      expect((await file(url)).status).toBe(404);
      await set(id, { run: 1, deletedAt: new Date() });
      expect((await file(url)).status).toBe(404);
      await set(id, { deletedAt: null });
    });

    it('serves nothing for an unexpired link whose key or session has ended', async () => {
      const { organisationId, workspaceId } = ours;
      const key = await admin.apiKey('workspace-service', ours);
      const { email } = await admin.user(organisationId, 'member', { [workspaceId]: 'admin' });
      const token = await admin.login(email);
      const path = `/v1/logs/exports/${id}/download`;
      const links = [
        await admin.get(path, { key }),
        await admin.get(`${path}?workspace_id=${workspaceId}`, { token }),
      ].map(({ body }) => String(body['signed_url']));
      expect(await statusesOf(links)).toEqual([200, 200]);
      const keyId = /by=key\.([^&]+)/.exec(links[0] ?? '')?.[1] ?? '';
      expect((await admin.delete(`/v1/api-keys/${keyId}`, { key: ours.key })).status).toBe(200);
      expect((await admin.post('/v1/auth/logout', { token })).status).toBe(200);
      expect(await statusesOf(links)).toEqual([404, 404]);
    });

    const statusesOf = async (links: readonly string[]): Promise<number[]> =>
      (await Promise.all(links.map(file))).map(({ status }) => status);

    it('returns no link before the export has succeeded', async () => {
      const draft = await made();
      expect((await admin.get(`/v1/logs/exports/${draft}/download`, { key: ours.key })).status).toBe(400);
    });
  });

  it('shows exports of a user key only to its user, with only the data that the user may see', async () => {
    const { organisationId, workspaceId } = ours;
    const user = await admin.user(organisationId, 'member', { [workspaceId]: 'manager' });
    const userKey = await admin.apiKey('workspace-user', { organisationId, workspaceId, userId: user.id });
    const own = await made({}, userKey);
    const foreign = await made();
    expect((await show(own, userKey)).status).toBe(200);
    expect((await show(own)).status).toBe(200);
    expect((await show(foreign, userKey)).status).toBe(404);
    const row = await admin.dataSource.manager.findOneByOrFail(LogExportEntity, { id: own });
    expect([row.attributedUserId, row.onlyUserId]).toEqual([user.id, null]);
  });

  it('hides exports with the data of others from their creator once the settings restrict the creator', async () => {
    const { organisationId, workspaceId, adminKey, key } = await admin.tenant();
    const { email } = await admin.user(organisationId, 'member', { [workspaceId]: 'manager' });
    const token = await admin.login(email);
    const body = { workspace_id: workspaceId, filters: {}, requested_data: FIELDS };
    const draft = async (): Promise<string> =>
      (await admin.post<Export>('/v1/logs/exports', { token, body })).body.id;
    const [before, done] = [await draft(), await draft()];
    await set(done, { status: 'success', run: 1 });
    const security_settings = { ...DEFAULT_SECURITY, managersViewAllData: false };
    const settings = { key: adminKey, body: { security_settings } };
    expect((await admin.put('/v1/admin/organisation/settings', settings)).status).toBe(200);
    const after = await draft();
    const path = `/v1/logs/exports/`;
    const by = `?workspace_id=${workspaceId}`;
    expect((await admin.post(`${path}${before}/start${by}`, { token })).status).toBe(404);
    expect((await admin.get(`${path}${done}/download${by}`, { token })).status).toBe(404);
    expect((await admin.post(`${path}${after}/start${by}`, { token })).status).toBe(200);
    expect((await show(before, key)).status).toBe(200);
  });

  it('responds with 401 without a key, 403 without the scope and 404 to other tenants', async () => {
    const id = await made();
    const at = { organisationId: ours.organisationId, workspaceId: ours.workspaceId };
    const weak = await admin.apiKey('workspace-service', at, ['logs.list', 'logs.view']);
    expect((await admin.get(`/v1/logs/exports/${id}`)).status).toBe(401);
    expect((await show(id, weak)).status).toBe(403);
    for (const key of [theirs.key, theirs.adminKey]) expect((await show(id, key)).status).toBe(404);
  });
});

describe('[ENV-07] DATA_EXPORTS_ENABLED=OFF', () => {
  const admin = new TestAdminApi({ DATA_EXPORTS_ENABLED: 'OFF' });
  const ours = admin.sharedTenant();

  it('closes the routes of exports, but no other routes of logs', async () => {
    const { status, body } = await admin.get('/v1/logs/exports', { key: ours.key });
    expect([status, body['error']]).toEqual([403, expect.objectContaining({ type: 'feature_disabled' })]);
    expect((await admin.get('/v1/logs', { key: ours.key })).status).toBe(200);
  });
});
