import { TestAdminApi } from '../../spec-support/admin-api';
import { UNKNOWN_ID } from '../../spec-support/api-keys';
import type { PermissionsResponse } from './permissions.dto';

describe('explained permissions', () => {
  const admin = new TestAdminApi();
  const ours = admin.standingTenant();
  const theirs = admin.standingTenant();

  it('name the role, the source of each membership and the settings that decide', async () => {
    const { id, email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const token = await admin.login(email);
    const own = await admin.get<PermissionsResponse>('/v1/auth/permissions', { token });
    const seen = await admin.get<PermissionsResponse>(`/v1/users/${id}/permissions`, { key: ours.adminKey });
    expect(own.status).toBe(200);
    expect(seen.body).toEqual(own.body);
    expect(own.body).toMatchObject({
      user_id: id,
      organisation: { id: ours.organisationId, role: 'member' },
      workspaces: [{ id: ours.workspaceId, role: 'manager', source: 'manual' }],
    });
    const [workspace] = own.body.workspaces;
    const setting = workspace?.settings.find(({ name }) => name === 'managersWriteMcpServers');
    expect(setting?.scopes).toContain('mcp_servers.create');
    for (const { allows, scopes } of workspace?.settings ?? []) {
      for (const scope of scopes) expect(workspace?.scopes.includes(scope)).toBe(allows);
    }
  });

  it('refuse a member who queries another user, and hide users of other organisations', async () => {
    const { email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const other = await admin.user(theirs.organisationId, 'member');
    const token = await admin.login(email);
    const statusOf = async (id: string, by: object): Promise<number> =>
      (await admin.get(`/v1/users/${id}/permissions`, by)).status;
    expect(await statusOf(other.id, { token })).toBe(403);
    expect(await statusOf(other.id, { key: ours.adminKey })).toBe(404);
    expect(await statusOf(UNKNOWN_ID, { key: ours.adminKey })).toBe(404);
    expect(await statusOf('nobody', { key: ours.adminKey })).toBe(404);
    expect((await admin.get('/v1/auth/permissions', { key: ours.key })).status).toBe(401);
  });
});
