import { AuditLogEntity, McpServerEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';
import { CALLBACK, OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

const CLIENTS = '/v1/admin/organisation/oauth-clients';
const LOOPBACK = 'http://127.0.0.1/cb';

type Parameters = Readonly<Record<string, string>>;

describe('a consent that a user has given before', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);

  const member = (): Promise<{ readonly id: string; readonly email: string }> =>
    api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
  async function clientOf(body: object = {}): Promise<string> {
    const made = await api.post<{ id: string }>(CLIENTS, {
      key: tenant.adminKey,
      body: { name: 'Portal', redirect_uris: [CALLBACK], ...body },
    });
    return made.body.id;
  }
  /** Returns the page after a sign-in: a consent page, or one that continues. */
  async function pageAfterSignIn(
    clientId: string,
    email: string,
    more: Parameters = {},
  ): Promise<GatewayResponse> {
    return journey.signIn(await journey.begin(clientId, more), email);
  }
  const asks = (page: GatewayResponse): boolean => page.text.includes('name="csrf"');

  it('is not requested again, and a client with an earlier consent gets a code', async () => {
    const [user, clientId] = [await member(), await clientOf()];
    const scope = 'logs.list completions.write';
    expect(asks(await pageAfterSignIn(clientId, user.email, { scope }))).toBe(true);
    await journey.code(clientId, user, tenant.workspaceId, { scope });

    const begun = await journey.begin(clientId, { scope: 'logs.list' });
    const page = await journey.signIn(begun, user.email);
    expect([page.status, asks(page)]).toEqual([200, false]);
    const query = await journey.resume(begun, page);
    const token = await journey.exchange(begun, query.get('code') ?? '');
    expect([token.status, token.body.scope]).toEqual([200, 'logs.list']);
    const { body } = await journey.introspect(token.body.access_token, tenant.adminKey);
    expect(body).toMatchObject({ active: true, workspace_id: tenant.workspaceId });
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, {
      userId: user.id,
      resourceType: 'oauth_grants',
    });
    expect(rows.map(({ after }) => (after as { by?: string }).by)).toEqual([undefined, 'remembered']);
  });

  it.each([
    ['asks for more', { scope: 'logs.list' }, { scope: 'logs.list completions.write' }],
    ['sends prompt=consent', {}, { prompt: 'consent' }],
  ])('is requested again if the client %s', async (_, first: Parameters, then: Parameters) => {
    const [user, clientId] = [await member(), await clientOf()];
    await journey.code(clientId, user, tenant.workspaceId, first);
    expect(asks(await pageAfterSignIn(clientId, user.email, then))).toBe(true);
  });

  it('is requested again after the end of its grant, and from another user', async () => {
    const [user, other, clientId] = [await member(), await member(), await clientOf()];
    await journey.code(clientId, user, tenant.workspaceId);
    expect(asks(await pageAfterSignIn(clientId, other.email))).toBe(true);
    const token = await api.login(user.email);
    const { body } = await api.get<{ data: { id: string }[] }>('/v1/auth/grants', { token });
    expect(body.data).toHaveLength(1);
    await journey.code(clientId, user, tenant.workspaceId);
    // The removed grant is one of two equal ones; the other one ends with it.
    expect((await api.delete(`/v1/auth/grants/${String(body.data[0]?.id)}`, { token })).status).toBe(200);
    expect(asks(await pageAfterSignIn(clientId, user.email))).toBe(true);
  });

  it('is requested again in a session that was opened for another request, as in a shared browser', async () => {
    const [user, clientId, other] = [await member(), await clientOf(), await clientOf({ name: 'Other' })];
    await journey.code(clientId, user, tenant.workspaceId);
    const left = await journey.begin(other);
    expect(asks(await journey.signIn(left, user.email))).toBe(true);
    await api.dataSource.query(
      `UPDATE sessions SET created_at = created_at - interval '2 s' WHERE user_id = $1`,
      [user.id],
    );
    const begun = await journey.begin(clientId, {}, left.browser);
    const page = await left.browser.open(String(begun.response.headers['location']));
    expect([page.status, asks(page)]).toEqual([200, true]);
  });

  it('is remembered at most twenty times at the same time: the oldest remembered grant ends, and the original one stays', async () => {
    const [user, clientId] = [await member(), await clientOf()];
    const agreed = await journey.code(clientId, user, tenant.workspaceId);
    const first = await journey.code(clientId, user, tenant.workspaceId);
    for (let time = 0; time < 20; time += 1) await journey.code(clientId, user, tenant.workspaceId);
    const { body } = await api.get<{ total: number }>('/v1/auth/grants', {
      token: await api.login(user.email),
    });
    expect(body.total).toBe(21);
    expect((await journey.exchange(first.begun, first.code)).status).toBe(400);
    expect((await journey.exchange(agreed.begun, agreed.code)).status).toBe(200);
  });

  it('is requested again if the client has consents for two workspaces', async () => {
    const [user, clientId] = [await member(), await clientOf()];
    const second = await api.workspace(tenant.organisationId);
    await api.dataSource.manager.query(
      `INSERT INTO workspace_users (workspace_id, user_id, role) VALUES ($1, $2, 'manager')`,
      [second, user.id],
    );
    await journey.code(clientId, user, tenant.workspaceId);
    const begun = await journey.begin(clientId, { prompt: 'consent' });
    await journey.decide(begun, await journey.signIn(begun, user.email), 'approve', second);
    expect(asks(await pageAfterSignIn(clientId, user.email))).toBe(true);
  });

  it('is requested each time for clients that registered themselves, and for public clients on loopback', async () => {
    const user = await member();
    const dynamic = await journey.clientId();
    await journey.code(dynamic, user, tenant.workspaceId);
    expect(asks(await pageAfterSignIn(dynamic, user.email))).toBe(true);

    const native = await clientOf({ redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'none' });
    const at = { redirect_uri: LOOPBACK };
    await journey.code(native, user, tenant.workspaceId, at);
    expect(asks(await pageAfterSignIn(native, user.email, at))).toBe(true);
  });

  it('is requested again if another server has the address', async () => {
    const [user, clientId] = [await member(), await clientOf()];
    const { manager } = api.dataSource;
    const { id: integrationId } = await insertMcpIntegration(manager, tenant);
    const { id } = await insertMcpServer(manager, tenant, integrationId, { slug: 'reused' });
    const at = { resource: `${PUBLIC_URL}/reused/mcp`, scope: 'mcp.invoke' };
    await journey.code(clientId, user, tenant.workspaceId, at);
    expect(asks(await pageAfterSignIn(clientId, user.email, at))).toBe(false);
    await manager.update(McpServerEntity, { id }, { status: 'archived' });
    await insertMcpServer(manager, tenant, integrationId, { slug: 'reused' });
    expect(asks(await pageAfterSignIn(clientId, user.email, at))).toBe(true);
  });

  it('gives nothing that the user has lost since', async () => {
    const [user, clientId] = [await member(), await clientOf()];
    await journey.code(clientId, user, tenant.workspaceId, { scope: 'configs.create' });
    await api.dataSource.manager.query(
      `UPDATE workspace_users SET role = 'member' WHERE user_id = $1 AND workspace_id = $2`,
      [user.id, tenant.workspaceId],
    );
    expect(asks(await pageAfterSignIn(clientId, user.email, { scope: 'configs.create' }))).toBe(true);
  });
});
