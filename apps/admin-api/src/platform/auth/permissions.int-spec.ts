import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';
import { UNKNOWN_ID } from '../../spec-support/api-keys';
import type { OwnPermissionsResponse, PermissionsResponse } from './permissions.dto';

describe('explained permissions', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

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

  it('are refused to a member for another user, and hide users of other organisations', async () => {
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

  it('of a workspace name the closed capabilities, whose setting closes them, and how many users can open them', async () => {
    const { organisationId, workspaceId } = await admin.tenant();
    const { email } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
    await admin.user(organisationId, 'owner');
    await admin.user(organisationId, 'admin', { [workspaceId]: 'admin' });
    await admin.user(organisationId, 'member', { [workspaceId]: 'admin' });
    await admin.user(organisationId, 'member', { [workspaceId]: 'manager' });
    const { manager } = admin.dataSource;
    await manager.update(
      OrganisationEntity,
      { id: organisationId },
      { securitySettings: { membersViewPrompts: false }, workspaceOverrides: { logs: true } },
    );
    const own = { securitySettings: { membersViewLogs: false, membersViewConfigs: false } };
    await manager.update(WorkspaceEntity, { id: workspaceId }, own);
    const path = `/v1/auth/permissions?workspace_id=${workspaceId}`;
    const { body } = await admin.get<OwnPermissionsResponse>(path, { token: await admin.login(email) });
    const off = (capability: string, from: string): object => ({
      ...{ capability, setting: `members${capability}`, from },
    });
    expect(body.closed).toEqual([
      off('ViewLogs', 'workspace'),
      off('WriteConfigs', 'organisation'),
      off('ViewPrompts', 'organisation'),
      off('WritePrompts', 'organisation'),
      off('WriteGuardrails', 'organisation'),
      off('WriteVirtualKeys', 'organisation'),
    ]);
    expect(body).toMatchObject({ admins_count: 3, features_off: [] });
    expect(body.scopes).toEqual(body.workspaces[0]?.scopes);
    const foreign = `/v1/auth/permissions?workspace_id=${theirs.workspaceId}`;
    expect((await admin.get(foreign, { token: await admin.login(email) })).status).toBe(404);
  });
});
