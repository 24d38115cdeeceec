import { OrganisationDomainEntity, OrganisationUserEntity, ScimUserEntity, UserEntity } from '@gw/entities';
import { PASSWORD, TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider, type ScimResponse } from './spec-support/identity-provider';

const SCHEMAS = ['urn:ietf:params:scim:schemas:core:2.0:User'];

describe('addresses of users whom SCIM manages', () => {
  const api = new TestAdminApi();
  const fresh = async (): Promise<IdentityProvider> => IdentityProvider.of(api, await api.tenant());
  const setName = (provider: IdentityProvider, id: string, value: string): Promise<ScimResponse> =>
    provider.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value });
  const emailOf = async (id: string): Promise<string> =>
    (await api.dataSource.manager.findOneByOrFail(UserEntity, { id })).email;

  it('need a verified domain to be new or active again, but not to be deactivated', async () => {
    const provider = await fresh();
    const ann = await provider.user('ann@example.org');
    const bob = await provider.user('bob@example.org', { active: false });
    await api.dataSource.manager.delete(OrganisationDomainEntity, { domain: 'example.org' });
    expect((await provider.setActive(bob, true)).status).toBe(400);
    expect((await setName(provider, ann, 'ann.lee@example.org')).status).toBe(400);
    const put = { schemas: SCHEMAS, userName: 'ann@example.org', active: false };
    expect((await provider.call({ method: 'PUT', path: `/Users/${ann}`, body: put })).status).toBe(200);
    const { organisationId } = provider.tenant;
    const seat = await api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, {
      ...{ organisationId, userId: ann },
    });
    expect([seat.status, await emailOf(ann)]).toEqual(['archived', 'ann@example.org']);
  });

  it('stay for owners, to whom links for new passwords are mailed', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    const owner = await provider.user('olga@example.org');
    const member = await provider.user('max@example.org');
    const at = { organisationId, userId: owner };
    await api.dataSource.manager.update(OrganisationUserEntity, at, { role: 'owner' });
    expect((await setName(provider, owner, 'mallory@example.org')).status).toBe(200);
    expect((await setName(provider, member, 'max.lee@example.org')).status).toBe(200);
    expect([await emailOf(owner), await emailOf(member)]).toEqual([
      'olga@example.org',
      'max.lee@example.org',
    ]);
  });

  it('do not prevent the deactivation of a user when another user has them by now', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    const id = await provider.user('otto@example.org');
    const at = { organisationId, userId: id };
    await api.dataSource.manager.update(OrganisationUserEntity, at, { role: 'owner' });
    expect((await setName(provider, id, 'otto.lee@example.org')).status).toBe(200);
    const other = await api.user(organisationId, 'member');
    await api.dataSource.manager.update(UserEntity, { id: other.id }, { email: 'otto.lee@example.org' });
    await api.dataSource.manager.update(OrganisationUserEntity, at, { role: 'member' });
    expect((await provider.setActive(id, false)).status).toBe(200);
    const seat = await api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, at);
    expect([seat.status, await emailOf(id)]).toEqual(['archived', 'otto@example.org']);
  });

  it('end the validity of the password elsewhere when they change, since only the old one was proven', async () => {
    const provider = await fresh();
    const { organisationId } = provider.tenant;
    const { id, email } = await api.user(organisationId, 'member');
    await api.dataSource.manager.update(UserEntity, { id }, { email: 'mallory@example.org' });
    expect(email).toContain(id);
    const token = await api.login('mallory@example.org');
    expect(await provider.user('mallory@example.org')).toBe(id);
    expect((await setName(provider, id, 'victim@example.org')).status).toBe(200);
    const other = await api.tenant();
    await api.dataSource.manager.insert(OrganisationUserEntity, {
      ...{ organisationId: other.organisationId, userId: id, role: 'member' },
    });
    const login = async (at: string): Promise<number> => {
      const body = { email: 'victim@example.org', password: PASSWORD, organisation_id: at };
      return (await api.post('/v1/auth/login', { body })).status;
    };
    expect([await login(organisationId), await login(other.organisationId)]).toEqual([200, 401]);
    const change = { token, body: { organisation_id: other.organisationId } };
    expect((await api.post('/v1/auth/organisation', change)).status).toBe(403);
  });

  it.each([true, false])('belong to one user each, even of another name (active: %s)', async (active) => {
    const provider = await fresh();
    const id = await provider.user('eve@example.org', { active });
    const body = { schemas: SCHEMAS, userName: 'eve', emails: [{ value: 'eve@example.org' }] };
    const second = await provider.call({ method: 'POST', path: '/Users', body });
    expect([second.status, second.body['scimType']]).toEqual([409, 'uniqueness']);
    const row = await api.dataSource.manager.findOneByOrFail(ScimUserEntity, {
      ...{ organisationId: provider.tenant.organisationId, userId: id },
    });
    expect([row.userName, row.active]).toEqual(['eve@example.org', active]);
  });
});
