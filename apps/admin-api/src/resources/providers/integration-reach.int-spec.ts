import { TestAdminApi } from '../../spec-support/admin-api';
import { createIntegration, integrationBody, type CreatedIntegration } from '../../spec-support/integrations';

const api = new TestAdminApi();
const tenant = api.sharedTenant();
const other = api.sharedTenant();

const create = (more: object = {}, key = tenant.adminKey): Promise<CreatedIntegration> =>
  createIntegration(api, key, more);

describe('access to integrations', () => {
  const calls = (reference: string): (readonly [string, string, object?])[] => [
    ['GET', `/v1/integrations/${reference}`],
    ['PUT', `/v1/integrations/${reference}`, { name: 'x' }],
    ['DELETE', `/v1/integrations/${reference}`],
    ['GET', `/v1/integrations/${reference}/models`],
    ['PUT', `/v1/integrations/${reference}/integration-models`, { models: [] }],
    ['DELETE', `/v1/integrations/${reference}/models?slugs=a`],
    ['GET', `/v1/integrations/${reference}/workspaces`],
    ['PUT', `/v1/integrations/${reference}/workspaces`, { workspaces: [] }],
  ];

  it('returns the same 404 for another organisation, another workspace, and an unknown integration', async () => {
    const { id, slug } = await create({}, tenant.key);
    const sibling = await api.workspace(tenant.organisationId);
    const at = { organisationId: tenant.organisationId, workspaceId: sibling };
    const siblingKey = await api.apiKey('workspace-service', at);
    const bodies = new Set<string>();
    for (const key of [other.adminKey, other.key, siblingKey]) {
      for (const reference of [id, slug, '0193f0aa-0000-7000-8000-000000000000', 'unknown']) {
        for (const [method, url, change] of calls(reference)) {
          const response = await api.call(method, url, { key, ...(change ? { body: change } : {}) });
          expect([method, url, response.status]).toEqual([method, url, 404]);
          bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
        }
      }
    }
    expect(bodies.size).toBe(1);
  });

  it('returns 404 to a workspace key for an integration of its organisation', async () => {
    const { id } = await create();
    for (const [method, url, change] of calls(id)) {
      const response = await api.call(method, url, { key: tenant.key, ...(change ? { body: change } : {}) });
      expect([method, url, response.status]).toEqual([method, url, 404]);
    }
  });

  it('returns 401 without a key and 403 without the scope', async () => {
    const { id } = await create();
    const at = { organisationId: tenant.organisationId };
    const weak = await api.apiKey('organisation-service', at, ['configs.list']);
    const all: (readonly [string, string, object?])[] = [
      ...calls(id),
      ['GET', '/v1/integrations'],
      ['POST', '/v1/integrations', integrationBody()],
      ['GET', '/v1/utils/static-resources/integration-providers'],
    ];
    for (const [method, url, change] of all) {
      const request = change ? { body: change } : {};
      expect((await api.call(method, url, request)).status).toBe(401);
      expect((await api.call(method, url, { ...request, key: weak })).status).toBe(403);
    }
  });

  it('refuses to create an integration of the organisation with a workspace scope', async () => {
    const at = { organisationId: tenant.organisationId };
    const key = await api.apiKey('organisation-service', at, ['workspace_integrations.create']);
    expect((await api.post('/v1/integrations', { key, body: integrationBody() })).status).toBe(403);
    const named = await api.post('/v1/integrations', {
      key,
      body: integrationBody({ workspace_id: tenant.workspaceId }),
    });
    expect(named.status).toBe(200);
  });

  it('allows owners all actions, workspace members reads, and other sessions nothing', async () => {
    const sibling = await api.workspace(tenant.organisationId);
    const token = async (...user: Parameters<typeof api.user>): Promise<string> =>
      api.login((await api.user(...user)).email);
    const owner = await token(tenant.organisationId, 'owner');
    const member = await token(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const stranger = await token(tenant.organisationId, 'member', { [sibling]: 'admin' });
    const outsider = await token(other.organisationId, 'owner');
    const { id } = await create({}, tenant.key);
    const url = `/v1/integrations/${id}`;
    const status = async (session: string, change?: object): Promise<number> =>
      (await api.call(change ? 'PUT' : 'GET', url, { token: session, ...(change ? { body: change } : {}) }))
        .status;
    expect([await status(owner), await status(owner, { name: 'x' })]).toEqual([200, 200]);
    expect([await status(member), await status(member, { name: 'x' })]).toEqual([200, 403]);
    expect([await status(stranger), await status(stranger, { name: 'x' })]).toEqual([404, 404]);
    expect([await status(outsider), await status(outsider, { name: 'x' })]).toEqual([404, 404]);
  });
});
