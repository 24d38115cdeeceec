import { AuditLogEntity, OrganisationUserEntity, WorkspaceUserEntity } from '@gw/entities';
import { CONNECTIONS, inGroup, OidcScenes, type Members, type Scene } from './spec-support/oidc-scenes';

type Rule = readonly [match: string, value: string, place: string, role: string];

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null };
}

describe('groups of OpenID Connect providers', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;

  const seatOf = ({ tenant: { organisationId } }: Scene): Promise<OrganisationUserEntity> =>
    api.dataSource.manager.findOneByOrFail(OrganisationUserEntity, { organisationId });
  const rolesIn = async (workspaceId: string): Promise<unknown[]> => {
    const rows = await api.dataSource.manager.findBy(WorkspaceUserEntity, { workspaceId });
    return rows.map(({ role }) => role);
  };
  const logIn = async (at: Scene, groups: unknown): Promise<void> => {
    const { response } = await scenes.returned(at, { 'claims.groups': groups });
    expect([response.status, response.text]).toEqual([303, expect.any(String)]);
  };
  const update = (at: Scene, body: object): ReturnType<typeof api.put<Failure>> =>
    api.put<Failure>(`${CONNECTIONS}/${at.connection}`, { key: at.tenant.adminKey, body });
  const bodyOf = ([match, value, place, role]: Rule, workspace: string): object => ({
    ...{ match, value, role },
    ...(place === 'organisation' ? {} : { workspace }),
  });

  it.each(inGroup('mapping'))('$id: $reason', async ({ input, expect: verdict }) => {
    const at = await scenes.scene();
    const { workspaceId } = at.tenant;
    const rules = (input['rules'] ?? []) as readonly Rule[];
    const foreign = verdict === 'rule refused' ? (await api.tenant()).workspaceId : workspaceId;
    const saved = await update(at, {
      group_rules: rules.map((rule) => bodyOf(rule, foreign)),
      remove_mapped: input['remove_mapped'] === true,
    });
    if (verdict === 'rule refused') {
      expect([saved.status, saved.body.error.param]).toEqual([400, expect.stringMatching(/^group_rules/)]);
      return;
    }
    expect([saved.status, saved.body]).toEqual([200, expect.anything()]);
    if (typeof input['groups'] === 'number') return expectTruncated(at, input['groups']);
    const had = (input['had'] ?? {}) as Members;
    if (had['ws1'] !== undefined) {
      await logIn(at, []);
      const { userId } = await seatOf(at);
      const source = had['ws1'] as 'sso' | 'manual';
      await api.dataSource.manager.insert(WorkspaceUserEntity, {
        ...{ workspaceId, userId, role: 'member', source },
      });
    }
    await logIn(at, input['groups']);
    const { ws1 } = verdict as Members;
    const role = ws1 === 'manual' ? 'member' : ws1;
    expect(await rolesIn(workspaceId)).toEqual(role === undefined ? [] : [role]);
  });

  /**
   * Expects that no role is removed beyond the maximum of groups, and that the groups that are read
   * still give roles.
   */
  async function expectTruncated(at: Scene, count: number): Promise<void> {
    const { workspaceId } = at.tenant;
    const rule = { match: 'exact', value: 'g0', workspace: workspaceId, role: 'member' };
    await update(at, { group_rules: [rule], remove_mapped: true });
    await logIn(at, ['g0']);
    expect(await rolesIn(workspaceId)).toEqual(['member']);
    const others = Array.from({ length: count }, (_, index) => `g${String(index + 1)}`);
    await logIn(at, others);
    expect(await rolesIn(workspaceId)).toEqual(['member']);
    await logIn(at, others.slice(0, 1_000));
    expect(await rolesIn(workspaceId)).toEqual([]);
  }

  it('promote administrators and demote only those whom they promoted, and keep roles that other claims may give', async () => {
    const at = await scenes.scene();
    const rule = { match: 'prefix', value: 'admins-', role: 'admin' };
    expect((await update(at, { group_rules: [rule], remove_mapped: true })).status).toBe(200);
    await logIn(at, ['admins-eu']);
    expect(await seatOf(at)).toMatchObject({ role: 'admin', roleSource: 'sso' });
    const { response } = await scenes.returned(at, {
      'claims._claim_names': { groups: 'src1' },
      'claims._claim_sources': { src1: { endpoint: 'https://graph.example/groups' } },
    });
    expect(response.status).toBe(303);
    expect(await seatOf(at)).toMatchObject({ role: 'admin' });
    await logIn(at, []);
    expect(await seatOf(at)).toMatchObject({ role: 'member' });
    const { organisationId, adminKey } = at.tenant;
    const { userId } = await seatOf(at);
    await api.put(`/v1/admin/users/${userId}`, { key: adminKey, body: { role: 'admin' } });
    await logIn(at, []);
    expect(await seatOf(at)).toMatchObject({ role: 'admin', roleSource: 'manual' });
    const audits = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId, resourceType: 'users', action: 'update' },
      order: { createdAt: 'ASC' },
    });
    expect(audits.map(({ after }) => after)).toEqual([
      { role: 'admin', source: 'sso' },
      { role: 'member', source: 'sso' },
      expect.objectContaining({ role: 'admin' }),
    ]);
  });

  it('can be previewed without a login', async () => {
    const at = await scenes.scene();
    const { workspaceId, adminKey: key } = at.tenant;
    const rules = [
      { match: 'exact', value: 'eng', workspace: workspaceId, role: 'member' },
      { match: 'regex', value: '^lead', workspace: workspaceId, role: 'manager' },
    ];
    await update(at, { group_rules: rules });
    const path = `${CONNECTIONS}/${at.connection}/groups/preview`;
    const preview = await api.post(path, { key, body: { groups: ['eng', 'leads'] } });
    expect(preview.body).toEqual({
      organisation_role: 'member',
      workspaces: [{ workspace: workspaceId, role: 'manager' }],
      complete: true,
      object: 'sso-groups-preview',
    });
    const slow = {
      match: 'regex',
      value: '(a|b|c|d|e|f|g|h|i|j){30}$',
      workspace: workspaceId,
      role: 'admin',
    };
    await update(at, { group_rules: [slow] });
    const groups = Array.from({ length: 1_000 }, (_, index) => 'a'.repeat(200) + String(index));
    expect((await api.post(path, { key, body: { groups } })).body).toMatchObject({ complete: false });
  });

  it('and their roles can be configured only by callers who hold these roles', async () => {
    const at = await scenes.scene();
    const { organisationId, workspaceId } = at.tenant;
    const { email } = await api.user(organisationId, 'admin');
    const token = await api.login(email);
    const rule = { match: 'exact', value: 'eng', workspace: workspaceId, role: 'manager' };
    expect((await update(at, { group_rules: [rule] })).status).toBe(200);
    const path = `${CONNECTIONS}/${at.connection}`;
    const owner = await api.login((await api.user(organisationId, 'owner')).email);
    const all = '/v1/admin/organisation/settings';
    const shown = await api.get<{ security_settings: object }>(all, { token: owner });
    const security_settings = { ...shown.body.security_settings, organisationAdminsViewLogs: false };
    const closed = await api.put(all, { token: owner, body: { security_settings } });
    expect([closed.status, closed.text]).toEqual([200, expect.any(String)]);
    const { status, body } = await api.put<Failure>(path, { token, body: { trust_email: true } });
    expect([status, body.error.type]).toEqual([403, 'scope_exceeds_creator']);
  });

  it('can come only from providers configured by callers with the rights of an administrator', async () => {
    const at = await scenes.scene();
    const { organisationId } = at.tenant;
    const scopes = ['organisation_settings.read', 'organisation_settings.update'];
    const key = await api.apiKey('organisation-service', { organisationId }, scopes);
    const fields = { name: 'x', issuer: 'https://evil.example', client_id: 'x', client_secret: 'x' };
    const path = `${CONNECTIONS}/${at.connection}`;
    const attempts = [
      await api.post<Failure>(CONNECTIONS, { key, body: fields }),
      await api.put<Failure>(path, { key, body: fields }),
      await api.put<Failure>(path, { key, body: { trust_email: true } }),
      await api.delete<Failure>(path, { key }),
    ];
    for (const { status, body } of attempts) {
      expect([status, body.error.type]).toEqual([403, 'scope_exceeds_creator']);
    }
  });
});
