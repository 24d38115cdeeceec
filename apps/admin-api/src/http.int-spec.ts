import { readCases } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi } from './spec-support/admin-api';
import type { Failure } from './spec-support/api-keys';

interface HeaderCases {
  readonly cases: readonly {
    readonly id: string;
    readonly group: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly expect: number | 'route';
    readonly reason: string;
  }[];
}

interface BodyCases {
  readonly cases: readonly {
    readonly id: string;
    readonly endpoint: string;
    readonly raw?: string;
    readonly hex?: string;
    readonly expect: string;
    readonly basis: string;
    readonly reason: string;
  }[];
}

const MALFORMED = (readCases('bodies.json') as BodyCases).cases.filter(
  ({ endpoint, expect: verdict, raw, hex }) =>
    endpoint === 'ANY json route' && verdict === 'reject' && (raw !== undefined || hex !== undefined),
);
const CONTENT_TYPES = (readCases('headers.json') as HeaderCases).cases.filter(
  ({ group }) => group === 'content_type',
);
const CONFIGS = '/v1/configs';
const CONFIG = { name: 'plain', config: { provider: '@openai' } };

describe('HTTP of the control plane', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();

  it('has cases from the specification', () => {
    expect(CONTENT_TYPES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(CONTENT_TYPES.map((item) => [item.id, item.reason, item] as const))(
    '%s: %s',
    async (_id, _reason, { headers, expect: expected }) => {
      const sent = Object.fromEntries(headers.map(([name, value]) => [name, value]));
      const response = await admin.post<Failure>(CONFIGS, {
        headers: { ...sent, 'x-gw-api-key': ours.key },
        body: JSON.stringify(CONFIG),
      });
      expect(response.status).toBe(expected === 'route' ? 200 : expected);
      if (expected !== 'route') expect(response.body.error.code).toBe('AB01');
    },
  );

  it('treats an empty DELETE body as absent although its content type is set, as official clients send it', async () => {
    const label = await admin.post<{ id: string }>('/v1/labels', { key: ours.key, body: { name: 'gone' } });
    const response = await admin.delete(`/v1/labels/${label.body.id}`, {
      key: ours.key,
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    const empty = await admin.post<Failure>('/v1/labels', {
      key: ours.key,
      headers: { 'content-type': 'application/json' },
    });
    expect([empty.status, empty.body.error.code]).toEqual([400, 'AB01']);
  });

  it.each(MALFORMED.map((item) => [item.id, item.reason, item] as const))(
    'refuses the body of %s: %s',
    async (_id, _reason, { raw = '', hex }) => {
      const payload = hex === undefined ? raw : Buffer.from(hex, 'hex');
      const headers = { 'x-gw-api-key': ours.key, 'content-type': 'application/json' };
      const { statusCode, body } = await admin.api.app.inject({
        method: 'POST',
        url: CONFIGS,
        headers,
        payload,
      });
      expect([statusCode, JSON.parse(body)]).toMatchObject([
        400,
        { error: { type: 'body_invalid', code: 'AB01' } },
      ]);
    },
  );

  it('reports the position where a body stops being JSON, and quotes nothing from it', async () => {
    const body = '{\n  "name": "secret"\n  "config": {}\n}';
    const response = await admin.post<Failure>(CONFIGS, { key: ours.key, body });
    expect([response.status, response.body.error.message]).toEqual([
      400,
      'The request body is not valid JSON: it breaks line 3, column 3.',
    ]);
  });

  it('refuses a body that is valid except for a byte that is not UTF-8', async () => {
    const payload = Buffer.from(JSON.stringify({ ...CONFIG, name: 'aXb' }));
    const headers = { 'x-gw-api-key': ours.key, 'content-type': 'application/json' };
    const status = async (): Promise<number> =>
      (await admin.api.app.inject({ method: 'POST', url: CONFIGS, headers, payload })).statusCode;
    expect(await status()).toBe(200);
    payload[payload.indexOf('X')] = 0xff;
    expect(await status()).toBe(400);
  });

  it.each([['null'], ['[]'], ['[{}]'], ['7'], ['"text"'], ['true']])(
    'refuses the body %s, which is not an object',
    async (body) => {
      const response = await admin.post<Failure>(CONFIGS, { key: ours.key, body });
      expect([response.status, response.body.error.type]).toEqual([400, 'body_invalid']);
    },
  );

  it.each([
    ['objects', `{"name":"x","config":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`],
    ['lists', `{"name":"x","config":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`],
  ])('refuses %s nested as deeply as a body of maximum size allows', async (_kind, body) => {
    const response = await admin.post<Failure>(CONFIGS, { key: ours.key, body });
    expect([response.status, response.body.error.type]).toEqual([400, 'body_invalid']);
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const { key } = ours;
    for (const url of ['/v1/configs', '/v2/workspaces', '/health', `/v1/workspaces/${ours.workspaceId}`]) {
      const get = await admin.get(url, { key });
      const head = await admin.call('HEAD', url, { key });
      expect([url, head.status, head.text]).toEqual([url, get.status, '']);
      for (const name of ['content-type', 'content-length', 'etag']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
    }
    expect((await admin.call('HEAD', '/v1/configs')).status).toBe(401);
    expect((await admin.call('HEAD', '/v1/nothing', { key })).status).toBe(404);
  });

  it('distinguishes an unsupported method from an unknown path', async () => {
    const { key } = ours;
    const refused = await admin.call<Failure>('PATCH', CONFIGS, { key });
    expect([refused.status, refused.body.error.type]).toEqual([405, 'method_not_allowed']);
    expect(refused.headers['allow']).toBe('GET, HEAD, POST');
    const missing = await admin.call<Failure>('PATCH', '/v1/nothing', { key });
    expect([missing.status, missing.body.error.type]).toEqual([404, 'route_not_found']);
    expect(missing.headers['allow']).toBeUndefined();
  });
});

describe('rate limit of the control plane', () => {
  const admin = new TestAdminApi({ CONTROL_PLANE_RATE_LIMIT: '3', CONSOLE_RATE_LIMIT: '6' });

  it('counts the sessions of a user together, and apart from keys and other users', async () => {
    const { organisationId, workspaceId, key } = await admin.tenant();
    const { id, email } = await admin.user(organisationId, 'owner', { [workspaceId]: 'admin' });
    const tokens = [await admin.login(email), await admin.login(email)];
    const left = [];
    for (let i = 0; i < 6; i += 1) {
      const { status, headers } = await admin.get('/v1/workspaces', { token: tokens[i % 2] ?? '' });
      left.push([status, String(headers['ratelimit']).replace(/, reset=\d+$/, '')]);
    }
    expect(left).toEqual([5, 4, 3, 2, 1, 0].map((n) => [200, `limit=6, remaining=${String(n)}`]));
    const refused = await admin.get<Failure>('/v1/auth/self', { token: tokens[0] ?? '' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'AB06']);
    expect(refused.headers['ratelimit']).toMatch(/^limit=6, remaining=0, reset=\d+$/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const userKey = await admin.apiKey('workspace-user', { organisationId, workspaceId, userId: id });
    expect((await admin.get('/v1/configs', { key: userKey })).headers['ratelimit']).toMatch(/^limit=3, /);
    expect((await admin.get('/v1/configs', { key })).status).toBe(200);
    const other = await admin.user(organisationId, 'owner');
    expect((await admin.get('/v1/auth/self', { token: await admin.login(other.email) })).status).toBe(200);
  });

  it('creates no counter for callers without a known credential', async () => {
    const { email } = await admin.user((await admin.tenant()).organisationId, 'owner');
    for (const call of [{}, { key: 'unknown' }, { token: `${await admin.login(email)}x` }])
      for (let i = 0; i < 8; i += 1) {
        const { status, headers } = await admin.get('/v1/workspaces', call);
        expect([status, headers['ratelimit']]).toEqual([401, undefined]);
      }
  });

  it('applies to each credential, sends retry-after, and exempts health and Tollgate’s own processes', async () => {
    const { key, adminKey } = await admin.tenant();
    for (let i = 0; i < 3; i += 1) expect((await admin.get('/v1/workspaces', { key })).status).toBe(200);
    const refused = await admin.get<Failure>('/v1/configs', { key });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'AB06']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await admin.get('/v1/workspaces', { key: adminKey })).status).toBe(200);
    for (let i = 0; i < 5; i += 1) {
      expect((await admin.get('/health')).status).toBe(200);
      const internal = { token: SERVICE_TOKEN, body: { keys: [] } };
      expect((await admin.post('/internal/v1/documents', internal)).status).toBe(200);
    }
  });
});
