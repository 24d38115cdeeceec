import {
  ScimGroupEntity,
  ScimWorkspaceMappingEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { IdentityProvider } from './spec-support/identity-provider';

type Row = Readonly<Record<string, string>>;

interface MappingCase {
  readonly id: string;
  readonly group: string;
  readonly reason: string;
  readonly input: {
    readonly have?: readonly Row[] | string;
    readonly post?: Row;
    readonly parallel?: readonly Row[];
    readonly get?: string;
    readonly delete?: string;
    readonly mode?: string;
    readonly members?: readonly string[];
    readonly deactivate?: string;
    readonly 'patch group'?: string;
    readonly 'remove from group'?: string;
  };
  readonly expect: unknown;
}

const { cases } = readCases('scim_idps.json') as { readonly cases: readonly MappingCase[] };
const all = cases
  .filter(({ group }) => group === 'mapping')
  .map((each) => [each.id, each.reason, each] as const);
const of = (test: (input: MappingCase['input']) => boolean): typeof all =>
  all.filter(([, , { input }]) => test(input));

const PATH = '/v1/scim/workspaces';

interface Place {
  readonly tenant: Tenant;
  readonly provider: IdentityProvider;
  readonly fill: (row: Row) => Record<string, string>;
  readonly groupId: string;
  readonly workspaces: readonly string[];
}

describe('mappings of groups to workspaces', () => {
  const api = new TestAdminApi();
  const other = api.sharedTenant();

  async function place(): Promise<Place> {
    const tenant = await api.tenant();
    const provider = await IdentityProvider.of(api, tenant);
    const workspaces = [
      await api.workspace(tenant.organisationId),
      await api.workspace(tenant.organisationId),
    ];
    const groupId = await provider.group('Engineering');
    const names: Readonly<Record<string, string>> = {
      '<WS1>': workspaces[0] ?? '',
      '<WS2>': workspaces[1] ?? '',
      '<G>': groupId,
      '<WS OF ANOTHER ORGANISATION>': other.workspaceId,
    };
    const fill = (row: Row): Record<string, string> =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, names[value] ?? value]));
    return { tenant, provider, fill, groupId, workspaces };
  }
  const create = (at: Place, row: Row): Promise<{ status: number; body: Record<string, unknown> }> =>
    api.post(PATH, { key: at.tenant.adminKey, body: at.fill(row) });

  async function prepared({ have }: MappingCase['input']): Promise<Place> {
    const at = await place();
    for (const row of Array.isArray(have) ? (have as readonly Row[]) : []) {
      expect((await create(at, row)).status).toBe(201);
    }
    return at;
  }

  it.each(of(({ post }) => post !== undefined))(
    '[CTL-10] [ERR-05] [REL-09] %s %s',
    async (_id, _reason, { input, expect: wanted }) => {
      const at = await prepared(input);
      const { status, body } = await create(at, input.post ?? {});
      if (typeof wanted === 'object' && !Array.isArray(wanted))
        expect({ status, ...body }).toMatchObject(wanted as object);
      else expect([wanted].flat()).toContain(status);
      if (status === 201) {
        expect(Object.keys(body).sort()).toEqual([
          'id',
          'role',
          'scim_group',
          'scim_group_id',
          'workspace_id',
        ]);
      }
    },
  );

  it('[ERR-05] accept one of two concurrent mappings of a group with different roles', async () => {
    const [vector] = of(({ parallel }) => parallel !== undefined);
    const at = await place();
    const statuses = await Promise.all(
      (vector?.[2].input.parallel ?? []).map(async (row) => (await create(at, row)).status),
    );
    expect(statuses.sort()).toEqual([201, 400]);
  });

  it('[CTL-11] are paged from page 0, with the total', async () => {
    const at = await place();
    const { organisationId } = at.tenant;
    const [workspaceId = ''] = at.workspaces;
    const groups = Array.from({ length: 250 }, (_, i) => ({
      id: uuidv7(),
      organisationId,
      displayName: `G${String(i)}`,
      displayNameKey: `g${String(i)}`,
    }));
    await api.dataSource.manager.insert(ScimGroupEntity, groups);
    await api.dataSource.manager.insert(
      ScimWorkspaceMappingEntity,
      groups.map(({ id }) => ({
        id: uuidv7(),
        organisationId,
        groupId: id,
        workspaceId,
        role: 'member' as const,
      })),
    );
    const page = async (query: string): Promise<unknown[]> => {
      const { status, body } = await api.get<{
        mappings: unknown[];
        page: number;
        page_size: number;
        total_count: number;
      }>(`${PATH}${query}`, { key: at.tenant.adminKey });
      return status === 200 ? [body.mappings.length, body.page, body.page_size, body.total_count] : [status];
    };
    expect(await page('?page=2&page_size=100')).toEqual([50, 2, 100, 250]);
    expect(await page('')).toEqual([100, 0, 100, 250]);
    expect(await page('?page=-1')).toEqual([400]);
    expect(await page(`?workspace_id=${at.workspaces[1] ?? ''}`)).toEqual([0, 0, 100, 0]);
    expect(await page(`?role=MEMBER&scim_group_id=${groups[3]?.id ?? ''}`)).toEqual([1, 0, 100, 1]);
    expect(await page('?role=admin')).toEqual([0, 0, 100, 0]);
  });

  it('[CTL-12] find groups by a part of their name in any case, where wildcards are text, and page them', async () => {
    const at = await place();
    for (const name of ['Sales 100%', 'Ops']) await at.provider.group(name);
    const found = async (query: string): Promise<unknown> => {
      const { body } = await api.get<{ groups: { name: string }[]; total_count: number }>(
        `/v1/scim/groups${query}`,
        {
          key: at.tenant.adminKey,
        },
      );
      return [body.groups.map(({ name }) => name), body.total_count];
    };
    expect(await found('?search=en')).toEqual([['Engineering'], 1]);
    expect(await found('?search=%25')).toEqual([['Sales 100%'], 1]);
    expect(await found('?page=1&page_size=2')).toEqual([['Ops'], 3]);
  });

  const roleOf = async (workspaceId: string, userId: string): Promise<string | null> =>
    (await api.dataSource.manager.findOneBy(WorkspaceUserEntity, { workspaceId, userId }))?.role ?? null;

  it('[CTL-13] [REL-15] are deleted with success true; their users stay and are no longer removed', async () => {
    const at = await place();
    const [workspaceId = ''] = at.workspaces;
    const user = await at.provider.user('ann@example.org');
    await at.provider.patch(`/Groups/${at.groupId}`, {
      op: 'add',
      path: 'members',
      value: [{ value: user }],
    });
    const { body } = await create(at, { workspace_id: '<WS1>', role: 'manager', scim_group_id: '<G>' });
    expect(await roleOf(workspaceId, user)).toBe('manager');
    const gone = await api.delete(`${PATH}/${String(body['id'])}`, { key: at.tenant.adminKey });
    expect([gone.status, gone.body]).toEqual([200, { success: true }]);
    expect(await roleOf(workspaceId, user)).toBe('manager');
    await at.provider.patch(`/Groups/${at.groupId}`, { op: 'replace', path: 'members', value: [] });
    expect(await roleOf(workspaceId, user)).toBe('manager');
  });

  it('[REL-15] follow members in and out of a group, apply the highest role, and leave manual memberships', async () => {
    const at = await place();
    const [workspaceId = '', second = ''] = at.workspaces;
    const [ann, bob] = [await at.provider.user('ann@example.org'), await at.provider.user('bob@example.org')];
    const leads = await at.provider.group('Leads', [ann]);
    await create(at, { workspace_id: '<WS1>', role: 'member', scim_group_id: '<G>' });
    await create(at, { workspace_id: '<WS1>', role: 'admin', scim_group_id: leads });
    await api.dataSource.manager.insert(WorkspaceUserEntity, { workspaceId, userId: bob, role: 'member' });
    const set = (...ids: string[]): Promise<unknown> =>
      at.provider.patch(`/Groups/${at.groupId}`, {
        op: 'replace',
        path: 'members',
        value: ids.map((value) => ({ value })),
      });
    await set(ann, bob);
    expect([await roleOf(workspaceId, ann), await roleOf(workspaceId, bob)]).toEqual(['admin', 'member']);
    await at.provider.call({ method: 'DELETE', path: `/Groups/${leads}` });
    expect(await roleOf(workspaceId, ann)).toBe('member');
    await set();
    expect([await roleOf(workspaceId, ann), await roleOf(workspaceId, bob)]).toEqual([null, 'member']);
    expect(await roleOf(second, ann)).toBeNull();
  });

  it('give a role by the name of a group, create its workspace, and follow a new name', async () => {
    const at = await place();
    const user = await at.provider.user('ann@example.org');
    const group = await at.provider.group('ws-Research Lab-role-Manager', [user]);
    const { organisationId } = at.tenant;
    const made = await api.dataSource.manager.findOneByOrFail(WorkspaceEntity, {
      organisationId,
      name: 'Research Lab',
    });
    expect(await roleOf(made.id, user)).toBe('manager');
    const rename = (value: string): Promise<unknown> =>
      at.provider.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value });
    await rename('ws-research lab-role-admin');
    expect(await roleOf(made.id, user)).toBe('admin');
    await rename('Researchers');
    expect(await roleOf(made.id, user)).toBeNull();
    expect((await api.dataSource.manager.findOneByOrFail(WorkspaceEntity, { id: made.id })).status).toBe(
      'active',
    );
  });

  it('cannot give a role that the caller lacks, nor be created by a key of another organisation', async () => {
    const at = await place();
    const { organisationId } = at.tenant;
    const weak = await api.apiKey('organisation-service', { organisationId }, [
      'organisation_settings.update',
      'workspaces.list',
    ]);
    const body = at.fill({ workspace_id: '<WS1>', role: 'admin', scim_group_id: '<G>' });
    const refused = await api.post<{ error: { type: string } }>(PATH, { key: weak, body });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
    expect((await api.post(PATH, { key: other.adminKey, body })).status).toBe(404);
    const foreign = { ...body, workspace_id: other.workspaceId };
    expect((await api.post(PATH, { key: other.adminKey, body: foreign })).status).toBe(400);
  });

  it('[CTL-13] are hidden from other organisations', async () => {
    const at = await place();
    const { body } = await create(at, { workspace_id: '<WS1>', role: 'member', scim_group_id: '<G>' });
    expect((await api.delete(`${PATH}/${String(body['id'])}`, { key: other.adminKey })).status).toBe(404);
  });
});

describe('SCIM_MEMBERSHIP_USER_MODE', () => {
  const api = new TestAdminApi({ SCIM_MEMBERSHIP_USER_MODE: 'ON' });

  it('[REL-15] derives memberships from the groups of each user and ignores those of groups', async () => {
    const tenant = await api.tenant();
    const provider = await IdentityProvider.of(api, tenant);
    const workspaceId = await api.workspace(tenant.organisationId);
    const group = await provider.group('Engineering');
    const body = { workspace_id: workspaceId, role: 'member', scim_group_id: group };
    expect((await api.post(PATH, { key: tenant.adminKey, body })).status).toBe(201);
    const user = await provider.user('ann@example.org', { groups: [{ value: group }] });
    const isMember = (): Promise<boolean> =>
      api.dataSource.manager.existsBy(WorkspaceUserEntity, { workspaceId, userId: user });
    expect(await isMember()).toBe(true);
    await provider.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${user}"]` });
    expect(await isMember()).toBe(true);
    await provider.patch(`/Users/${user}`, { op: 'remove', path: 'groups' });
    expect(await isMember()).toBe(false);
  });
});
