import { AuditLogEntity, OrganisationDomainEntity, OrganisationUserEntity } from '@gw/entities';
import { PASSWORD, TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider, type ScimResponse } from './spec-support/identity-provider';

const SCHEMAS = ['urn:ietf:params:scim:schemas:core:2.0:User'];
const USER_NAME = 'ann@example.org';
const BY_GROUPS = { scim_settings: { group_based_user_provisioning: true } };

describe('SCIM users whom an administrator has removed from the organisation', () => {
  const api = new TestAdminApi();

  const remove = async ({ tenant }: IdentityProvider, id: string): Promise<void> => {
    expect((await api.delete(`/v1/admin/users/${id}`, { key: tenant.adminKey })).status).toBe(200);
  };
  const removed = async (): Promise<{ readonly provider: IdentityProvider; readonly id: string }> => {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const id = await provider.user(USER_NAME);
    await remove(provider, id);
    return { provider, id };
  };
  const read = (provider: IdentityProvider, id: string): Promise<ScimResponse> =>
    provider.call({ method: 'GET', path: `/Users/${id}` });
  const put = (provider: IdentityProvider, id: string, more: object): Promise<ScimResponse> =>
    provider.call({
      method: 'PUT',
      path: `/Users/${id}`,
      body: { schemas: SCHEMAS, userName: USER_NAME, ...more },
    });
  const seatOf = async ({ tenant }: IdentityProvider, userId: string): Promise<unknown> => {
    const at = { organisationId: tenant.organisationId, userId };
    const { role, status } = await api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, at);
    return [role, status];
  };
  const invite = async ({ tenant }: IdentityProvider): Promise<{ status: number; token: string }> => {
    const { status, body } = await api.post<{ invite_link?: string }>('/v1/admin/users/invites', {
      key: tenant.adminKey,
      body: { email: USER_NAME, role: 'member', workspaces: [] },
    });
    return { status, token: body.invite_link?.split('/').at(-1) ?? '' };
  };

  it('are shown and found as inactive, with another ETag', async () => {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const id = await provider.user(USER_NAME);
    await provider.user('bob@example.org');
    const { etag } = (await read(provider, id)).headers;
    await remove(provider, id);
    const found = async (filter: string): Promise<unknown[]> => {
      const { body } = await provider.call({ method: 'GET', path: '/Users', query: { filter } });
      return (body['Resources'] as { userName: string; active: boolean }[]).map((user) => [
        user.userName,
        user.active,
      ]);
    };
    expect(await found(`userName eq "${USER_NAME}"`)).toEqual([[USER_NAME, false]]);
    expect(await found('active eq true')).toEqual([['bob@example.org', true]]);
    expect(await found('active eq false')).toEqual([[USER_NAME, false]]);
    const headers = { 'if-none-match': String(etag) };
    const { status, body } = await provider.call({ method: 'GET', path: `/Users/${id}`, headers });
    expect([status, body['active']]).toEqual([200, false]);
  });

  it('stay inactive when the identity provider changes other attributes', async () => {
    const { provider, id } = await removed();
    const title = await provider.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Lead' });
    const name = await put(provider, id, { displayName: 'Ann' });
    expect([title, name].map(({ status, body }) => [status, body['active']])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect(await seatOf(provider, id)).toEqual(['member', 'archived']);
  });

  it.each<[string, (provider: IdentityProvider, id: string) => Promise<ScimResponse>, number]>([
    ['PATCH', (provider, id) => provider.setActive(id, true), 200],
    ['PUT', (provider, id) => put(provider, id, { active: true }), 200],
    [
      'POST',
      (provider) =>
        provider.call({ method: 'POST', path: '/Users', body: { schemas: SCHEMAS, userName: USER_NAME } }),
      201,
    ],
  ])('are members again after a %s that makes them active', async (_method, activate, status) => {
    const { provider, id } = await removed();
    const { etag } = (await read(provider, id)).headers;
    const response = await activate(provider, id);
    expect([response.status, response.body['id'], response.body['active']]).toEqual([status, id, true]);
    expect(response.headers['etag']).not.toBe(etag);
    const { headers, body } = await read(provider, id);
    expect([headers['etag'], body['active']]).toEqual([response.headers['etag'], true]);
    expect(await seatOf(provider, id)).toEqual(['member', 'active']);
  });

  it('are active again, with another ETag, when they accept an invite', async () => {
    const { provider, id } = await removed();
    const { etag } = (await read(provider, id)).headers;
    const { token } = await invite(provider);
    const accepted = await api.post('/v1/invites/accept', { body: { token, password: PASSWORD } });
    const { headers, body } = await read(provider, id);
    expect([accepted.status, body['active']]).toEqual([200, true]);
    expect(headers['etag']).not.toBe(etag);
  });

  it('cannot be invited once the identity provider has deactivated them too', async () => {
    const { provider, id } = await removed();
    expect((await provider.setActive(id, false)).status).toBe(200);
    expect((await invite(provider)).status).toBe(409);
  });

  it('are activated by a group if the organisation has enabled that', async () => {
    const { provider, id } = await removed();
    const member = { op: 'add', path: 'members', value: [{ value: id }] };
    await provider.patch(`/Groups/${await provider.group('One')}`, member);
    expect(await seatOf(provider, id)).toEqual(['member', 'archived']);
    await api.put('/v1/admin/organisation/settings', { key: provider.tenant.adminKey, body: BY_GROUPS });
    await provider.patch(`/Groups/${await provider.group('Two')}`, member);
    expect([await seatOf(provider, id), (await read(provider, id)).body['active']]).toEqual([
      ['member', 'active'],
      true,
    ]);
  });

  it('are named in the audit log when a group activates them', async () => {
    const { provider, id } = await removed();
    const { organisationId } = provider.tenant;
    await api.put('/v1/admin/organisation/settings', { key: provider.tenant.adminKey, body: BY_GROUPS });
    await provider.group('Engineering', [id]);
    const entries = await api.dataSource.manager.findBy(AuditLogEntity, {
      ...{ organisationId, resourceType: 'users', resourceId: id, action: 'update' },
    });
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [
        { active: false, source: 'scim' },
        { active: true, source: 'scim' },
      ],
    ]);
  });

  it('are not activated by a group once the domain of their address is not verified any more', async () => {
    const { provider, id } = await removed();
    const { organisationId, adminKey: key } = provider.tenant;
    const deactivated = await provider.user('bob@example.org');
    expect((await provider.setActive(deactivated, false)).status).toBe(200);
    await api.put('/v1/admin/organisation/settings', { key, body: BY_GROUPS });
    await api.dataSource.manager.delete(OrganisationDomainEntity, { organisationId });
    expect((await provider.setActive(id, true)).status).toBe(400);
    const group = await provider.group('Engineering', [id, deactivated]);
    expect(await provider.members(group)).toHaveLength(2);
    expect([await seatOf(provider, id), await seatOf(provider, deactivated)]).toEqual([
      ['member', 'archived'],
      ['member', 'archived'],
    ]);
  });
});
