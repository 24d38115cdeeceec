import { documentKey, INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { insertAgentIntegration, insertAgentServer } from '../../spec-support/agent-servers';
import { OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

describe('OAuth tokens for agents', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);

  it('are valid only for the path of the agent, in its workspace, with the scope for calls', async () => {
    const { slug } = await api.dataSource.manager.findOneByOrFail(WorkspaceEntity, {
      id: tenant.workspaceId,
    });
    const { manager } = api.dataSource;
    const { id: integrationId } = await insertAgentIntegration(manager, tenant);
    const { id: targetId } = await insertAgentServer(manager, tenant, integrationId, { slug: 'travel' });
    const member = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const keys: string[] = [];
    for (const path of [`/${slug}/agents/travel`, '/v1/agent/travel']) {
      const resource = { resource: `${PUBLIC_URL}${path}`, scope: 'agents.invoke' };
      const client = await journey.clientId();
      const { begun, code } = await journey.code(client, member, tenant.workspaceId, resource);
      const { body } = await journey.exchange(begun, code);
      expect(body.scope).toBe('agents.invoke');
      const key = documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), body.access_token) ?? '');
      const call = { token: SERVICE_TOKEN, body: { keys: [key] } };
      keys.push(key);
      const { documents } = (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body;
      expect(documents[key]).toMatchObject({
        ...{ resourcePath: path, workspaceId: tenant.workspaceId, scopes: ['agents.invoke'], targetId },
      });
    }
    expect((await api.call('DELETE', `/v1/agent-servers/${targetId}`, { key: tenant.adminKey })).status).toBe(
      200,
    );
    const call = { token: SERVICE_TOKEN, body: { keys } };
    const { documents } = (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body;
    expect(Object.values(documents)).toEqual([null, null]);
    const { body } = await api.call('GET', `/.well-known/oauth-protected-resource/${slug}/agents/travel`);
    expect(body).toMatchObject({ scopes_supported: ['agents.invoke'] });
  });

  it('are not issued for a whole organisation, since agents are called in a workspace', async () => {
    const owner = await api.user(tenant.organisationId, 'owner');
    const resource = { resource: `${PUBLIC_URL}/v1/agent/travel`, scope: 'agents.invoke' };
    const begun = await journey.begin(await journey.clientId(), resource);
    const page = await journey.signIn(begun, owner.email);
    expect(page.text).not.toContain('The whole organisation');
    const decided = await journey.decide(begun, page, 'approve', '');
    expect(decided.text).toContain('Choose a workspace of yours.');
  });

  it('have no scope of MCP servers', async () => {
    const begun = await journey.begin(await journey.clientId(), {
      ...{ resource: `${PUBLIC_URL}/v1/agent/travel`, scope: 'mcp.invoke' },
    });
    expect(String(begun.response.headers['location'])).toContain('invalid_scope');
  });
});
