import { AuditLogEntity, OrganisationUserEntity, ScimUserEntity, UserInviteEntity } from '@gw/entities';
import { PASSWORD, TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider } from './spec-support/identity-provider';

describe('invites of users whom SCIM manages', () => {
  const api = new TestAdminApi();
  const email = 'bob@example.org';
  const fresh = async (): Promise<IdentityProvider> => IdentityProvider.of(api, await api.tenant());

  const invite = async (
    { tenant }: IdentityProvider,
    role = 'member',
  ): Promise<{ readonly status: number; readonly id: string; readonly token: string }> => {
    const { status, body } = await api.post<{ id: string; invite_link?: string }>('/v1/admin/users/invites', {
      key: tenant.adminKey,
      body: { email, role, workspaces: [] },
    });
    return { status, id: body.id, token: body.invite_link?.split('/').at(-1) ?? '' };
  };
  const accept = async (token: string): Promise<number> =>
    (await api.post('/v1/invites/accept', { body: { token, password: PASSWORD } })).status;
  const seatOf = async ({ tenant }: IdentityProvider, userId: string): Promise<unknown> => {
    const at = { organisationId: tenant.organisationId, userId };
    const { role, status } = await api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, at);
    return [role, status];
  };
  const inviteStatus = async (id: string): Promise<string> =>
    (await api.dataSource.manager.findOneByOrFail(UserInviteEntity, { id })).status;

  it('return 409 for an invite of a user whom the identity provider has deactivated', async () => {
    const provider = await fresh();
    const id = await provider.user(email);
    await provider.setActive(id, false);
    expect((await invite(provider)).status).toBe(409);
    await provider.call({ method: 'DELETE', path: `/Users/${id}` });
    expect((await invite(provider)).status).toBe(200);
  });

  it('are cancelled when SCIM creates the user, active or not', async () => {
    for (const active of [true, false]) {
      const provider = await fresh();
      const { id, token } = await invite(provider, 'admin');
      const userId = await provider.user(email, { active });
      expect([await inviteStatus(id), await accept(token)]).toEqual(['cancelled', 404]);
      expect(await seatOf(provider, userId)).toEqual(['member', active ? 'active' : 'archived']);
      const audited = { resourceId: id, action: 'delete' };
      expect(await api.dataSource.manager.countBy(AuditLogEntity, audited)).toBe(1);
    }
  });

  it('refuse a link that was pending when the identity provider deactivated its user', async () => {
    const provider = await fresh();
    const userId = await provider.user(email);
    await provider.setActive(userId, false);
    await provider.call({ method: 'DELETE', path: `/Users/${userId}` });
    const { id, token } = await invite(provider);
    await provider.user(email, { active: false });
    // The test acts as if SCIM had not cancelled the invite.
    await api.dataSource.manager.update(UserInviteEntity, { id }, { status: 'pending' });
    expect(await accept(token)).toBe(404);
    expect(await seatOf(provider, userId)).toEqual(['member', 'archived']);
  });

  it('do not change the role of a member, so that the last owner stays an owner', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    const { token, id } = await invite(provider);
    const userId = await provider.user(email);
    await api.dataSource.manager.update(
      OrganisationUserEntity,
      { organisationId, userId },
      { role: 'owner' },
    );
    // The test acts as if SCIM had not cancelled the invite.
    await api.dataSource.manager.update(UserInviteEntity, { id }, { status: 'pending' });
    expect(await accept(token)).toBe(404);
    expect(await seatOf(provider, userId)).toEqual(['owner', 'active']);
  });

  it('end the membership of a user inactive in SCIM by a repeated deactivation and by a deletion', async () => {
    for (const end of ['deactivation', 'deletion']) {
      const provider = await fresh();
      const { organisationId } = provider.tenant;
      const userId = await provider.user(email);
      await provider.setActive(userId, false);
      const seat = { organisationId, userId };
      await api.dataSource.manager.update(OrganisationUserEntity, seat, { status: 'active' });
      const { status } =
        end === 'deletion'
          ? await provider.call({ method: 'DELETE', path: `/Users/${userId}` })
          : await provider.setActive(userId, false);
      expect([end, status, await seatOf(provider, userId)]).toEqual([
        end,
        end === 'deletion' ? 204 : 200,
        ['member', 'archived'],
      ]);
    }
  });

  it('end the membership of an existing member whom SCIM creates as inactive', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    const { token } = await invite(provider);
    expect(await accept(token)).toBe(200);
    const userId = await provider.user(email, { active: false });
    expect(await seatOf(provider, userId)).toEqual(['member', 'archived']);
    const row = await api.dataSource.manager.findOneByOrFail(ScimUserEntity, { organisationId, userId });
    expect(row.active).toBe(false);
  });
});
