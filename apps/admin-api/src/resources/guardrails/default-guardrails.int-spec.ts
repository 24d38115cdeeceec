import { documentKey, type OrganisationDocument, type WorkspaceDocument } from '@gw/contracts';
import { AuditLogEntity, ChangeEventEntity } from '@gw/entities';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Saved {
  readonly id: string;
  readonly slug: string;
}

interface Defaults {
  readonly input_guardrails: readonly Saved[];
  readonly output_guardrails: readonly Saved[];
}

const api = new TestAdminApi();
const BODY = { name: 'A', checks: [{ id: 'default.contains', parameters: { words: ['a'] } }] };
const URL = '/v1/admin/organisation/defaults';
let tenant: Tenant;
beforeEach(async () => {
  tenant = await api.tenant();
});

async function create(key: string, fields: object = {}): Promise<Saved> {
  const { body, status } = await api.post<Saved>('/v1/guardrails', { key, body: { ...BODY, ...fields } });
  expect(status).toBe(200);
  return { id: body.id, slug: body.slug };
}

const put = (body: object, key = tenant.adminKey): Promise<GatewayResponse<Defaults & Failure>> =>
  api.put(URL, { key, body });
const get = async (): Promise<Defaults> => (await api.get<Defaults>(URL, { key: tenant.adminKey })).body;
const detailsOf = ({ body }: GatewayResponse<Failure>): (string | undefined)[] =>
  (body.error.details ?? []).map(({ path }) => path);

async function documentOf<T>(key: string): Promise<T | undefined> {
  const { body } = await api.post<{ documents: Record<string, T> }>('/internal/v1/documents', {
    token: SERVICE_TOKEN,
    body: { keys: [key] },
  });
  return body.documents[key];
}

describe('default guardrails of an organisation', () => {
  it('are set for input and output by slug or id, and shown with slug and id [CTL-02] [REL-05]', async () => {
    const [a, b] = [await create(tenant.adminKey), await create(tenant.adminKey)];
    expect(await get()).toMatchObject({ input_guardrails: [], output_guardrails: [] });
    const response = await put({ input_guardrails: [b.slug, a.id, b.id.toUpperCase()] });
    expect(response.body).toMatchObject({ input_guardrails: [b, a], output_guardrails: [] });
    await put({ output_guardrails: [a.slug] });
    expect(await get()).toMatchObject({ input_guardrails: [b, a], output_guardrails: [a] });
    await put({ input_guardrails: [] });
    expect(await get()).toMatchObject({ input_guardrails: [], output_guardrails: [a] });
  });

  it('refuse guardrails of a workspace, of another organisation, or for MCP tools [CTL-02]', async () => {
    const stranger = await api.tenant();
    const good = await create(tenant.adminKey);
    const bad = [
      await create(tenant.key),
      await create(stranger.adminKey),
      await create(tenant.adminKey, { target: 'mcp_tools' }),
    ].map(({ slug }) => slug);
    const response = await put({ input_guardrails: [good.slug, ...bad, 'a\u2028b'] });
    expect([response.status, detailsOf(response)]).toEqual([
      400,
      [1, 2, 3, 4].map((index) => `input_guardrails.${String(index)}`),
    ]);
    expect(await get()).toMatchObject({ input_guardrails: [] });
  });

  it('require an organisation key with scopes for the organisation’s settings [SCP-01 in part]', async () => {
    expect((await put({ input_guardrails: [] }, tenant.key)).status).toBe(403);
    const at = { organisationId: tenant.organisationId };
    const reader = await api.apiKey('organisation-service', at, ['organisation_settings.read']);
    expect((await put({ input_guardrails: [] }, reader)).status).toBe(403);
    expect((await api.get(URL, { key: reader })).status).toBe(200);
  });

  it('publish the document of the organisation and write the audit log', async () => {
    const { id, slug } = await create(tenant.adminKey);
    const key = documentKey.organisation(tenant.organisationId);
    expect(await documentOf<OrganisationDocument>(key)).not.toHaveProperty('guardrails');
    await put({ input_guardrails: [slug] });
    const { guardrails } = (await documentOf<OrganisationDocument>(key)) ?? {};
    expect(guardrails).toEqual({ input: [id], output: [] });
    const event = await api.dataSource.manager.find(ChangeEventEntity, {
      order: { sequence: 'DESC' },
      take: 1,
    });
    expect(event[0]?.changed).toEqual([key]);
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: tenant.organisationId });
    expect(rows).toHaveLength(1);
  });

  it('cannot be deleted as guardrails', async () => {
    const { slug } = await create(tenant.adminKey);
    await put({ output_guardrails: [slug] });
    const remove = (): Promise<GatewayResponse<Failure>> =>
      api.delete(`/v1/guardrails/${slug}`, { key: tenant.adminKey });
    const refused = await remove();
    expect([refused.status, detailsOf(refused)]).toEqual([409, ['organisation.defaults.output_guardrails']]);
    await put({ output_guardrails: [] });
    expect((await remove()).status).toBe(200);
  });

  it('return 412 for a stale If-Match', async () => {
    const { headers } = await api.get(URL, { key: tenant.adminKey });
    const send = (): Promise<GatewayResponse> =>
      api.put(URL, {
        key: tenant.adminKey,
        body: { input_guardrails: [] },
        headers: { 'if-match': String(headers['etag']) },
      });
    await api.put('/v1/admin/organisation', { key: tenant.adminKey, body: { name: 'New' } });
    expect((await send()).status).toBe(412);
  });
});

