import { ceilingOf, DEFAULT_SECURITY, SCOPES, scopesAllowedFor, SECURITY_CATEGORIES } from '@gw/auth-scopes';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  OrganisationEntity,
  ScimGroupEntity,
  ScimGroupMemberEntity,
  ScimUserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { hashOf } from '../../spec-support/api-keys';
import {
  GRANTING_WRITES,
  WRITES_WITHOUT_RIGHTS,
  type Aim,
  type Attempt,
} from '../../spec-support/granting-writes';
import { excessOf, holdingsOf, type HoldingCaller } from '../../spec-support/rights-held';
import { routesOf, type Route } from '../../spec-support/tenancy-expectations';
import { trustFields } from '../../spec-support/trusts';

interface Caller extends HoldingCaller {
  readonly name: string;
  readonly credential: { readonly key?: string; readonly token?: string };
  readonly scopes: ReadonlySet<string>;
}

/** Members of a response that contain secrets and links. */
type Shown = Partial<Readonly<Record<'id' | 'key' | 'invite_link' | 'inviteLink' | 'reset_link', string>>>;

/** Tables whose rows carry rights, and tables that depend on them. */
const TABLES = ['organisations', 'workspaces', 'users', 'organisation_users', 'workspace_users', 'sessions'];
TABLES.push('scim_users', 'scim_groups', 'scim_group_members', 'scim_workspace_mappings');
TABLES.push('user_invites', 'api_keys', 'api_key_secrets', 'password_resets', 'trusts');

/**
 * Members and managers are restricted to their own data; most other settings are on for managers.
 */
const SETTINGS = {
  ...DEFAULT_SECURITY,
  membersViewAllData: false,
  managersViewAllData: false,
  managersWriteConfigs: false,
  organisationAdminsViewLogs: false,
};

/** The workspace may override every category of settings except prompts. */
const OVERRIDES = Object.fromEntries(
  SECURITY_CATEGORIES.map((category) => [category, category !== 'prompts']),
);

