import { TestAdminApi } from './spec-support/admin-api';
import { TargetCalls } from './spec-support/target-calls';
import { routesOf, type Route } from './spec-support/tenancy-expectations';
import { WITHOUT_ETAG } from './spec-support/without-etag';

/**
 * Handlers of capabilities, which exist only after a server was read, so that their matrix rows are
 * refused.
 */
const REFUSED = ['mcpCapabilities_update'];

interface Made {
  readonly id?: string;
  readonly data?: { readonly slug?: string };
}

describe('the etag of a write', () => {
  const admin = new TestAdminApi();
  let calls: TargetCalls;
  let routes: readonly Route[];

  beforeAll(async () => {
    calls = await TargetCalls.in(admin);
    routes = routesOf(admin.api.document);
  });

  it('is in the response to every PUT, and the next PUT accepts it', async () => {
    const found: unknown[] = [];
    const puts = routes.filter(
      ({ method, handler }) =>
        ['PUT', 'PATCH'].includes(method) && ![...WITHOUT_ETAG, ...REFUSED].includes(handler),
    );
    for (const route of puts) {
      const target = await calls.of(route);
      const first = await calls.call(target);
      const etag = first.headers['etag'];
      const again = await calls.call<{ error?: unknown }>(target, { 'if-match': String(etag) });
      found.push([route.handler, first.status, typeof etag, again.status, again.body.error]);
    }
    expect(found).toEqual(puts.map(({ handler }) => [handler, 200, 'string', 200, undefined]));
    expect(puts.length).toBeGreaterThan(30);
  });

  it('is in the response to every POST of a resource that has one, and equals that of its GET', async () => {
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const route of routes.filter(({ handler }) => handler.endsWith('_create'))) {
      const get = routes.find(({ handler }) => handler === route.handler.replace('_create', '_get'));
      const made = await calls.call<Made>(await calls.of(route));
      const reference = made.body.id ?? made.body.data?.slug;
      if (!get || made.status !== 200 || reference === undefined) continue;
      const path = (get.paths[0] ?? '').replace(/\{[^}]+\}$/, reference);
      const read = await calls.call({ method: 'GET', path });
      if (read.headers['etag'] === undefined) continue;
      found.push([route.handler, made.headers['etag']]);
      expected.push([route.handler, read.headers['etag']]);
    }
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(25);
  });

  it('is in the response to a repeated POST with one Idempotency-Key, and not in that of a DELETE', async () => {
    const { adminKey: key, workspaceId } = calls.place;
    const body = { name: 'repeated', workspace_id: workspaceId };
    const call = { key, body, headers: { 'idempotency-key': 'etag-of-a-label' } };
    const responses = [await admin.post('/v1/labels', call), await admin.post('/v1/labels', call)];
    expect(responses.map(({ headers }) => [headers['idempotent-replayed'], headers['etag']])).toEqual([
      [undefined, '"1"'],
      ['true', '"1"'],
    ]);
    const made = await admin.post<{ id: string }>('/v1/api-keys/workspace/service', {
      key,
      body: { name: 'gone', workspace_id: workspaceId, scopes: ['logs.list'] },
    });
    const { status, headers } = await admin.call('DELETE', `/v1/api-keys/${made.body.id}`, { key });
    expect([status, headers['etag']]).toEqual([200, undefined]);
  });

  it('is not in the response to a dry run or a refused change', async () => {
    const { adminKey: key, workspaceId } = calls.place;
    const { body: label } = await admin.post<{ id: string }>('/v1/labels', {
      key,
      body: { name: 'kept', workspace_id: workspaceId },
    });
    const path = `/v1/labels/${label.id}`;
    const dry = await admin.call('PUT', `${path}?dry_run=true`, { key, body: { name: 'other' } });
    const refused = await admin.call('PUT', path, { key, body: { name: '' } });
    expect([dry, refused].map(({ status, headers }) => [status, headers['etag']])).toEqual([
      [204, undefined],
      [400, undefined],
    ]);
  });
});
