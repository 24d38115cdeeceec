import { ALL_OPEN, SCOPES, scopesAllowedFor } from '@gw/auth-scopes';
import { OrganisationEntity } from '@gw/entities';
import { readCases } from '@gw/testing';
import { In } from 'typeorm';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { severalAtATime } from '../../spec-support/several-at-a-time';
import {
  Fixtures,
  unknownFixture,
  withIds,
  type Fixture,
  type Place,
} from '../../spec-support/tenancy-fixtures';
import { TENANCY_ROWS, type TenancyRow } from '../../spec-support/tenancy-rows';
import {
  routesOf,
  TARGETS,
  expectedResultOf,
  type Role,
  type Route,
  type Target,
  type ExpectedResult,
} from '../../spec-support/tenancy-expectations';

const { roles: NAMED_ROLES } = readCases('idor.json') as { readonly roles: readonly string[] };
/** The response without its request id. */
function plain({ status, body }: GatewayResponse): string {
  const { request_id: _requestId, ...error } = (body['error'] ?? {}) as Record<string, unknown>;
  return JSON.stringify([status, error]);
}

describe('tenancy matrix', () => {
  const admin = new TestAdminApi();
  const fixtures = new Fixtures(admin);
  let places: Readonly<Record<Exclude<Target, 'unknown id'>, Place>>;
  let roles: readonly Role[];
  let routes: readonly Route[];

  beforeAll(async () => {
    routes = routesOf(admin.api.document);
    const ours = await admin.tenant();
    const theirs = await admin.tenant();
    const { organisationId, adminKey } = ours;
    const both = { id: In([organisationId, theirs.organisationId]) };
    await admin.dataSource.manager.update(OrganisationEntity, both, { securitySettings: ALL_OPEN });
    const siblingId = await admin.workspace(organisationId, { name: 'Canary-sibling' });
    const siblingKey = await admin.apiKey('workspace-service', { organisationId, workspaceId: siblingId });
    const organisationMark = 'Canary-ours';
    places = {
      'own workspace': { ...ours, mark: 'Canary-own', organisationMark },
      'sibling workspace': {
        ...{ organisationId, adminKey, workspaceId: siblingId, key: siblingKey },
        ...{ mark: 'Canary-sibling', organisationMark },
      },
      'other organisation': { ...theirs, mark: 'Canary-other', organisationMark: 'Canary-theirs' },
    };
    roles = await makeRoles();
  }, 120_000);

  async function makeRoles(): Promise<readonly Role[]> {
    const own = places['own workspace'];
    const sibling = places['sibling workspace'];
    const other = places['other organisation'];
    const none = new Set<string>();
    const anonymous = { kind: 'none', documented: null, scopes: none, reaches: [], home: own } as const;
    const key = async (scopes: readonly string[]): Promise<Omit<Role, 'name'>> => ({
      ...{ kind: 'key', documented: null, scopes: new Set(scopes), reaches: ['own workspace'], home: own },
      credential: { key: await admin.apiKey('workspace-service', own, scopes) },
    });
    const session = async (
      home: Place,
      documented: string,
      targets: readonly Target[],
    ): Promise<Omit<Role, 'name'>> => {
      const workspaceRole = documented.replace('workspace-', '') as 'admin' | 'manager' | 'member';
      const { email } = documented.startsWith('workspace-')
        ? await admin.user(home.organisationId, 'member', { [home.workspaceId]: workspaceRole })
        : await admin.user(home.organisationId, 'admin');
      const credential = { token: await admin.login(email) };
      return { kind: 'session', documented, scopes: none, reaches: targets, home, credential };
    };
    const expired = await admin.apiKey('organisation-service', own);
    await admin.dataSource.query(
      `UPDATE api_keys SET expires_at = now() - interval '1 minute' WHERE id = (
         SELECT id FROM api_keys WHERE organisation_id = $1 AND type = 'organisation-service' ORDER BY created_at DESC, id DESC LIMIT 1)`,
      [own.organisationId],
    );
    const deployment = await admin.post<{ client_auth: string }>('/v1/deployments', {
      key: own.adminKey,
      body: { name: 'Canary-ours' },
    });
    const theirs = { key: other.adminKey, body: { name: other.organisationMark } };
    expect((await admin.post('/v1/deployments', theirs)).status).toBe(200);
    const scim = await admin.post<{ token: string }>('/v1/admin/organisation/scim-token', {
      key: own.adminKey,
    });
    expect(scim.status).toBe(200);
    const dataScopes = SCOPES.filter(
      (scope) =>
        scopesAllowedFor('workspace-service').has(scope) &&
        !scopesAllowedFor('organisation-service').has(scope),
    );
    const built: Readonly<Record<string, Omit<Role, 'name'>>> = {
      anonymous: { ...anonymous, credential: {} },
      'data-plane API key without scopes': await key([]),
      'data-plane API key with all data scopes': await key(dataScopes),
      member: await session(own, 'workspace-member', ['own workspace']),
      manager: await session(own, 'workspace-manager', ['own workspace']),
      'workspace admin': await session(own, 'workspace-admin', ['own workspace']),
      'organisation admin': await session(own, 'admin', ['own workspace', 'sibling workspace']),
      // Works only at the SCIM routes, which are not in the OpenAPI document.
      'SCIM token': { ...anonymous, credential: { token: scim.body.token } },
      'expired key': { ...anonymous, credential: { key: expired } },
      'member of workspace B (same org)': await session(sibling, 'workspace-member', ['sibling workspace']),
      'admin of workspace B (same org)': await session(sibling, 'workspace-admin', ['sibling workspace']),
      'organisation admin of org 2': await session(other, 'admin', ['other organisation']),
      'deployment token': { ...anonymous, credential: { key: deployment.body.client_auth } },
    };
    return NAMED_ROLES.map((name) => {
      const role = built[name];
      if (!role) throw new Error(`The matrix does not define the role ${name}.`);
      return { name, ...role };
    });
  }

  async function fixtureFor(row: TenancyRow, target: Target): Promise<Fixture> {
    return row.kind === undefined || target === 'unknown id'
      ? unknownFixture()
      : fixtures.of(row.kind, places[target]);
  }

  async function sendRequest(
    route: Route,
    row: TenancyRow,
    role: Role,
    target: Target,
  ): Promise<GatewayResponse> {
    const fixture = await fixtureFor(row, target);
    const targetId = target === 'unknown id' ? unknownFixture().id : places[target].workspaceId;
    const workspaceId = role.reaches.includes(target) ? targetId : role.home.workspaceId;
    // The paths of one handler alternate, so that each path is called by every kind of role.
    const turn = roles.indexOf(role) + TARGETS.indexOf(target);
    const path = withIds(
      route.paths[turn % route.paths.length] ?? '',
      fixture,
      target === 'sibling workspace',
    ).replace('{workspaceId}', targetId);
    const query = new URLSearchParams(row.query);
    if (row.aim === 'named') query.set('workspace_id', targetId);
    if (row.needsWorkspace) query.set('workspace_id', workspaceId);
    return admin.call(route.method, `${path}?${query.toString()}`, {
      ...role.credential,
      ...(row.body ? { body: row.body({ fixture, workspaceId, targetId }) } : {}),
    });
  }

  const visibleMarks = (role: Role): Set<string> =>
    new Set(
      TARGETS.filter((target) => role.reaches.includes(target)).flatMap((target) =>
        target === 'unknown id' ? [] : [places[target].mark, places[target].organisationMark],
      ),
    );

  /** Returns how a response differs from the expected one; null if it does not. */
  function fault(
    row: TenancyRow,
    role: Role,
    expected: ExpectedResult,
    { status, body, text }: GatewayResponse,
  ): string | null {
    const seen = visibleMarks(role);
    const leaked = Object.values(places)
      .flatMap(({ mark, organisationMark }) => [mark, organisationMark])
      .filter((mark) => !seen.has(mark) && text.includes(mark));
    if (leaked.length > 0) return `shows ${leaked.join(', ')}`;
    const { type } = (body['error'] ?? {}) as { readonly type?: string };
    const isRight =
      expected === 'reached'
        ? (row.reached ?? [200]).includes(status)
        : expected === 'unauthenticated'
          ? status === 401
          : expected === type && status === (expected === 'not_found' ? 404 : 403);
    return isRight ? null : `should be ${expected}, is ${String(status)} ${text.slice(0, 160)}`;
  }

  function cells(): {
    route: Route;
    row: TenancyRow;
    role: Role;
    target: Target;
    expected: ExpectedResult;
  }[] {
    // Logout ends the session, so it is called last.
    const ordered = [...routes].sort(
      (a, b) => Number(a.handler === 'auth_logout') - Number(b.handler === 'auth_logout'),
    );
    return roles.flatMap((role) =>
      ordered.flatMap((route) => {
        const row = TENANCY_ROWS[route.handler];
        if (!row) return [];
        return (row.aim === 'nothing' ? (['own workspace'] as const) : TARGETS).map((target) => ({
          ...{ route, row, role, target },
          expected: expectedResultOf(route, row, role, target),
        }));
      }),
    );
  }

  /** Returns a digest of all rows that a control-plane call can change, except the records of the calls themselves. */
  async function digest(): Promise<Record<string, string>> {
    const tables = await admin.dataSource.query<{ name: string }[]>(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
         AND NOT c.relispartition AND c.relname NOT IN ('audit_logs', 'audit_chains', 'migrations') ORDER BY 1`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      const [row] = await admin.dataSource.query<{ digest: string }[]>(
        `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) AS digest FROM "${name}" t`,
      );
      digests[name] = row?.digest ?? '';
    }
    return digests;
  }

  it('has a row for every documented route and a credential for every kind of caller', () => {
    expect(routes.map(({ handler }) => handler).sort()).toEqual(Object.keys(TENANCY_ROWS).sort());
    expect(roles).toHaveLength(13);
  });

  it('refuses calls as declared, with equal responses for foreign and missing targets, and changes no row', async () => {
    const refused = cells().filter(({ expected }) => expected !== 'reached');
    for (const { row, target } of refused) await fixtureFor(row, target);
    const before = await digest();
    const wrong: string[] = [];
    const hidden = new Map<string, Map<string, string>>();
    // These calls change nothing, so several can run at once.
    await severalAtATime(refused, async ({ route, row, role, target, expected }) => {
      const response = await sendRequest(route, row, role, target);
      const problem = fault(row, role, expected, response);
      if (problem) wrong.push(`${route.handler} by ${role.name} at ${target} ${problem}`);
      if (expected !== 'not_found') return;
      const name = `${route.handler} by ${role.name}`;
      hidden.set(name, (hidden.get(name) ?? new Map<string, string>()).set(plain(response), target));
    });
    expect(wrong).toEqual([]);
    // For each route and role, all targets that must stay hidden get the same response.
    expect([...hidden].filter(([, responses]) => responses.size > 1)).toEqual([]);
    expect(refused.length).toBeGreaterThan(4_000);
    expect(await digest()).toEqual(before);
  }, 400_000);

  it('admits calls as declared, and shows no caller data of other tenants', async () => {
    const reached = cells().filter(({ expected }) => expected === 'reached');
    const wrong: string[] = [];
    for (const { route, row, role, target, expected } of reached) {
      const response = await sendRequest(route, row, role, target);
      const problem = fault(row, role, expected, response);
      if (problem) wrong.push(`${route.handler} by ${role.name} at ${target} ${problem}`);
      if (route.method !== 'GET' && row.kind !== undefined && target !== 'unknown id') {
        fixtures.forget(row.kind, places[target]);
      }
    }
    expect(wrong).toEqual([]);
    expect(reached.length).toBeGreaterThan(400);
  }, 400_000);
});