describe('matrix of writes, callers and resulting rights', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  let aim: Omit<Aim, 'selfId'>;
  let callers: readonly Caller[];
  let writes: readonly Route[];

  beforeAll(async () => {
    writes = routesOf(admin.api.document).filter(({ method }) => method !== 'GET');
    ours = await admin.tenant();
    const { organisationId, workspaceId } = ours;
    const { manager } = admin.dataSource;
    await manager.update(
      OrganisationEntity,
      { id: organisationId },
      { securitySettings: SETTINGS, workspaceOverrides: OVERRIDES },
    );
    await manager.update(WorkspaceEntity, { id: workspaceId }, { securitySettings: SETTINGS });
    const at = (role: 'admin' | 'manager' | 'member'): Promise<{ id: string; email: string }> =>
      admin.user(organisationId, 'member', { [workspaceId]: role });
    const [target, boss, newcomer] = [
      await at('member'),
      await at('admin'),
      await admin.user(organisationId, 'member'),
    ];
    const invite = await admin.post<{ id: string }>('/v1/admin/users/invites', {
      key: ours.adminKey,
      body: { email: 'waiting@example.com', role: 'admin', workspaces: [] },
    });
    const bossKey = await admin.apiKey('workspace-user', { ...ours, userId: boss.id });
    const weakKey = await admin.apiKey('workspace-service', ours, ['completions.write']);
    aim = {
      ...{ organisationId, workspaceId, memberId: target.id, bossId: boss.id, newcomerId: newcomer.id },
      keyIds: await Promise.all([ours.adminKey, ours.key, bossKey, weakKey].map(idOf)),
      inviteId: invite.body.id,
      scimGroupId: await groupOf(newcomer),
      trustId: await trustOf(['logs.view', 'completions.write', 'workspaces.update']),
    };
    callers = [...(await people()), ...(await keysWithMany()), ...(await keysWithOneScope())];
    for (const table of TABLES)
      await admin.dataSource.query(`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
  });

  /** Creates a SCIM group with one user, whom SCIM manages. */
  async function groupOf({ id: userId, email }: { id: string; email: string }): Promise<string> {
    const { organisationId } = ours;
    const { manager } = admin.dataSource;
    const names = { userName: email, userNameKey: email };
    await manager.insert(ScimUserEntity, { organisationId, userId, ...names, active: true });
    const group = { id: uuidv7(), organisationId, displayName: 'Group', displayNameKey: 'group' };
    await manager.insert(ScimGroupEntity, group);
    await manager.insert(ScimGroupMemberEntity, { groupId: group.id, userId });
    return group.id;
  }

  /** Creates a trust whose tokens have the scopes in the workspace that they name. */
  async function trustOf(scopes: readonly string[]): Promise<string> {
    const body = { ...trustFields('standing'), maps: [{ scopes }] };
    return (await admin.post<{ id: string }>('/v1/trusts', { key: ours.adminKey, body })).body.id;
  }

  async function idOf(secret: string): Promise<string> {
    const secretHash = hashOf(secret);
    return (await admin.dataSource.manager.findOneByOrFail(ApiKeySecretEntity, { secretHash })).apiKeyId;
  }

  async function people(): Promise<Caller[]> {
    const roles = [
      ['owner', 'owner', null, 5, true],
      ['organisation admin', 'admin', null, 4, true],
      ['workspace admin', 'member', 'admin', 3, true],
      ['manager', 'member', 'manager', 2, false],
      ['member', 'member', 'member', 1, false],
    ] as const;
    const made: Caller[] = [];
    for (const [name, role, inWorkspace, rank, seesAllData] of roles) {
      const memberships = inWorkspace === null ? {} : { [ours.workspaceId]: inWorkspace };
      const { id, email } = await admin.user(ours.organisationId, role, memberships);
      made.push({
        ...{ name, rank, seesAllData, principal: `user ${id}`, userId: id, isOrganisationKey: false },
        credential: { token: await admin.login(email) },
        scopes: ceilingOf(role, inWorkspace, SETTINGS),
      });
      if (role !== 'member') continue;
      const scopes = [...ceilingOf(role, inWorkspace, SETTINGS)].filter((scope) =>
        scopesAllowedFor('workspace-user').has(scope),
      );
      const secret = await admin.apiKey('workspace-user', { ...ours, userId: id }, scopes);
      const key = { name: `user key of the ${name}`, secret, scopes, rank, seesAllData, userId: id };
      made.push(await callerOf(key));
    }
    return made;
  }

  async function callerOf(key: {
    readonly name: string;
    readonly secret: string;
    readonly scopes: Iterable<string>;
    readonly rank: number;
    readonly seesAllData?: boolean;
    readonly userId?: string;
  }): Promise<Caller> {
    const { name, secret, rank, seesAllData = true, userId = null } = key;
    return {
      ...{ name, rank, seesAllData, userId, principal: `key ${await idOf(secret)}` },
      credential: { key: secret },
      scopes: new Set(key.scopes),
      isOrganisationKey: rank === 4,
    };
  }

  async function keysWithMany(): Promise<Caller[]> {
    const bound = ceilingOf('member', 'manager', SETTINGS);
    const secret = await admin.apiKey('workspace-service', ours, [...bound]);
    await admin.dataSource.manager.update(ApiKeyEntity, { id: await idOf(secret) }, { boundAs: 'managers' });
    const all = SCOPES;
    return [
      await callerOf({ name: 'organisation key', secret: ours.adminKey, scopes: all, rank: 4 }),
      await callerOf({ name: 'workspace key', secret: ours.key, scopes: all, rank: 3 }),
      await callerOf({
        name: 'key created by a manager',
        secret,
        scopes: bound,
        rank: 2,
        seesAllData: false,
      }),
    ];
  }

  /**
   * Creates, for each scope that opens one of the writes, a key of each type that holds only this
   * scope.
   */
  async function keysWithOneScope(): Promise<Caller[]> {
    const opening = new Set(
      writes.filter(({ handler }) => handler in GRANTING_WRITES).flatMap(({ scopes }) => scopes),
    );
    const made: Caller[] = [];
    for (const scope of opening)
      for (const [type, rank] of [
        ['organisation-service', 4],
        ['workspace-service', 3],
      ] as const) {
        if (!scopesAllowedFor(type).has(scope)) continue;
        const at = type === 'organisation-service' ? { organisationId: ours.organisationId } : ours;
        const secret = await admin.apiKey(type, at, [scope]);
        made.push(await callerOf({ name: `${type} key with ${scope}`, secret, scopes: [scope], rank }));
      }
    return made;
  }

  const restore = (): Promise<void> =>
    admin.dataSource.transaction(async (manager) => {
      await manager.query('SET LOCAL session_replication_role = replica');
      for (const table of TABLES) {
        await manager.query(`DELETE FROM ${table}`);
        await manager.query(`INSERT INTO ${table} SELECT * FROM saved_${table}`);
      }
    });

  function send(route: Route, { path = {}, body }: Attempt, caller: Caller): Promise<GatewayResponse<Shown>> {
    const filled = (route.paths[0] ?? '').replaceAll(
      /\{(\w+)\}/g,
      (whole, name: string) => path[name] ?? whole,
    );
    const more = body === undefined ? {} : { body };
    return admin.call<Shown>(route.method, filled, { ...caller.credential, ...more });
  }

  /** Returns the owners of the secrets and links in a response. */
  function shownBy({ handler }: Route, { path = {} }: Attempt, { body }: GatewayResponse<Shown>): string[] {
    const { id = path['id'] ?? '', key, invite_link: invited, inviteLink: again, reset_link: reset } = body;
    const owners: readonly (readonly [isShown: unknown, owner: string])[] = [
      [handler.startsWith('apiKeys_') && key, `key ${id}`],
      [invited, `invite ${id}`],
      [again, `invite ${path['inviteId'] ?? ''}`],
      [reset, `user ${path['userId'] ?? ''}`],
      // A caller who changes a trust may have put its own keys into it, and can then act as the
      // trust.
      [handler.startsWith('trusts_'), `trust ${path['trustId'] ?? id}`],
    ];
    return owners.filter(([isShown]) => Boolean(isShown)).map(([, owner]) => owner);
  }

  it('covers every documented write', () => {
    const rows = [...Object.keys(GRANTING_WRITES), ...WRITES_WITHOUT_RIGHTS];
    expect(rows.sort()).toEqual(writes.map(({ handler }) => handler).sort());
  });

  it('never gives rights that the caller lacks, and takes no rights from users above the caller', async () => {
    const { manager } = admin.dataSource;
    const before = await holdingsOf(manager, ours.organisationId);
    const [wrong, done] = [[] as string[], new Map<string, number>()];
    const attempts = callers.flatMap((caller) =>
      writes
        .filter(({ scopes }) => scopes.some((scope) => caller.scopes.has(scope)))
        .flatMap((route) =>
          (GRANTING_WRITES[route.handler]?.({ ...aim, selfId: caller.userId ?? aim.newcomerId }) ?? []).map(
            (attempt) => ({ caller, route, attempt }),
          ),
        ),
    );
    const odd: string[] = [];
    for (const { caller, route, attempt } of attempts) {
      const response = await send(route, attempt, caller);
      const line = `${route.handler} by ${caller.name} ${JSON.stringify(attempt)}`;
      if (![200, 201, 400, 403, 404, 409].includes(response.status)) odd.push(`${line}: ${response.text}`);
      if (response.status >= 300) continue;
      done.set(route.handler, (done.get(route.handler) ?? 0) + 1);
      const shown = shownBy(route, attempt, response);
      const after = await holdingsOf(manager, ours.organisationId);
      wrong.push(...excessOf({ caller, before, after, shown }).map((excess) => `${line}: ${excess}`));
      await restore();
    }
    expect(wrong).toEqual([]);
    expect(odd).toEqual([]);
    // Each write must have succeeded for some caller; otherwise its effect was never checked.
    expect([...done.keys()].sort()).toEqual(Object.keys(GRANTING_WRITES).sort());
    expect(attempts.length).toBeGreaterThan(600);
  }, 300_000);
});
