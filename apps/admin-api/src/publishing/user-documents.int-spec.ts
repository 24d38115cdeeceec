import { documentKey, INTERNAL, type UserDocument } from '@gw/contracts';
import { ChangeEventEntity, OrganisationUserEntity, SsoLinkEntity } from '@gw/entities';
import { OidcScenes } from '../platform/logins/spec-support/oidc-scenes';
import { IdentityProvider } from '../resources/scim/spec-support/identity-provider';
import { SERVICE_TOKEN, type Tenant } from '../spec-support/admin-api';

describe('documents of users', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await api.tenant();
  });

  async function read(userId: string, { organisationId } = tenant): Promise<UserDocument | null> {
    const key = documentKey.user(organisationId, userId);
    const { body } = await api.post<{ documents: Record<string, UserDocument | null> }>(INTERNAL.documents, {
      token: SERVICE_TOKEN,
      body: { keys: [key] },
    });
    return body.documents[key] ?? null;
  }

  /** Returns whether `work` announces the user to gateways. */
  async function announces(userId: string, work: () => Promise<unknown>, { organisationId } = tenant) {
    const [{ last }] = await api.dataSource.query<[{ last: string | null }]>(
      'SELECT max(sequence) AS last FROM change_events',
    );
    await work();
    const events = await api.dataSource.manager.find(ChangeEventEntity);
    return events.some(
      ({ sequence, changed }) =>
        Number(sequence) > Number(last ?? 0) && changed.includes(documentKey.user(organisationId, userId)),
    );
  }

  it('contain the roles of a user in the organisation and in its active workspaces', async () => {
    const { organisationId, workspaceId } = tenant;
    const gone = await api.workspace(organisationId);
    const user = await api.user(organisationId, 'admin', { [workspaceId]: 'manager', [gone]: 'admin' });
    await api.dataSource.query(`UPDATE workspaces SET status = 'archived' WHERE id = $1`, [gone]);
    expect(await read(user.id)).toMatchObject({
      ...{ kind: 'user', userId: user.id, organisationId, organisationRole: 'admin', groups: [] },
      workspaceRoles: { [workspaceId]: 'manager' },
    });
    expect(await read(user.id, await api.tenant())).toBeNull();
  });

  it('follow changes of roles and memberships, and announce each change to gateways', async () => {
    const { organisationId, workspaceId } = tenant;
    const user = await api.user(organisationId, 'member');
    const members = `/v1/admin/workspaces/${workspaceId}/users`;
    const by = { key: tenant.adminKey };
    const body = { users: [{ id: user.id, role: 'member' }] };
    expect(await announces(user.id, () => api.post(members, { ...by, body }))).toBe(true);
    expect((await read(user.id))?.workspaceRoles).toEqual({ [workspaceId]: 'member' });
    const manager = { ...by, body: { role: 'manager' } };
    expect(await announces(user.id, () => api.put(`${members}/${user.id}`, manager))).toBe(true);
    expect((await read(user.id))?.workspaceRoles).toEqual({ [workspaceId]: 'manager' });
    expect(await announces(user.id, () => api.delete(`${members}/${user.id}`, by))).toBe(true);
    expect((await read(user.id))?.workspaceRoles).toEqual({});
    expect(await announces(user.id, () => api.delete(`/v1/admin/users/${user.id}`, by))).toBe(true);
    expect(await read(user.id)).toBeNull();
  });

  it('follow SCIM groups: members who join and leave, and groups that end', async () => {
    const provider = await IdentityProvider.of(api, tenant);
    const user = await provider.user('ada@example.org');
    const group = await provider.group('Engineering');
    const add = { op: 'add', path: 'members', value: [{ value: user }] };
    expect(await announces(user, () => provider.patch(`/Groups/${group}`, add))).toBe(true);
    expect((await read(user))?.groups).toEqual([group]);
    const remove = { op: 'remove', path: `members[value eq "${user}"]` };
    expect(await announces(user, () => provider.patch(`/Groups/${group}`, remove))).toBe(true);
    expect((await read(user))?.groups).toEqual([]);
    await provider.patch(`/Groups/${group}`, add);
    const end = { method: 'DELETE', path: `/Groups/${group}` };
    expect(await announces(user, () => provider.call(end))).toBe(true);
    expect((await read(user))?.groups).toEqual([]);
    expect(await announces(user, () => provider.setActive(user, false))).toBe(true);
    expect(await read(user)).toBeNull();
    expect(await announces(user, () => provider.setActive(user, true))).toBe(true);
    expect(await read(user)).toMatchObject({ userId: user });
  });

  it('contain the groups of the last login by single sign-on', async () => {
    const at = await scenes.scene();
    const logIn = async (groups: unknown, more: object = {}): Promise<void> => {
      expect((await scenes.returned(at, { 'claims.groups': groups, ...more })).response.status).toBe(303);
    };
    await logIn(['engineering', 'on-call']);
    const { organisationId } = at.tenant;
    const { userId } = await api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, {
      organisationId,
    });
    expect((await read(userId, at.tenant))?.groups).toEqual(['sso:engineering', 'sso:on-call']);
    expect(await announces(userId, () => logIn(['engineering']), at.tenant)).toBe(true);
    expect((await read(userId, at.tenant))?.groups).toEqual(['sso:engineering']);
    expect(await announces(userId, () => logIn(['engineering']), at.tenant)).toBe(false);
    const elsewhere = {
      'claims._claim_names': { groups: 'src1' },
      'claims._claim_sources': { src1: { endpoint: 'https://graph.example/groups' } },
    };
    await logIn(undefined, elsewhere);
    expect((await read(userId, at.tenant))?.groups).toEqual(['sso:engineering']);
    const path = `/v1/admin/organisation/sso-connections/${at.connection}`;
    const end = () => api.delete(path, { key: at.tenant.adminKey });
    expect(await announces(userId, end, at.tenant)).toBe(true);
    expect(await api.dataSource.manager.countBy(SsoLinkEntity, { userId })).toBe(0);
    expect((await read(userId, at.tenant))?.groups).toEqual([]);
  });
});