describe('default guardrails of a workspace', () => {
  const save = (defaults: unknown): Promise<GatewayResponse<Failure>> =>
    api.put(`/v1/workspaces/${tenant.workspaceId}`, { key: tenant.adminKey, body: { defaults } });
  const shown = async (): Promise<object> =>
    (await api.get<{ defaults: object }>(`/v1/workspaces/${tenant.workspaceId}`, { key: tenant.adminKey }))
      .body.defaults;

  it('may be guardrails of the workspace or organisation, are shown by slug, and published by id [GRD-02]', async () => {
    const [own, common] = [await create(tenant.key), await create(tenant.adminKey)];
    expect((await save({ input_guardrails: [common.slug, own.id] })).status).toBe(200);
    await save({ output_guardrails: [own.slug] });
    await save({ metadata: { team: 'a' } });
    expect(await shown()).toMatchObject({
      metadata: { team: 'a' },
      input_guardrails: [common.slug, own.slug],
      output_guardrails: [own.slug],
    });
    const key = documentKey.workspace(tenant.workspaceId);
    expect((await documentOf<WorkspaceDocument>(key))?.defaults.guardrails).toEqual({
      input: [common.id, own.id],
      output: [own.id],
    });
    const refused = await api.delete<Failure>(`/v1/guardrails/${own.slug}`, { key: tenant.key });
    expect([refused.status, detailsOf(refused).length]).toEqual([409, 2]);
    await save(null);
    expect(await shown()).toMatchObject({ metadata: null, input_guardrails: [], output_guardrails: [] });
    expect((await documentOf<WorkspaceDocument>(key))?.defaults).not.toHaveProperty('guardrails');
    expect((await api.delete(`/v1/guardrails/${own.slug}`, { key: tenant.key })).status).toBe(200);
  });

  it('refuse guardrails of another workspace or organisation', async () => {
    const second = await api.workspace(tenant.organisationId);
    const sibling = await create(tenant.adminKey, { workspace_id: second });
    const stranger = await create((await api.tenant()).adminKey);
    const response = await save({ input_guardrails: [sibling.id], output_guardrails: [] });
    expect([response.status, detailsOf(response)]).toEqual([400, ['defaults.input_guardrails.0']]);
    expect((await save({ output_guardrails: [stranger.slug] })).status).toBe(400);
  });

  it('may only be guardrails of the organisation when a workspace is created', async () => {
    const [own, common] = [await create(tenant.key), await create(tenant.adminKey)];
    const make = (slug: string): Promise<GatewayResponse<{ defaults: object } & Failure>> =>
      api.post('/v1/workspaces', {
        key: tenant.adminKey,
        body: { name: 'New', defaults: { input_guardrails: [slug] } },
      });
    expect((await make(own.slug)).status).toBe(400);
    const made = await make(common.slug);
    expect([made.status, made.body.defaults]).toEqual([
      200,
      expect.objectContaining({ input_guardrails: [common.slug] }),
    ]);
  });
});

describe('GUARDRAILS_ENABLED', () => {
  const disabledApi = new TestAdminApi({ GUARDRAILS_ENABLED: 'OFF' });

  it('closes every guardrail route when it is off [ENV-07]', async () => {
    const { key, adminKey } = await disabledApi.tenant();
    for (const path of ['/v1/guardrails', '/v2/guardrails/pg-000000', URL]) {
      const { status, body } = await disabledApi.get<Failure>(path, { key: path === URL ? adminKey : key });
      expect([path, status, body.error.type]).toEqual([path, 403, 'feature_disabled']);
    }
  });
});
