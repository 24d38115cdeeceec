import {
  AuditLogEntity,
  OrganisationUserEntity,
  ScimUserEntity,
  UserEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { eventually } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import { IdentityProvider, type ScimResponse } from './spec-support/identity-provider';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const BULK_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

describe('users whom SCIM manages', () => {
  const api = new TestAdminApi({ SCIM_BULK: 'true', SCIM_PUBLIC_DISCOVERY: 'true' });
  const fresh = async (): Promise<IdentityProvider> => IdentityProvider.of(api, await api.tenant());
  const seatOf = async (
    { tenant: { organisationId } }: IdentityProvider,
    userId: string,
  ): Promise<unknown> => {
    const seat = await api.dataSource.manager.findOneBy(OrganisationUserEntity, { organisationId, userId });
    return seat === null ? null : [seat.role, seat.status];
  };

  it('become members of the organisation without a password, and SCIM roles give no rights', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org', {
      name: { givenName: 'Ann', familyName: 'Lee' },
      password: 'a secret of the identity provider',
      roles: [{ value: 'owner' }],
    });
    expect(await seatOf(provider, id)).toEqual(['member', 'active']);
    const user = await api.dataSource.manager.findOneByOrFail(UserEntity, { id });
    expect(user).toMatchObject({
      email: 'ann@example.org',
      firstName: 'Ann',
      lastName: 'Lee',
      passwordHash: null,
    });
    const rows = await api.dataSource.query<unknown[]>('SELECT * FROM scim_users');
    expect(JSON.stringify(rows)).not.toContain('a secret of the identity provider');
  });

  it('lose sessions, keys and workspaces when they are deactivated, and do not get old keys back', async () => {
    const provider = await fresh();
    const { organisationId, workspaceId } = provider.tenant;
    const member = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    await api.dataSource.manager.update(UserEntity, { id: member.id }, { email: 'dora@example.org' });
    const token = await api.login('dora@example.org');
    const id = await provider.user('dora@example.org');
    expect(id).toBe(member.id);
    const key = await api.apiKey('workspace-user', { organisationId, workspaceId, userId: id });
    const statuses = async (): Promise<number[]> => [
      (await api.get('/v1/auth/self', { token })).status,
      (await api.get('/v1/api-keys/self/details', { key })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    expect((await provider.setActive(id, false)).status).toBe(200);
    expect(await statuses()).toEqual([401, 401]);
    expect(await seatOf(provider, id)).toEqual(['member', 'archived']);
    expect(await api.dataSource.manager.existsBy(WorkspaceUserEntity, { userId: id })).toBe(false);
    await provider.setActive(id, true);
    expect(await seatOf(provider, id)).toEqual(['member', 'active']);
    expect(await statuses()).toEqual([401, 401]);
  });

  it('can be deactivated as owners except for the last one, and are restored as members', async () => {
    const provider = await fresh();
    const owners = [await provider.user('ann@example.org'), await provider.user('bob@example.org')];
    const { organisationId } = provider.tenant;
    for (const userId of owners) {
      await api.dataSource.manager.update(
        OrganisationUserEntity,
        { organisationId, userId },
        { role: 'owner' },
      );
    }
    const [first, second] = await Promise.all(owners.map((id) => provider.setActive(id, false)));
    expect([first?.status, second?.status].sort()).toEqual([200, 400]);
    const ended = first?.status === 200 ? owners[0] : owners[1];
    await provider.setActive(ended ?? '', true);
    expect(await seatOf(provider, ended ?? '')).toEqual(['member', 'active']);
  });

  it('are not written when a request repeats their state', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const name = { op: 'replace', path: 'displayName', value: 'Ann' };
    const first = await provider.patch(`/Users/${id}`, name);
    const entries = (): Promise<number> => api.dataSource.manager.countBy(AuditLogEntity, { resourceId: id });
    const before = await entries();
    const again = await provider.patch(`/Users/${id}`, name);
    expect([again.body['meta'], await entries()]).toEqual([first.body['meta'], before]);
  });

  it('are protected by If-Match, and read under If-None-Match', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const { headers } = await provider.call({ method: 'GET', path: `/Users/${id}` });
    const tag = String(headers['etag']);
    const get = await provider.call({
      method: 'GET',
      path: `/Users/${id}`,
      headers: { 'if-none-match': tag },
    });
    expect(get.status).toBe(304);
    await provider.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Lead' });
    const late = await provider.call({
      method: 'DELETE',
      path: `/Users/${id}`,
      headers: { 'if-match': tag },
    });
    expect(late.status).toBe(412);
  });

  it('are one row after twenty concurrent changes, with the last value of each attribute', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const group = await provider.group('Engineering');
    const changes = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? provider.patch(`/Users/${id}`, {
            op: 'add',
            path: 'phoneNumbers',
            value: [{ value: String(i), type: 'work' }],
          })
        : provider.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] }),
    );
    for (const { status } of await Promise.all(changes)) expect([200, 204]).toContain(status);
    const { body } = await provider.call({ method: 'GET', path: `/Users/${id}` });
    expect(body['phoneNumbers']).toHaveLength(10);
    expect(body['groups']).toEqual([expect.objectContaining({ value: group, display: 'Engineering' })]);
  });

  it('can be found by their attributes, sorted and projected, and by no text that is SQL', async () => {
    const provider = await fresh();
    const ids = [];
    for (const [index, name] of ['cat', 'ann', 'bob'].entries()) {
      const emails = [{ value: `${name}@example.org`, type: index === 0 ? 'home' : 'work', primary: true }];
      ids.push(
        await provider.user(`${name}@example.org`, {
          emails,
          title: `T${String(index)}%`,
          displayName: name,
        }),
      );
    }
    await provider.group('Engineering', ids.slice(0, 2));
    const names = async (query: Record<string, string>): Promise<string> => {
      const { status, body } = await provider.call({ method: 'GET', path: '/Users', query });
      const found = (body['Resources'] ?? []) as { userName: string }[];
      return [status, ...found.map(({ userName }) => userName.split('@')[0])].join(' ');
    };
    expect(await names({ filter: 'emails[type eq "work"]', sortBy: 'userName' })).toBe('200 ann bob');
    expect(await names({ filter: 'emails.value co "ANN"' })).toBe('200 ann');
    expect(await names({ filter: 'groups.display eq "engineering" and not (userName sw "cat")' })).toBe(
      '200 ann',
    );
    expect(await names({ filter: 'title ew "%" and title co "1"' })).toBe('200 ann');
    expect(
      await names({
        filter: 'meta.created gt "2020-01-01T00:00:00Z" and title ge "T1"',
        sortBy: 'displayName',
        sortOrder: 'descending',
      }),
    ).toBe('200 bob ann');
    expect(await names({ filter: 'nickName pr or title eq null' })).toBe('200');
    expect(await names({ startIndex: '2', count: '1', sortBy: 'userName' })).toBe('200 bob');
    expect(await names({ filter: `title eq "x') OR true --"` })).toBe('200');
    const { body } = await provider.call({
      method: 'GET',
      path: '/Users',
      query: { attributes: 'emails.value' },
    });
    const [one] = body['Resources'] as object[];
    expect(one).toEqual({ schemas: [USER], id: ids[0], emails: [{ value: 'cat@example.org' }] });
  });

  it('belong to one organisation: another token finds, changes and removes none of them', async () => {
    const [ours, theirs] = [
      await fresh(),
      await IdentityProvider.of(api, await api.tenant(), 'theirs.example'),
    ];
    const [user, group] = [await ours.user('ann@example.org'), await ours.group('Engineering')];
    for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
      for (const call of [
        theirs.call({ method: 'GET', path }),
        theirs.patch(path, { op: 'replace', path: 'displayName', value: 'x' }),
        theirs.call({ method: 'DELETE', path }),
      ]) {
        expect((await call).status).toBe(404);
      }
    }
    const { body } = await theirs.call({ method: 'GET', path: '/Users' });
    expect(body['totalResults']).toBe(0);
    const named = await theirs.call({ method: 'GET', path: `/${ours.tenant.organisationId}/Users` });
    expect(named.status).toBe(404);
    expect((await ours.call({ method: 'GET', path: `/${ours.tenant.organisationId}/Users` })).status).toBe(
      200,
    );
  });

  it('keep address and names when they also belong to another organisation', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const abroad = await api.tenant();
    const seat = { organisationId: abroad.organisationId, userId: id, role: 'member' as const };
    await api.dataSource.manager.insert(OrganisationUserEntity, seat);
    await provider.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'eve@example.org' });
    const { email } = await api.dataSource.manager.findOneByOrFail(UserEntity, { id });
    expect(email).toBe('ann@example.org');
  });

  it('can be changed by the identity provider only, if the organisation enables that', async () => {
    const provider = await fresh();
    const key = provider.tenant.adminKey;
    const id = await provider.user('ann@example.org');
    const settings = { scim_settings: { manage_organisation: true } };
    expect((await api.put('/v1/admin/organisation/settings', { key, body: settings })).status).toBe(200);
    expect((await api.put(`/v1/admin/users/${id}`, { key, body: { role: 'admin' } })).status).toBe(409);
    expect((await api.delete(`/v1/admin/users/${id}`, { key })).status).toBe(409);
  });

  it('can be created together with their groups by one bulk request', async () => {
    const provider = await fresh();
    const { status, body } = await provider.call({
      method: 'POST',
      path: '/Bulk',
      body: {
        schemas: [BULK_REQUEST],
        failOnErrors: 1,
        Operations: [
          {
            method: 'POST',
            path: '/Users',
            bulkId: 'a',
            data: { schemas: [USER], userName: 'ann@example.org' },
          },
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'g',
            data: {
              schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
              displayName: 'Engineering',
              members: [{ value: 'bulkId:a' }],
            },
          },
          {
            method: 'POST',
            path: '/Users',
            bulkId: 'b',
            data: { schemas: [USER], userName: 'x@no.example' },
          },
          {
            method: 'POST',
            path: '/Users',
            bulkId: 'c',
            data: { schemas: [USER], userName: 'c@example.org' },
          },
        ],
      },
    });
    const operations = body['Operations'] as { status: string; location?: string }[];
    expect([status, ...operations.map((each) => each.status)]).toEqual([200, '201', '201', '400']);
    const group = String(operations[1]?.location).split('/').at(-1) ?? '';
    expect(await provider.members(group)).toHaveLength(1);
  });

  it('are limited to two hundred requests at once, but deactivations do not wait', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const get = () => provider.call({ method: 'GET', path: '/ServiceProviderConfig' });
    const responses = await withStoppedClock(() => Promise.all(Array.from({ length: 600 }, get)));
    const limited = responses.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers['retry-after']).toMatch(/^\d+$/);
    expect((await provider.setActive(id, false)).status).toBe(200);
  });

  const discovery = (path: string, headers = {}): Promise<ScimResponse> =>
    fresh().then((provider) => provider.call({ method: 'GET', path, headers }));

  it('are described by schemas that list what is stored, also without a token when that is public', async () => {
    const anonymous = { authorization: '' };
    for (const path of ['/ServiceProviderConfig', '/Schemas', `/Schemas/${USER}`, '/ResourceTypes/User']) {
      expect([path, (await discovery(path, anonymous)).status]).toEqual([path, 200]);
    }
    expect((await discovery('/Users', anonymous)).status).toBe(401);
    expect((await discovery('/Schemas/urn:x')).status).toBe(404);
    const provider = await fresh();
    expect((await provider.call({ method: 'DELETE', path: '/Schemas' })).status).toBe(405);
    expect((await provider.call({ method: 'GET', path: '/Nothing' })).status).toBe(404);
    expect((await provider.call({ method: 'GET', path: '/Me' })).status).toBe(501);
  });
});

