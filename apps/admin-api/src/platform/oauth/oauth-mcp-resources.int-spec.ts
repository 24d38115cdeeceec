import { documentKey, INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { OauthConsentEntity, WorkspaceEntity } from '@gw/entities';
import { accessTokenHash } from '@gw/oauth';
import { oauthPepper } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';
import { OauthJourney, PUBLIC_URL, type TokenBody } from './spec-support/oauth-journey';

describe('OAuth tokens for MCP servers', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let slug: string;
  let integrationId: string;
  let toolsId: string;
  beforeAll(async () => {
    const workspace = await api.dataSource.manager.findOneByOrFail(WorkspaceEntity, {
      id: tenant.workspaceId,
    });
    slug = workspace.slug;
    integrationId = (await insertMcpIntegration(api.dataSource.manager, tenant)).id;
    ({ id: toolsId } = await insertServer('tools'));
  });
  const insertServer = (name: string) =>
    insertMcpServer(api.dataSource.manager, tenant, integrationId, { slug: name });
  const resource = (path: string) => ({ resource: `${PUBLIC_URL}${path}`, scope: 'mcp.invoke' });
  const member = () => api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });

  const documentOf = async (token: string): Promise<unknown> => {
    const key = documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), token) ?? '');
    const call = { token: SERVICE_TOKEN, body: { keys: [key] } };
    return (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body.documents[key];
  };

  const make = async (kind: string): Promise<string> => {
    const body = {
      ...{ name: 'Taken', slug: 'taken', workspace_id: tenant.workspaceId },
      ...(kind === '/v1/mcp-servers'
        ? { mcp_integration_id: integrationId }
        : { members: [{ server: 'tools' }] }),
    };
    const made = await api.post<{ id: string }>(kind, { key: tenant.adminKey, body });
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('taken')]);
    return made.body.id;
  };
  const granted = async (user: { readonly email: string }, path: string) => {
    const clientId = await journey.clientId();
    const requested = { ...resource(path), scope: 'mcp.invoke offline_access' };
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId, requested);
    const { status, body } = await journey.exchange(begun, code);
    expect(status).toBe(200);
    return { clientId, body };
  };

  it('are valid only for the path of the server, in its workspace, with the scope for calls', async () => {
    const clientId = await journey.clientId();
    const path = `/${slug}/tools/mcp`;
    const { begun, code } = await journey.code(clientId, await member(), tenant.workspaceId, resource(path));
    const { body } = await journey.exchange(begun, code);
    expect(body.scope).toBe('mcp.invoke');
    expect(await documentOf(body.access_token)).toMatchObject({
      ...{ resourcePath: path, workspaceId: tenant.workspaceId, scopes: ['mcp.invoke'], targetId: toolsId },
    });
  });

  it.each([
    ['/v1/mcp-servers', '/v1/mcp-toolsets'],
    ['/v1/mcp-toolsets', '/v1/mcp-servers'],
  ])(
    'end with their resource, so that they are not valid for another one with the same slug: %s, %s',
    async (...kinds) => {
      const user = await member();
      let former: { readonly clientId: string; readonly body: TokenBody } | undefined;
      for (const kind of kinds) {
        const id = await make(kind);
        if (former) {
          expect(await documentOf(former.body.access_token)).toBeNull();
          const refreshed = await journey.refresh(former.clientId, former.body.refresh_token);
          expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant']);
        }
        for (const path of ['/taken/mcp', `/${id}/mcp`]) {
          const { clientId, body } = await granted(user, path);
          expect(await documentOf(body.access_token)).toMatchObject({ resourcePath: path, targetId: id });
          former = { clientId, body };
        }
        expect((await api.call('DELETE', `${kind}/${id}`, { key: tenant.adminKey })).status).toBe(200);
        expect(await api.dataSource.manager.countBy(OauthConsentEntity, { targetId: id })).toBe(0);
      }
    },
  );

  it('end with the integration of the server', async () => {
    const { manager } = api.dataSource;
    const { id } = await insertMcpIntegration(manager, tenant);
    await insertMcpServer(manager, tenant, id, { slug: 'short-lived' });
    const { body } = await granted(await member(), '/short-lived/mcp');
    expect(await documentOf(body.access_token)).not.toBeNull();
    expect((await api.call('DELETE', `/v1/mcp-integrations/${id}`, { key: tenant.adminKey })).status).toBe(
      200,
    );
    expect(await documentOf(body.access_token)).toBeNull();
  });

  it('are not issued for a resource that does not exist yet, nor for one that ends in the meantime', async () => {
    const user = await member();
    const begun = await journey.begin(await journey.clientId(), resource('/taken/mcp'));
    const page = await journey.signIn(begun, user.email);
    const early = await journey.decide(begun, page, 'approve', tenant.workspaceId);
    expect(early.text).toContain('MCP server taken does not exist in this workspace.');
    for (let round = 0; round < 5; round += 1) {
      const id = await make('/v1/mcp-servers');
      const next = await journey.begin(await journey.clientId(), resource('/taken/mcp'));
      const page = await journey.signIn(next, user.email);
      await Promise.all([
        journey.decide(next, page, 'approve', tenant.workspaceId),
        api.call('DELETE', `/v1/mcp-servers/${id}`, { key: tenant.adminKey }),
      ]);
      expect(await api.dataSource.manager.countBy(OauthConsentEntity, { targetId: id })).toBe(0);
    }
  });

  it.each([
    ['all servers of a workspace that the user chooses', () => '/mcp'],
    ['all servers of a workspace', () => `/${slug}/-/mcp`],
  ])('are valid for %s when the client requests that, and for nothing else', async (_what, pathOf) => {
    const path = pathOf();
    const clientId = await journey.clientId();
    const begun = await journey.begin(clientId, resource(path));
    const page = await journey.signIn(begun, (await member()).email);
    expect(page.text).toContain('All MCP servers');
    const decided = await journey.decide(begun, page, 'approve', tenant.workspaceId);
    const code = (await journey.resume(begun, decided)).get('code') ?? '';
    const { body } = await journey.exchange(begun, code);
    expect(await documentOf(body.access_token)).toMatchObject({
      ...{ resourcePath: path, workspaceId: tenant.workspaceId, scopes: ['mcp.invoke'] },
    });
    const metadata = await api.call('GET', `/.well-known/oauth-protected-resource${path}`);
    expect(metadata.body).toMatchObject({
      resource: `${PUBLIC_URL}${path}`,
      scopes_supported: ['mcp.invoke'],
    });
  });

  it('are not issued for another workspace, and not for a whole organisation', async () => {
    const owner = await api.user(tenant.organisationId, 'owner');
    const other = await api.workspace(tenant.organisationId);
    for (const chosen of [other, '']) {
      const begun = await journey.begin(await journey.clientId(), resource(`/${slug}/tools/mcp`));
      const page = await journey.signIn(begun, owner.email);
      expect(page.text).not.toContain('The whole organisation');
      expect(page.text).not.toContain(other);
      const decided = await journey.decide(begun, page, 'approve', chosen);
      expect(decided.text).toContain('Choose a workspace of yours.');
    }
  });

  it('have no scope of the control plane, and the metadata of the path lists their scopes', async () => {
    const begun = await journey.begin(await journey.clientId(), {
      ...resource(`/${slug}/tools/mcp`),
      scope: 'completions.write',
    });
    expect(String(begun.response.headers['location'])).toContain('invalid_scope');
    const { body } = await api.call('GET', `/.well-known/oauth-protected-resource/${slug}/tools/mcp`);
    expect(body).toMatchObject({
      resource: `${PUBLIC_URL}/${slug}/tools/mcp`,
      scopes_supported: ['mcp.invoke'],
    });
  });

  it('from earlier releases are bound to the resource at their address, or end', async () => {
    const { manager } = api.dataSource;
    const user = await member();
    const toolset = await make('/v1/mcp-toolsets');
    for (const path of ['/tools/mcp', `/${slug}/${toolsId}/mcp`, '/taken/mcp', '/mcp', `/${slug}/-/mcp`])
      await granted(user, path);
    const clientId = await journey.clientId();
    await journey.code(clientId, user, tenant.workspaceId, { resource: `${PUBLIC_URL}/v1` });
    const targets = async (): Promise<unknown[]> => {
      const rows = await manager.findBy(OauthConsentEntity, { userId: user.id });
      return rows.map(({ resource: url, targetId }) => [url, targetId]).sort();
    };
    const before = await targets();
    expect(before).toContainEqual([`${PUBLIC_URL}/taken/mcp`, toolset]);
    const stranger = await member();
    await granted(stranger, '/tools/mcp');
    const gone = { userId: stranger.id };
    await manager.update(OauthConsentEntity, gone, { resource: `${PUBLIC_URL}/gone/mcp` });
    const migration = api.dataSource.migrations.find(({ name }) => name?.startsWith('OauthGrantTargets'));
    const runner = api.dataSource.createQueryRunner();
    try {
      await migration?.down(runner);
      await migration?.up(runner);
    } finally {
      await runner.release();
    }
    expect(await targets()).toEqual(before);
    expect(await manager.countBy(OauthConsentEntity, gone)).toBe(0);
  });
});
