import { INTERNAL } from '@gw/contracts';
import {
  OrganisationUserEntity,
  ScimUserEntity,
  ScimWorkspaceMappingEntity,
  UserEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { eventually } from '@gw/testing';
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

  it('applies roles for 500 users immediately, and for the rest in batches of the worker, once for each user', async () => {
    const tenant = await api.tenant();
    const { organisationId } = tenant;
    const provider = await IdentityProvider.of(api, tenant);
    const workspaceId = await api.workspace(organisationId);
    const groupId = await provider.group('Everyone');
    const mapping = { id: uuidv7(), organisationId, groupId, workspaceId, role: 'member' as const };
    await api.dataSource.manager.insert(ScimWorkspaceMappingEntity, mapping);
    const ids = await users(organisationId, AT_ONCE_MAX + MORE);
    const value = ids.map((id) => ({ value: id }));
    const tags = async (): Promise<unknown[]> => {
      const paths = [ids[0], ids.at(-1)].map((id) => `/Users/${String(id)}`);
      const read = await Promise.all(paths.map((path) => provider.call({ method: 'GET', path })));
      return read.map(({ headers }) => headers['etag']);
    };
    const before = await tags();
    expect((await provider.patch(`/Groups/${groupId}`, { op: 'add', path: 'members', value })).status).toBe(
      204,
    );
    const members = (): Promise<number> =>
      api.dataSource.manager.countBy(WorkspaceUserEntity, { workspaceId });
    expect(await members()).toBe(AT_ONCE_MAX);
    const shown = await api.get<{ pending_users: number }>('/v1/scim/exchanges', { key: tenant.adminKey });
    expect(shown.body.pending_users).toBe(MORE);
    // Like the worker, repeats a batch that is refused because another one holds its locks too long.
    const settle = async (): Promise<number> => {
      let settled: unknown;
      await eventually(async () => {
        ({ settled } = (await api.post(INTERNAL.scimSettle, { token: SERVICE_TOKEN })).body);
        return settled !== undefined;
      });
      return Number(settled);
    };
    const batches = await Promise.all([settle(), settle()]);
    // The second batch has the same users, or the rest when it ran after the first.
    expect([
      [200, 200],
      [200, MORE - 200],
      [MORE - 200, 200],
    ]).toContainEqual(batches);
    while ((await settle()) !== 0);
    expect(await members()).toBe(ids.length);
    expect(await tags()).toEqual(before);
    expect((await api.post(INTERNAL.scimSettle, { token: tenant.adminKey })).status).toBe(401);
  });

  it('maps, shows and deletes a group with more members than a statement has parameters', async () => {
    const tenant = await api.tenant();
    const provider = await IdentityProvider.of(api, tenant);
    const groupId = await provider.group('Everyone');
    const count = 66_000;
    await api.dataSource.query(
      `WITH made AS (
         INSERT INTO users (id, email) SELECT gen_random_uuid(), 'many' || n || '@example.org'
         FROM generate_series(1, $3::int) AS n RETURNING id, email),
       seated AS (
         INSERT INTO organisation_users (organisation_id, user_id, role) SELECT $1, id, 'member' FROM made),
       managed AS (
         INSERT INTO scim_users (organisation_id, user_id, user_name, user_name_key, active)
         SELECT $1, id, email, email, true FROM made)
       INSERT INTO scim_group_members (group_id, user_id) SELECT $2, id FROM made`,
      [tenant.organisationId, groupId, count],
    );
    const name = { op: 'replace', path: 'displayName', value: 'ws-all-role-member' };
    expect((await provider.patch(`/Groups/${groupId}`, name)).status).toBe(204);
    const pending = { organisationId: tenant.organisationId, pending: true };
    expect(await api.dataSource.manager.countBy(ScimUserEntity, pending)).toBe(count - AT_ONCE_MAX);
    expect(await provider.members(groupId)).toHaveLength(count);
    const { status } = await provider.call({ method: 'DELETE', path: `/Groups/${groupId}` });
    expect(status).toBe(204);
  }, 300_000);

  it('locks all its users by id before the first change, so that two changes do not deadlock', async () => {
    const tenant = await api.tenant();
    const provider = await IdentityProvider.of(api, tenant);
    const { organisationId } = tenant;
    const [first = '', ...more] = (await users(organisationId, 4)).sort();
    const last = more.at(-1) ?? '';
    const groupId = await provider.group('Some', more);
    const holder = api.dataSource.createQueryRunner();
    await holder.startTransaction();
    try {
      const lock = 'SELECT 1 FROM scim_users WHERE user_id = $1 FOR UPDATE';
      await holder.query(lock, [last]);
      const members = [first, ...more].map((value) => ({ value }));
      const body = {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: 'ws-some-role-member',
        members,
      };
      const change = provider.call({ method: 'PUT', path: `/Groups/${groupId}`, body });
      await eventually(
        async () => (await api.dataSource.query<unknown[]>(`${lock} SKIP LOCKED`, [first])).length === 0,
        { timeoutMs: 20_000 },
      );
      await holder.commitTransaction();
      expect((await change).status).toBe(200);
    } finally {
      if (holder.isTransactionActive) await holder.rollbackTransaction();
      await holder.release();
    }
  });
});