describe('set-up of SCIM', () => {
  const api = new TestAdminApi();

  it('rotates the token: the previous one works for a day, an older one and deleted ones no longer', async () => {
    const tenant = await api.tenant();
    const first = await IdentityProvider.of(api, tenant);
    const second = await IdentityProvider.of(api, tenant);
    const read = async (provider: IdentityProvider): Promise<number> =>
      (await provider.call({ method: 'GET', path: '/Users' })).status;
    expect([await read(first), await read(second)]).toEqual([200, 200]);
    const third = await IdentityProvider.of(api, tenant);
    expect([await read(first), await read(second), await read(third)]).toEqual([401, 200, 200]);
    const path = '/v1/admin/organisation/scim-token';
    const { body } = await api.get<{ data: { masked: string; last_used_at: string | null }[] }>(path, {
      key: tenant.adminKey,
    });
    expect(body.data).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain(third.token);
    expect(body.data[0]?.last_used_at).toEqual(expect.any(String));
    await api.delete(path, { key: tenant.adminKey });
    expect([await read(second), await read(third)]).toEqual([401, 401]);
  });

  it('shows the last requests with their faults, and what a request would do, without executing it', async () => {
    const tenant = await api.tenant();
    const provider = await IdentityProvider.of(api, tenant);
    const key = tenant.adminKey;
    await provider.call({
      method: 'GET',
      path: '/Users',
      query: { filter: 'x' },
      headers: { 'user-agent': 'Okta SCIM Client' },
    });
    const [last] = await eventually(async () => {
      const { body } = await api.get<{ data: { scim_type: string; dialect: string }[] }>(
        '/v1/scim/exchanges',
        { key },
      );
      return body.data.length > 0 && body.data;
    });
    expect(last).toMatchObject({ scim_type: 'invalidFilter', dialect: 'okta', path: '/Users', status: 400 });
    const dryRun = async (userName: string): Promise<Record<string, unknown>> => {
      const body = { method: 'POST', path: '/Users', body: { schemas: [USER], userName } };
      return (await api.post('/v1/scim/dry-run', { key, body })).body;
    };
    expect(await dryRun('ann@example.org')).toMatchObject({
      status: 201,
      changes: [{ action: 'create', resource_type: 'users' }],
    });
    expect(await dryRun('ann@no.example')).toMatchObject({
      status: 400,
      error: { scimType: 'invalidValue' },
    });
    expect(
      await api.dataSource.manager.countBy(ScimUserEntity, { organisationId: tenant.organisationId }),
    ).toBe(0);
  });
});
