import { TestAdminApi } from '../../spec-support/admin-api';
import type { Failure, List } from '../../spec-support/api-keys';

describe('POST /workspaces with users', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const create = (users: unknown): Promise<{ status: number; body: { id: string } & Failure }> =>
    admin.post('/v1/workspaces', { key: ours.adminKey, body: { name: 'Team', users } });

  it('accepts user ids with and without roles, and creates the keys that the settings provide', async () => {
    const settings = { user_api_key_auto_create: true };
    await admin.put('/v1/admin/organisation/settings', { key: ours.adminKey, body: { settings } });
    const [one, other] = [
      await admin.user(ours.organisationId, 'member'),
      await admin.user(ours.organisationId, 'member'),
    ];
    const { status, body } = await create([one.id, { id: other.id.toUpperCase(), role: 'manager' }]);
    expect(status).toBe(200);
    const { body: members } = await admin.get<List<{ id: string; role: string }>>(
      `/v1/workspaces/${body.id}/users`,
      { key: ours.adminKey },
    );
    expect(members.data.map(({ id, role }) => [id, role]).sort()).toEqual(
      [
        [one.id, 'member'],
        [other.id, 'manager'],
      ].sort(),
    );
    const { body: keys } = await admin.get<List>(`/v1/api-keys?workspace_id=${body.id}`, {
      key: ours.adminKey,
    });
    expect(keys.data.map((key) => [key['user_id'], key['creation_mode']]).sort()).toEqual(
      [
        [one.id, 'auto'],
        [other.id, 'auto'],
      ].sort(),
    );
  });

  it('creates no workspace when one of the users is outside the organisation', async () => {
    const stranger = await admin.user(theirs.organisationId, 'member');
    const before = await admin.get<List>('/v1/workspaces', { key: ours.adminKey });
    const { status, body } = await create([stranger.id]);
    expect([status, body.error.param]).toEqual([400, 'users.0.id']);
    const after = await admin.get<List>('/v1/workspaces', { key: ours.adminKey });
    expect(after.body.total).toBe(before.body.total);
  });

  it.each([[['x']], [[{ id: 'x', role: 'member' }]], [[{ role: 'member' }]], ['x'], [[null]]])(
    'returns 400 for users %j',
    async (users) => {
      const { status, body } = await create(users);
      expect([status, body.error.code]).toEqual([400, 'AB01']);
    },
  );
});
