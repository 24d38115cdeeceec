import { documentKey, type OrganisationDocument } from '@gw/contracts';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const admin = new TestAdminApi();
const tenant = admin.sharedTenant();
const URL = '/v1/admin/organisation/properties';
const SCHEMA = {
  type: 'object',
  additionalProperties: true,
  required: ['team'],
  properties: { team: { type: 'string', enum: ['a', 'b'] }, env: { type: 'string', default: 'prod' } },
};

const put = (body: object, headers = {}): Promise<GatewayResponse<Failure>> =>
  admin.put(URL, { key: tenant.adminKey, body, headers });
const newKey = (metadata?: object): Promise<GatewayResponse<{ id: string } & Failure>> =>
  admin.post('/v1/api-keys/workspace/service', {
    key: tenant.key,
    body: { name: 'x', scopes: ['logs.list'], ...(metadata ? { defaults: { metadata } } : {}) },
  });

describe('organisation properties', () => {
  it('are read and written with an etag, and an unsupported schema is refused', async () => {
    const first = await admin.get<{ etag: string }>(URL, { key: tenant.adminKey });
    expect(first.body).toMatchObject({ api_key_metadata_schema: null, object: 'organisation-properties' });
    expect((await put({ request_metadata_schema: SCHEMA }, { 'if-match': first.body.etag })).status).toBe(
      200,
    );
    expect((await put({ request_metadata_schema: null }, { 'if-match': first.body.etag })).status).toBe(412);
    const bad = await put({ workspace_metadata_schema: { ...SCHEMA, additionalProperties: false } });
    expect([bad.status, bad.body.error?.param]).toEqual([
      400,
      'workspace_metadata_schema.additionalProperties',
    ]);
    expect((await admin.get(URL, { key: tenant.key })).status).toBe(403);
  });

  it('are checked against the metadata of keys, at creation and update', async () => {
    expect((await newKey()).status).toBe(200);
    await put({ api_key_metadata_schema: SCHEMA });
    const none = await newKey();
    expect([none.status, none.body.error?.param]).toEqual([400, 'defaults.metadata.team']);
    expect((await newKey({ team: 'c' })).status).toBe(400);
    const { id } = (await newKey({ team: 'a', more: '1' })).body;
    const get = async (): Promise<unknown> =>
      (await admin.get<{ defaults: object }>(`/v1/api-keys/${id}`, { key: tenant.key })).body.defaults;
    expect(await get()).toMatchObject({ metadata: { team: 'a', more: '1', env: 'prod' } });
    const change = (metadata: object): Promise<GatewayResponse> =>
      admin.put(`/v1/api-keys/${id}`, { key: tenant.key, body: { defaults: { metadata } } });
    expect((await change({ team: 'z' })).status).toBe(400);
    expect((await change({ team: 'b' })).status).toBe(200);
    await put({ api_key_metadata_schema: null });
    expect((await newKey()).status).toBe(200);
  });

  it('are checked against the metadata of workspaces', async () => {
    await put({ workspace_metadata_schema: SCHEMA });
    const make = (metadata?: object): Promise<GatewayResponse<{ id: string; defaults: object } & Failure>> =>
      admin.post('/v1/workspaces', {
        key: tenant.adminKey,
        body: { name: 'W', ...(metadata ? { defaults: { metadata } } : {}) },
      });
    const none = await make();
    expect([none.status, none.body.error?.param]).toEqual([400, 'defaults.metadata.team']);
    expect((await make({ team: 'c' })).status).toBe(400);
    const { body, status } = await make({ team: 'a' });
    expect([status, body.defaults]).toMatchObject([200, { metadata: { team: 'a', env: 'prod' } }]);
    const refused = { key: tenant.adminKey, body: { defaults: { metadata: { team: 'c' } } } };
    expect((await admin.put(`/v1/workspaces/${body.id}`, refused)).status).toBe(400);
    await put({ workspace_metadata_schema: null });
  });

  it('are published to gateways', async () => {
    await put({ request_metadata_schema: SCHEMA });
    const key = documentKey.organisation(tenant.organisationId);
    const response = await admin.post<{ documents: Record<string, OrganisationDocument> }>(
      '/internal/v1/documents',
      {
        token: SERVICE_TOKEN,
        body: { keys: [key] },
      },
    );
    expect(response.body.documents[key]?.requestMetadataSchema).toEqual(SCHEMA);
  });
});
