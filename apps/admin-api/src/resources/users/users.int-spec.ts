import { AuditLogEntity } from '@gw/entities';
import { lockWaits } from '@gw/testing';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { UNKNOWN_ID, type Failure } from '../../spec-support/api-keys';

describe('users of an organisation', () => {
  const admin = new TestAdminApi();
  const theirs = admin.sharedTenant();
  let ours: Tenant;
  let owner: { readonly id: string; readonly token: string };

  beforeEach(async () => {
    ours = await admin.tenant();
    const { id, email } = await admin.user(ours.organisationId, 'owner');
    owner = { id, token: await admin.login(email) };
  });

  const role = (by: object, id: string, to: string): Promise<{ status: number; body: Failure }> =>
    admin.put<Failure>(`/v1/admin/users/${id}`, { ...by, body: { role: to } });
  const remove = (by: object, id: string): Promise<{ status: number; body: Failure }> =>
    admin.delete<Failure>(`/v1/admin/users/${id}`, by);
  const roleOf = async (id: string): Promise<unknown> =>
    (await admin.get(`/v1/admin/users/${id}`, { key: ours.adminKey })).body['role'];

  it('change roles, immediately for sessions and keys, with an audit record of before and after', async () => {
    const { id, email } = await admin.user(ours.organisationId, 'admin');
    const token = await admin.login(email);
    expect((await admin.get('/v1/admin/users', { token })).status).toBe(200);
    expect((await role({ key: ours.adminKey }, id, 'member')).status).toBe(200);
    expect(await roleOf(id)).toBe('member');
    expect((await admin.get('/v1/admin/users', { token })).status).toBe(403);
    const [audit] = await admin.dataSource.manager.findBy(AuditLogEntity, {
      resourceId: id,
      action: 'update',
    });
    expect([audit?.before, audit?.after]).toMatchObject([{ role: 'admin' }, { role: 'member' }]);
    expect((await role({ key: ours.adminKey }, id, 'chief')).status).toBe(400);
  });

  it('can be made owners only by owners, and only owners change or remove owners', async () => {
    const other = await admin.user(ours.organisationId, 'admin');
    const byAdmin = { token: await admin.login(other.email) };
    for (const by of [byAdmin, { key: ours.adminKey }]) {
      expect((await role(by, other.id, 'owner')).status).toBe(403);
      expect((await role(by, owner.id, 'member')).status).toBe(403);
      expect((await remove(by, owner.id)).status).toBe(403);
    }
    expect((await role({ token: owner.token }, other.id, 'owner')).status).toBe(200);
    expect((await role(byAdmin, owner.id, 'admin')).status).toBe(200);
    expect(await roleOf(owner.id)).toBe('admin');
  });

  it('keep one owner: no caller demotes or removes the last one, nor do owners themselves', async () => {
    const second = await admin.user(ours.organisationId, 'owner');
    const by = { token: owner.token };
    for (const attempt of [role(by, owner.id, 'admin'), remove(by, owner.id)]) {
      const { status, body } = await attempt;
      expect([status, body.error.type]).toEqual([409, 'conflict']);
    }
    // The requests are concurrent: the second one would remove the last owner.
    const other = { token: await admin.login(second.email) };
    const statuses = await Promise.all([role(by, second.id, 'admin'), role(other, owner.id, 'admin')]);
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { body } = await admin.get<{ total: number }>('/v1/admin/users?role=owner', { key: ours.adminKey });
    expect(body.total).toBe(1);
  });

  it('remove no owner once they have been removed themselves, even if both requests were admitted', async () => {
    const second = await admin.user(ours.organisationId, 'owner');
    await admin.user(ours.organisationId, 'owner');
    const by = { token: owner.token };
    const other = { token: await admin.login(second.email) };
    const requests: Promise<{ status: number; body: Failure }>[] = [];
    await admin.dataSource.transaction(async (manager) => {
      await manager.query(`SELECT 1 FROM organisation_users WHERE organisation_id = $1 FOR UPDATE`, [
        ours.organisationId,
      ]);
      requests.push(remove(by, second.id), remove(other, owner.id));
      await lockWaits(admin.dataSource, { count: 2 });
    });
    const responses = await Promise.all(requests);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  it('leave with their memberships, keys and sessions of the organisation, and keep those of others', async () => {
    const { organisationId, workspaceId } = ours;
    const { id, email } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
    const token = await admin.login(email);
    const key = await admin.apiKey('workspace-user', { organisationId, workspaceId, userId: id });
    expect((await admin.get('/v1/configs', { key })).status).toBe(200);
    expect((await remove({ key: ours.adminKey }, id)).status).toBe(200);
    expect((await admin.get('/v1/configs', { key })).status).toBe(401);
    expect((await admin.get('/v1/auth/self', { token })).status).toBe(401);
    const { body } = await admin.get<{ total: number }>(`/v1/workspaces/${workspaceId}/users`, {
      key: ours.adminKey,
    });
    expect(body.total).toBe(0);
    expect((await admin.get(`/v1/users/${id}`, { key: ours.adminKey })).status).toBe(404);
    expect((await remove({ key: ours.adminKey }, id)).status).toBe(404);
  });

  it('are hidden from other organisations as if they did not exist', async () => {
    const foreign = await admin.user(theirs.organisationId, 'member');
    for (const id of [foreign.id, UNKNOWN_ID, 'no-id']) {
      for (const response of [
        await role({ key: ours.adminKey }, id, 'admin'),
        await remove({ key: ours.adminKey }, id),
      ]) {
        expect([response.status, response.body.error.type]).toEqual([404, 'not_found']);
      }
    }
    expect((await remove({ key: ours.key }, owner.id)).status).toBe(403);
  });
});
