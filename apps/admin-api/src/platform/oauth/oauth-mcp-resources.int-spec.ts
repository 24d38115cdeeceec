import { documentKey, INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { accessTokenHash } from '@gw/oauth';
import { oauthPepper } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

describe('OAuth tokens for MCP servers', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
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

  const documentOf = async (token: string): Promise<unknown> => {
    const key = documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), token) ?? '');
    const call = { token: SERVICE_TOKEN, body: { keys: [key] } };
    return (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body.documents[key];
  };

  it('are for the path of the server alone, in its workspace, with the scope of calls', async () => {
    const clientId = await journey.clientId();
    const path = `/${slug}/tools/mcp`;
    const { begun, code } = await journey.code(clientId, await member(), tenant.workspaceId, resource(path));
    const { body } = await journey.exchange(begun, code);
    expect(body.scope).toBe('mcp.invoke');
    expect(await documentOf(body.access_token)).toMatchObject({
      ...{ resourcePath: path, workspaceId: tenant.workspaceId, scopes: ['mcp.invoke'] },
    });
  });

  it.each([
    ['all servers of a workspace that the user chooses', () => '/mcp'],
    ['all servers of a workspace', () => `/${slug}/-/mcp`],
  ])('are for %s when the client asks for that, and for nothing else', async (_what, pathOf) => {
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
