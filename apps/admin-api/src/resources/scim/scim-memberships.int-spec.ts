import { ScimWorkspaceMappingEntity, UserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider } from './spec-support/identity-provider';

describe('workspaces of users in SCIM groups', () => {
  const api = new TestAdminApi();
  const fresh = async (): Promise<IdentityProvider> => IdentityProvider.of(api, await api.tenant());
  const mapped = async (provider: IdentityProvider, groupId: string): Promise<string> => {
    const { organisationId } = provider.tenant;
    const workspaceId = await api.workspace(organisationId);
    const mapping = { id: uuidv7(), organisationId, groupId, workspaceId, role: 'member' as const };
    await api.dataSource.manager.insert(ScimWorkspaceMappingEntity, mapping);
    return workspaceId;
  };
  const isIn = (workspaceId: string, userId: string): Promise<boolean> =>
    api.dataSource.manager.existsBy(WorkspaceUserEntity, { workspaceId, userId });

  it('have no users whom an administrator has removed from the organisation', async () => {
    const provider = await fresh();
    const userId = await provider.user('ann@example.org');
    const group = await provider.group('Engineering');
    const workspaceId = await mapped(provider, group);
    const removed = await api.delete(`/v1/admin/users/${userId}`, { key: provider.tenant.adminKey });
    const member = { op: 'add', path: 'members', value: [{ value: userId }] };
    const added = await provider.patch(`/Groups/${group}`, member);
    expect([removed.status, added.status, await isIn(workspaceId, userId)]).toEqual([200, 200, false]);
  });

  it('have users who were in a group before SCIM managed them', async () => {
    const provider = await fresh();
    const { organisationId, workspaceId: own } = provider.tenant;
    const { id } = await api.user(organisationId, 'member', { [own]: 'member' });
    await api.dataSource.manager.update(UserEntity, { id }, { email: 'dora@example.org' });
    const workspaceId = await mapped(provider, await provider.group('Engineering', [id]));
    expect(await isIn(workspaceId, id)).toBe(false);
    expect(await provider.user('dora@example.org')).toBe(id);
    expect(await isIn(workspaceId, id)).toBe(true);
  });

  it('are created once for groups that name the same one concurrently', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    await Promise.all(['admin', 'manager', 'member'].map((role) => provider.group(`ws-new-role-${role}`)));
    const [workspace, ...others] = await api.dataSource.manager.findBy(WorkspaceEntity, {
      ...{ organisationId, name: 'new' },
    });
    expect(others).toEqual([]);
    const mappings = { organisationId, workspaceId: workspace?.id ?? '' };
    expect(await api.dataSource.manager.countBy(ScimWorkspaceMappingEntity, mappings)).toBe(3);
  });
});
