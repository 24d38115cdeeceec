import { LogExportEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { accessToken } from '../../spec-support/access-tokens';
import { insertMcpApproval, insertMcpIntegration, insertMcpServer } from '../../spec-support/mcp-servers';
import { PUBLIC_URL } from '../oauth/spec-support/oauth-journey';

describe("a client with a user's OAuth token", () => {
  const admin = new TestAdminApi({ PUBLIC_URL });
  const ours = admin.sharedTenant();

  const resultOf = ({ status, body }: GatewayResponse): unknown[] => [
    status,
    (body['error'] as { type?: string } | undefined)?.type,
  ];

  it('gets no link for a new password and resets no second factors, unlike an owner who has logged in', async () => {
    const owner = await admin.user(ours.organisationId, 'owner');
    const other = await admin.user(ours.organisationId, 'admin');
    const scopes = ['organisation_users.update'];
    const token = await accessToken(admin, ours, { who: owner, scopes, workspaceId: '' });
    const session = await admin.login(owner.email);
    for (const path of ['password-reset', 'mfa-reset']) {
      const url = `/v1/admin/users/${other.id}/${path}`;
      expect([path, ...resultOf(await admin.post(url, { token }))]).toEqual([path, 403, 'forbidden']);
      expect([path, (await admin.post(url, { token: session })).status]).toEqual([path, 200]);
    }
  });

  it('cannot approve a tool call that its user makes', async () => {
    const user = await admin.user(ours.organisationId, 'admin');
    const { manager } = admin.dataSource;
    const { id: integrationId } = await insertMcpIntegration(manager, ours);
    const { id: serverId } = await insertMcpServer(manager, ours, integrationId);
    const { id } = await insertMcpApproval(manager, ours, serverId, { userId: user.id });
    const { workspaceId } = ours;
    const token = await accessToken(admin, ours, { who: user, scopes: ['mcp_servers.update'], workspaceId });
    const url = `/v1/mcp-approvals/${id}/approve`;
    expect(resultOf(await admin.post(url, { token, body: {} }))).toEqual([403, 'forbidden']);
    expect((await admin.post(url, { token: await admin.login(user.email), body: {} })).status).toBe(200);
  });

  it('gets links to exported logs that end with its grant', async () => {
    const { id } = (
      await admin.post<{ id: string }>('/v1/logs/exports', {
        key: ours.key,
        body: { filters: {}, requested_data: ['id'] },
      })
    ).body;
    await admin.dataSource.manager.update(LogExportEntity, { id }, { status: 'success', run: 1 });
    const user = await admin.user(ours.organisationId, 'admin');
    const { workspaceId } = ours;
    const token = await accessToken(admin, ours, { who: user, scopes: ['logs.export'], workspaceId });
    const { body } = await admin.get(`/v1/logs/exports/${id}/download`, { token });
    const { pathname, search } = new URL(String(body['signed_url']));
    expect((await admin.get(pathname + search)).status).toBe(200);
    const session = await admin.login(user.email);
    const { data } = (await admin.get<{ data: { id: string }[] }>('/v1/auth/grants', { token: session }))
      .body;
    for (const grant of data)
      expect((await admin.delete(`/v1/auth/grants/${grant.id}`, { token: session })).status).toBe(200);
    expect(data).toHaveLength(1);
    expect((await admin.get(pathname + search)).status).toBe(404);
  });
});
