import { readCases } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { severalAtATime } from '../../spec-support/several-at-a-time';
import { ENVIRONMENT, makePlaces, makeRoles, type Places } from '../../spec-support/tenancy-callers';
import { Fixtures, unknownFixture, withIds, type Fixture } from '../../spec-support/tenancy-fixtures';
import { TENANCY_ROWS, type TenancyRow } from '../../spec-support/tenancy-rows';
import {
  isOfOrganisation,
  routesOf,
  TARGETS,
  targetsOf,
  expectedResultOf,
  type Role,
  type Route,
  type Target,
  type ExpectedResult,
} from '../../spec-support/tenancy-expectations';

const { roles: NAMED_ROLES } = readCases('idor.json') as { readonly roles: readonly string[] };
/** Returns the response without its request id. */
function plain({ status, body }: GatewayResponse): string {
  const { request_id: _requestId, ...error } = (body['error'] ?? {}) as Record<string, unknown>;
  return JSON.stringify([status, error]);
}

describe('tenancy matrix', () => {
  const admin = new TestAdminApi(ENVIRONMENT);
  const fixtures = new Fixtures(admin);
  let places: Places;
  let roles: readonly Role[];
  let routes: readonly Route[];

  beforeAll(async () => {
    routes = routesOf(admin.api.document);
    places = await makePlaces(admin);
    roles = await makeRoles(admin, places);
  });

  async function fixtureFor(row: TenancyRow, target: Target): Promise<Fixture> {
    return row.kind === undefined || target === 'unknown id'
      ? unknownFixture()
      : fixtures.of(row.kind, places[target]);
  }

  const marked = ({ aim }: TenancyRow, target: Target): { readonly mark?: string } => {
    if (target === 'unknown id') return {};
    const { mark, organisationMark } = places[target];
    return { mark: aim === 'organisation' ? organisationMark : mark };
  };

  async function sendRequest(
    route: Route,
    row: TenancyRow,
    role: Role,
    target: Target,
  ): Promise<GatewayResponse> {
    const fixture = await fixtureFor(row, target);
    const targetId = target === 'unknown id' ? unknownFixture().id : places[target].workspaceId;
    const home = role.reaches.length > 0 ? places[role.home].workspaceId : undefined;
    const workspaceId = role.reaches.includes(target) ? targetId : home;
    // The paths of one handler alternate, so that every kind of role calls each path.
    const turn = roles.indexOf(role) + TARGETS.indexOf(target);
    const path = withIds(
      route.paths[turn % route.paths.length] ?? '',
      fixture,
      target === 'sibling workspace',
    ).replace('{workspaceId}', targetId);
    const query = new URLSearchParams(row.query);
    if (row.aim === 'named') query.set('workspace_id', targetId);
    if (row.needsWorkspace && workspaceId !== undefined) query.set('workspace_id', workspaceId);
    return admin.call(route.method, `${path}?${query.toString()}`, {
      ...role.credential,
      ...(row.body ? { body: row.body({ fixture, workspaceId, targetId, ...marked(row, target) }) } : {}),
    });
  }

  const visibleMarks = (role: Role): Set<string> =>
    new Set(
      TARGETS.flatMap((target) => {
        if (target === 'unknown id' || role.kind === 'none') return [];
        const { mark, organisationMark } = places[target];
        return [
          ...(role.reaches.includes(target) ? [mark] : []),
          ...(isOfOrganisation(role, target) ? [organisationMark] : []),
        ];
      }),
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
        return targetsOf(route, row, role).map((target) => ({
          ...{ route, row, role, target },
          expected: expectedResultOf(route, row, role, target),
        }));
      }),
    );
  }

  /**
   * Returns a digest of all rows that a control-plane call can change, except the records of the
   * calls themselves.
   */
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
    const names = roles.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...NAMED_ROLES]));
    expect(names).toHaveLength(24);
  });

  it('refuses calls as declared, with equal responses for foreign and missing targets, and changes no row', async () => {
    const refused = cells().filter(({ expected }) => expected !== 'reached');
    for (const { row, target } of refused) await fixtureFor(row, target);
    const before = await digest();
    const wrong: string[] = [];
    const hidden = new Map<string, Map<string, string>>();
    // These calls change nothing, so several can run concurrently.
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
      const mayChange = route.method !== 'GET' && row.keeps !== true;
      if (mayChange && row.kind !== undefined && target !== 'unknown id') {
        fixtures.forget(row.kind, places[target]);
      }
    }
    expect(wrong).toEqual([]);
    expect(reached.length).toBeGreaterThan(400);
  }, 400_000);
});
