import { INTERNAL } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimUserEntity,
  ScimWorkspaceMappingEntity,
  UserEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { AT_ONCE_MAX } from './scim-memberships.service';
import { IdentityProvider } from './spec-support/identity-provider';

const MORE = 250;

describe('a change of a large group', () => {
  const api = new TestAdminApi();

  /** Inserts users whom SCIM manages, and returns their ids. */
  async function users(organisationId: string, count: number): Promise<string[]> {
    const { manager } = api.dataSource;
    const ids = Array.from({ length: count }, () => uuidv7());
    const named = ids.map((id) => ({ id, name: `${id}@example.org` }));
    await manager.insert(
      UserEntity,
      named.map(({ id, name }) => ({ id, email: name })),
    );
    await manager.insert(
      OrganisationUserEntity,
      ids.map((userId) => ({ organisationId, userId, role: 'member' as const })),
    );
    await manager.insert(
      ScimUserEntity,
      named.map(({ id, name }) => ({
        organisationId,
        userId: id,
        userName: name,
        userNameKey: name,
        active: true,
      })),
    );
    return ids;
  }

  it('follows for 500 users at once, and for the rest by batches of the worker, each once', async () => {
    const tenant = await api.tenant();
    const { organisationId } = tenant;
    const provider = await IdentityProvider.of(api, tenant);
    const workspaceId = await api.workspace(organisationId);
    const groupId = await provider.group('Everyone');
    const mapping = { id: uuidv7(), organisationId, groupId, workspaceId, role: 'member' as const };
    await api.dataSource.manager.insert(ScimWorkspaceMappingEntity, mapping);
    const ids = await users(organisationId, AT_ONCE_MAX + MORE);
    const value = ids.map((id) => ({ value: id }));
    expect((await provider.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value })).status).toBe(
      204,
    );
    const members = (): Promise<number> =>
      api.dataSource.manager.countBy(WorkspaceUserEntity, { workspaceId });
    expect(await members()).toBe(AT_ONCE_MAX);
    const shown = await api.get<{ pending_users: number }>('/v1/scim/exchanges', { key: tenant.adminKey });
    expect(shown.body.pending_users).toBe(MORE);
    const settle = async (): Promise<unknown> =>
      (await api.post(INTERNAL.scimSettle, { token: SERVICE_TOKEN })).body['settled'];
    const [one, other] = await Promise.all([settle(), settle()]);
    expect([one, other]).toEqual([200, 200]);
    while ((await settle()) !== 0);
    expect(await members()).toBe(ids.length);
    expect((await api.post(INTERNAL.scimSettle, { token: tenant.adminKey })).status).toBe(401);
  }, 60_000);
});
