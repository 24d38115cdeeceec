import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';
import { Fixtures, unknownFixture, withIds, type Fixture, type Place } from './spec-support/tenancy-fixtures';
import { TENANCY_ROWS, type TenancyRow } from './spec-support/tenancy-rows';
import { routesOf, type Route } from './spec-support/tenancy-verdicts';

/** Routes without an etag: links of a guardrail, SCIM tokens and feedback, where the last write wins. They refuse the header. */
const WITHOUT_ETAG = [
  'feedback_update',
  'grants_end',
  'guardrailServers_put',
  'guardrailServers_replace',
  'guardrailServers_replaceAgents',
  'ownGrants_end',
  'scimTokens_remove',
  'ssoLinks_remove',
];

interface Failure {
  readonly error?: { readonly type: string; readonly param: string | null };
}

describe('If-Match on routes that change a resource', () => {
  const admin = new TestAdminApi();
  const fixtures = new Fixtures(admin);
  let place: Place;
  let session: string;
  let routes: readonly Route[];

  beforeAll(async () => {
    place = { ...(await admin.tenant()), mark: 'ours', organisationMark: 'ours' };
    session = await admin.login((await admin.user(place.organisationId, 'owner')).email);
    routes = routesOf(admin.api.document).filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method));
  });

  async function call(route: Route, ifMatch: string): Promise<GatewayResponse<Failure>> {
    const row = TENANCY_ROWS[route.handler] as TenancyRow;
    const fixture: Fixture = row.kind === undefined ? unknownFixture() : await fixtures.of(row.kind, place);
    const { workspaceId } = place;
    const path = withIds(route.paths[0] ?? '', fixture, false).replace('{workspaceId}', workspaceId);
    const query = new URLSearchParams(row.query);
    if (row.needsWorkspace) query.set('workspace_id', workspaceId);
    // The body of the matrix row has a wrong name on purpose, so the real name is read here.
    const { body: workspace } = await admin.get<{ name: string }>(`/v1/workspaces/${workspaceId}`, {
      key: place.adminKey,
    });
    const body =
      route.handler === 'workspaces_remove'
        ? { name: workspace.name }
        : row.body?.({ fixture, workspaceId, targetId: workspaceId });
    const responses: GatewayResponse<Failure>[] = [];
    for (const credential of [{ key: place.key }, { key: place.adminKey }, { token: session }]) {
      const response = await admin.call<Failure>(route.method, `${path}?${query.toString()}`, {
        ...credential,
        headers: { 'if-match': ifMatch },
        ...(body === undefined ? {} : { body }),
      });
      if (![401, 403, 404].includes(response.status)) return response;
      responses.push(response);
    }
    return responses.at(-1) as GatewayResponse<Failure>;
  }

  it('gets 412 for another version on every documented route, or is refused where there is no etag', async () => {
    const found = new Map<string, unknown>();
    for (const route of routes) {
      const { status, body } = await call(route, '"of another version"');
      found.set(route.handler, [status, body.error?.type]);
    }
    const expected = routes.map(({ handler }) => [
      handler,
      WITHOUT_ETAG.includes(handler) ? [400, 'header_invalid'] : [412, 'etag_mismatch'],
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    expect(routes.length).toBeGreaterThan(45);
  }, 120_000);

  it('accepts the current version and shows a new one after a change, for users, members and exclusions', async () => {
    const { organisationId, workspaceId, adminKey: key } = place;
    const { id } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
    for (const [path, body] of [
      [`/v1/admin/users/${id}`, { role: 'admin' }],
      [`/v1/admin/workspaces/${workspaceId}/users/${id}`, { role: 'manager' }],
      [
        '/v1/workspace-exclusions/input-guardrails',
        { workspaces: [{ workspace_id: workspaceId, excluded: true }] },
      ],
    ] as const) {
      const read = await admin.get<{ etag: string }>(path, { key });
      const etag = read.headers['etag'] as string;
      expect([path, read.body.etag]).toEqual([path, etag]);
      const put = (): Promise<GatewayResponse> =>
        admin.call('PUT', path, { key, body, headers: { 'if-match': etag } });
      expect([path, (await put()).status]).toEqual([path, 200]);
      expect([path, (await put()).status]).toEqual([path, 412]);
      expect((await admin.get<{ etag: string }>(path, { key })).body.etag).not.toBe(etag);
    }
  });
});
