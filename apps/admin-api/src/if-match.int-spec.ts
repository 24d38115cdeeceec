import { TestAdminApi, type GatewayResponse } from './spec-support/admin-api';
import { TargetCalls } from './spec-support/target-calls';
import { routesOf, type Route } from './spec-support/tenancy-expectations';
import { WITHOUT_ETAG } from './spec-support/without-etag';

interface Failure {
  readonly error?: { readonly type: string; readonly param: string | null };
}

describe('If-Match on routes that change a resource', () => {
  const admin = new TestAdminApi();
  let calls: TargetCalls;
  let routes: readonly Route[];

  beforeAll(async () => {
    calls = await TargetCalls.in(admin);
    routes = routesOf(admin.api.document).filter(({ method }) => ['PUT', 'PATCH', 'DELETE'].includes(method));
  });

  it('responds with 412 to another version on every documented route, or refuses If-Match when there is no etag', async () => {
    const found = new Map<string, unknown>();
    for (const route of routes) {
      const { status, body } = await calls.call<Failure>(await calls.of(route), {
        'if-match': '"of another version"',
      });
      found.set(route.handler, [status, body.error?.type]);
    }
    const expected = routes.map(({ handler }) => [
      handler,
      WITHOUT_ETAG.includes(handler) ? [400, 'header_invalid'] : [412, 'etag_mismatch'],
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    expect(routes.length).toBeGreaterThan(45);
  });

  it('accepts the current version and returns a new etag after a change of users, members and exclusions', async () => {
    const { organisationId, workspaceId, adminKey: key } = calls.place;
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
