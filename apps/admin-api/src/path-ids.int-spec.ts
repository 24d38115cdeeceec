import { TestAdminApi } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';
import { dealt } from './spec-support/dealt';
import { identifiersOf, titled } from './spec-support/identifiers';
import { sharedIntegration, type Written } from './spec-support/places';
import { severalAtATime } from './spec-support/several-at-a-time';

const admin = new TestAdminApi();

const BAD_PATH_IDS = [
  ...['%00', '..%2f..%2fadmin', 'a%2fb', '%5c..%5c', '%252e%252e', 'a%0d%0ax:1', '%ff', '%c3%28', '%E0%A4%A'],
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    '__proto__',
    'constructor',
    'toString',
    '1e9',
    '0x1',
    "'%20OR%201=1--",
    '%22',
  ],
  ...[
    '018f0000-0000-7000-8000-00000000000',
    '{018f0000-0000-7000-8000-000000000000}',
    '018f00000000700080000000000000aa',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '%e2%80%ae',
    '%ef%bd%81',
    '@a',
    '~',
    ';a=b',
  ],
  ...['a'.repeat(255), 'a'.repeat(600), '%f0%9f%98%80'.repeat(200)],
];

describe('ids in the paths of the control plane', () => {
  const ours = admin.sharedTenant();
  const UNKNOWN_UUID = '3FA85F64-5717-4562-B3FC-2C963F66AFA6';

  /** Returns every documented path with an id, and its methods. */
  const paths = (): [string, string[]][] =>
    Object.entries(admin.api.document.paths)
      .filter(([path]) => path.startsWith('/v1/') && path.includes('{'))
      .map(([path, methods]) => [path, Object.keys(methods).map((method) => method.toUpperCase())]);

  interface PathCall {
    readonly method: string;
    readonly path: string;
    readonly key: string;
  }
  const calls = (keys: readonly string[]): PathCall[] =>
    paths().flatMap(([path, methods]) =>
      methods.flatMap((method) => keys.map((key) => ({ method, path, key }))),
    );

  async function sweep(
    requested: readonly (readonly [PathCall, string])[],
    statuses: readonly number[],
  ): Promise<void> {
    await severalAtATime(requested, async ([{ method, path, key }, id]) => {
      const url = path.replaceAll(/\{[^}]+\}/g, id);
      const { status } = await admin.call(method, url, { key, ...(method === 'GET' ? {} : { body: {} }) });
      // Routes that need a session, or a scope that one of the keys cannot hold, refuse before they
      // look up the id.
      expect([method, url, [...statuses, 401, 403].includes(status) || status]).toEqual([method, url, true]);
    });
  }

  it('occur in many paths', () => {
    expect(paths().length).toBeGreaterThan(15);
  });

  it.each(titled(identifiersOf('path id')))(
    'refuse a bad id as %s says, in every path',
    async (_title, { value }) => {
      const id = value.includes('%') ? value : encodeURIComponent(value);
      await sweep(
        calls([ours.adminKey, ours.key]).map((call) => [call, id]),
        [400, 404],
      );
    },
  );

  it('respond with 400 or 404 to an id with a NUL, which Postgres text cannot contain, in every path', async () => {
    await sweep(
      calls([ours.key]).map((call) => [call, 'a%00b']),
      [400, 404, 405],
    );
  });

  it('respond with 400 or 404 to an id that names nothing; each path gets a fifth of the bad ids', async () => {
    await sweep(dealt(calls([ours.key]), BAD_PATH_IDS, BAD_PATH_IDS.length / 5), [400, 404, 405]);
  });

  it('respond with 404 rather than 400 to unknown UUIDs, in upper and lower case', async () => {
    for (const kind of [
      'integrations',
      'providers',
      'virtual-keys',
      'configs',
      'guardrails',
      'api-keys',
      'workspaces',
    ]) {
      for (const id of [UNKNOWN_UUID, UNKNOWN_UUID.toLowerCase()]) {
        const { status, body } = await admin.get<Failure>(`/v1/${kind}/${id}`, { key: ours.key });
        expect([kind, status, body.error.type]).toEqual([kind, 404, 'not_found']);
      }
    }
  });

  it('find the same resource by a UUID in upper and lower case', async () => {
    const integrationId = await sharedIntegration(admin, ours);
    const { body: key } = await admin.post<Written>('/v1/api-keys/workspace/service', {
      key: ours.key,
      body: { name: 'x', scopes: ['logs.list'] },
    });
    for (const [path, id] of [
      ['integrations', integrationId],
      ['api-keys', key.id],
      ['workspaces', ours.workspaceId],
    ] as const) {
      const { status, body } = await admin.get(`/v1/${path}/${id.toUpperCase()}`, { key: ours.adminKey });
      expect([path, status, body['id']]).toEqual([path, 200, id]);
    }
  });
});
