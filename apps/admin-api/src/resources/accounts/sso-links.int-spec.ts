import { AuditLogEntity, OrganisationUserEntity, SsoConnectionEntity, SsoLinkEntity } from '@gw/entities';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';

const CONNECTIONS = '/v1/admin/organisation/sso-connections';

interface Links {
  readonly data: readonly { readonly sso_client_id: string; readonly subject: string }[];
}

describe('links of users to subjects of identity providers', () => {
  const api = new TestAdminApi();
  const [ours, theirs] = [api.sharedTenant(), api.sharedTenant()];

  let made = 0;
  async function connection(tenant: Tenant): Promise<string> {
    made += 1;
    const issuer = 'https://idp.example.com';
    const { body } = await api.post<{ id: string }>(CONNECTIONS, {
      key: tenant.adminKey,
      body: {
        name: `IdP ${String(made)}`,
        issuer,
        client_id: 'tollgate',
        client_secret: 'a secret of the provider',
      },
    });
    return body.id;
  }
  async function linked(
    role: 'member' | 'owner' = 'member',
  ): Promise<{ id: string; email: string; connectionId: string }> {
    const [user, connectionId] = [await api.user(ours.organisationId, role), await connection(ours)];
    for (const subject of [`a-${user.id}`, `b-${user.id}`])
      await api.dataSource.manager.insert(SsoLinkEntity, {
        ...{ connectionId, subject, userId: user.id, lastLoginAt: new Date(0) },
      });
    return { ...user, connectionId };
  }
  const pathOf = (id: string): string => `/v1/admin/users/${id}/sso-links`;
  const list = (id: string, key = ours.adminKey): Promise<GatewayResponse<Links>> =>
    api.get<Links>(pathOf(id), { key });

  it('are listed, and removed with the sessions of the user', async () => {
    const { id, email, connectionId } = await linked();
    const token = await api.login(email);
    expect((await list(id)).body.data.map(({ subject }) => subject).sort()).toEqual([`a-${id}`, `b-${id}`]);
    const gone = await api.delete(`${pathOf(id)}/${connectionId}`, { key: ours.adminKey });
    expect(gone.status).toBe(200);
    expect((await list(id)).body.data).toEqual([]);
    expect((await api.get('/v1/auth/self', { token })).status).toBe(401);
    const audit = { organisationId: ours.organisationId, resourceType: 'sso_links', resourceId: id };
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, audit);
    expect(rows.map(({ action, before }) => [action, before])).toEqual([
      ['delete', { sso_client_id: connectionId, total: 2, subjects: [`a-${id}`, `b-${id}`] }],
    ]);
    const again = await api.delete(`${pathOf(id)}/${connectionId}`, { key: ours.adminKey });
    expect(again.status).toBe(404);
  });

  it('of another organisation are neither shown nor removed, even for a user of both', async () => {
    const { id, connectionId } = await linked();
    expect((await list(id, theirs.adminKey)).status).toBe(404);
    await api.dataSource.manager.insert(OrganisationUserEntity, {
      ...{ organisationId: theirs.organisationId, userId: id, role: 'member' },
    });
    expect((await list(id, theirs.adminKey)).body.data).toEqual([]);
    const tried = await api.delete(`${pathOf(id)}/${connectionId}`, { key: theirs.adminKey });
    expect([tried.status, (await list(id)).body.data.length]).toEqual([404, 2]);
  });

  it('of owners can be removed only by owners, and of others by callers with the rights of an administrator', async () => {
    const { id, connectionId } = await linked('owner');
    const url = `${pathOf(id)}/${connectionId}`;
    expect((await api.delete(url, { key: ours.adminKey })).status).toBe(403);
    const owner = await api.user(ours.organisationId, 'owner');
    expect((await api.delete(url, { token: await api.login(owner.email) })).status).toBe(200);

    const member = await linked();
    const key = await api.apiKey('organisation-service', ours, ['organisation_users.update']);
    const tried = await api.delete(`${pathOf(member.id)}/${member.connectionId}`, { key });
    expect([tried.status, (await list(member.id)).body.data.length]).toEqual([403, 2]);
  });

  it('end with their connection', async () => {
    const { id, connectionId } = await linked();
    await api.delete(`${CONNECTIONS}/${connectionId}`, { key: ours.adminKey });
    expect((await list(id)).body.data).toEqual([]);
    expect(await api.dataSource.manager.existsBy(SsoConnectionEntity, { id: connectionId })).toBe(false);
  });
});
