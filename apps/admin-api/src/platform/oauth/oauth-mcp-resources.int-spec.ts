import { documentKey, INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { accessTokenHash } from '@gw/oauth';
import { oauthPepper } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

describe('OAuth tokens for MCP servers', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.standingTenant();
  const journey = new OauthJourney(api);
  let slug: string;
  beforeAll(async () => {
    const workspace = await api.dataSource.manager.findOneByOrFail(WorkspaceEntity, {
      id: tenant.workspaceId,
    });
    slug = workspace.slug;
  });
  const resource = (path: string) => ({ resource: `${PUBLIC_URL}${path}`, scope: 'mcp.invoke' });
  const member = () => api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });

  it('are for the path of the server alone, in its workspace, with the scope of calls', async () => {
    const clientId = await journey.clientId();
    const path = `/${slug}/tools/mcp`;
    const { begun, code } = await journey.code(clientId, await member(), tenant.workspaceId, resource(path));
    const { body } = await journey.exchange(begun, code);
    expect(body.scope).toBe('mcp.invoke');
    const key = documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), body.access_token) ?? '');
    const call = { token: SERVICE_TOKEN, body: { keys: [key] } };
    const { documents } = (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body;
    expect(documents[key]).toMatchObject({
      ...{ resourcePath: path, workspaceId: tenant.workspaceId, scopes: ['mcp.invoke'] },
    });
  });

  it('are for no other workspace, and for no organisation', async () => {
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

  it('have no scope of the control plane, and name theirs in the metadata of the path', async () => {
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
});
