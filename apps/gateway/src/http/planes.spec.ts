import { CONTROL_PLANE_SEGMENTS, UNVERSIONED_SEGMENTS } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { destinationOf } from './paths';

/** As the interface specification names them, each under its own version or none. */
const CONTROL_PATHS = [
  'GET /v1/workspace-exclusions/input-guardrails',
  'PUT /v1/workspace-exclusions/output-guardrails',
  'GET /v1/admin/organisation/defaults',
  'DELETE /v1/logs/exports/id',
  'GET /v1/logs/exports/field-restrictions?workspace_id=w',
  'PUT /v1/integrations/id/integration-models',
  'PUT /v2/workspaces/id',
  'GET /v2/workspaces/id?name_format=plain',
  'PUT /v2/policies/usage-limits/id',
  'PUT /v2/policies/rate-limits/id',
  'GET /v2/api-keys?ids=a,b',
  'POST /v1/scim/workspaces',
  'GET /v1/scim/groups?search=x',
  'GET /v1/auth/self',
  'POST /oauth/register',
  'GET /oauth/authorize?client_id=x',
  'GET /mcp-servers/id/metadata',
  'POST /v2/agent-integrations/fetch-agent-card',
  'POST /v2/prompts/id/share',
  'PUT /v2/batches/id',
  'GET /v1/secret-references?page_size=5',
  'GET /.well-known/openid-configuration',
  'GET /v0.1/servers/io.acme.dev%2Fgithub/versions/latest',
  'POST /mcp/admin',
];
/** Families that the control plane serves. */
const FAMILIES = ['prompts', 'guardrails', 'configs'];

describe('control-plane paths', () => {
  // The compiler ensures that every route of the admin API starts with one of these segments.
  it('are forwarded to the admin API by the gateway', () => {
    const paths = [
      ...CONTROL_PLANE_SEGMENTS.flatMap((segment) => [
        `/v1/${segment}`,
        `/v1/${segment}/id`,
        `/v2/${segment}`,
      ]),
      ...UNVERSIONED_SEGMENTS.flatMap((segment) => [`/${segment}`, `/${segment}/id`]),
    ];
    for (const path of paths) expect(destinationOf(path)).toEqual({ plane: 'control' });
    expect(paths.length).toBeGreaterThan(100);
  });

  it('do not match as prefixes of other segments', () => {
    for (const path of ['/v1/labelsx', '/v1/label'])
      expect(destinationOf(path)).toEqual({ plane: 'data', path: path.slice(3), base: '/v1' });
    for (const path of ['/invites', '/oauthx/a']) expect(destinationOf(path)).toEqual({ plane: 'none' });
  });
});

describe('paths of SDKs that put their vendor’s whole path after the base URL', () => {
  it('lead to the routes of models, and never to the control plane', () => {
    for (const segment of ['chat/completions', 'models', 'configs', 'api-keys'])
      expect(destinationOf(`/openai/v1/${segment}`)).toEqual({
        plane: 'data',
        path: `/${segment}`,
        base: '/v1',
      });
    expect(destinationOf('/openai/v1')).toEqual({ plane: 'none' });
  });
});

describe('a request that is refused before it has a route', () => {
  it('gets its error in the dialect of the clients of its path', async () => {
    const gateway = await GatewayHarness.start();
    const origin = gateway.baseUrl.replace(/\/v1$/, '');
    const errorAt = async (path: string): Promise<unknown> =>
      (await fetch(`${origin}${path}`, { method: 'POST', body: '{}' })).json();
    try {
      expect(await errorAt('/v1beta/models//m:generateContent')).toMatchObject({
        error: { code: 400, status: 'INVALID_ARGUMENT', gateway_type: 'request_malformed' },
      });
      expect(await errorAt('/v1/messages//x')).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error' },
      });
      expect(await errorAt('/v1/chat//completions')).toMatchObject({ error: { type: 'request_malformed' } });
    } finally {
      await gateway.stop();
    }
  });
});

describe('single base URL', () => {
  let gateway: GatewayHarness;
  let admin: StubProvider;
  let stub: StubProvider;

  beforeAll(async () => {
    admin = await StubProvider.start();
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start({ ADMIN_URL: admin.origin });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([admin.stop(), stub.stop()]);
  });
  beforeEach(() => {
    admin.respond({
      status: 207,
      headers: { 'x-of-control-plane': 'yes', etag: '"7"' },
      body: { plane: 'control' },
    });
    stub.respondJson({ plane: 'data' });
    admin.requests.length = 0;
    stub.requests.length = 0;
  });

  const call = (method: string, path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method,
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'if-match': '"6"',
        'content-type': 'application/json',
      },
      ...(method === 'POST' || method === 'PUT' ? { body: '{"a":1}' } : {}),
    });

  it.each(CONTROL_PATHS)(
    '[SVC-08] [VER-01] forwards %s to the control plane, unchanged both ways',
    async (line) => {
      const [method = '', path = ''] = line.split(' ');
      const response = await call(method, path);
      expect([response.status, await response.json()]).toEqual([207, { plane: 'control' }]);
      expect(response.headers.get('x-of-control-plane')).toBe('yes');
      expect(response.headers.get('etag')).toBe('"7"');
      const { headers, body, ...requested } = admin.lastRequest;
      expect(requested).toMatchObject({ method, url: path });
      expect(headers).toMatchObject({ 'x-gw-api-key': gateway.apiKey, 'if-match': '"6"' });
      expect(body.toString()).toBe(method === 'POST' || method === 'PUT' ? '{"a":1}' : '');
      expect(stub.requests).toHaveLength(0);
    },
  );

  it.each(FAMILIES)('[SVC-03] serves /v1/%s from the control plane', async (family) => {
    for (const path of [`/v1/${family}`, `/v1/${family}/id`, `/v2/${family}`])
      expect(await (await call('GET', path)).json()).toEqual({ plane: 'control' });
    expect(admin.requests).toHaveLength(3);
  });

  it.each([
    '/v1/models',
    '/v1/own/endpoint',
    '/v1/batches',
    '/v1/proxy/configs',
    '/v1/config-uration',
    '/v1/organisations-of-a-provider',
  ])('[SVC-08] [VER-01] sends GET %s to the data plane', async (path) => {
    expect(await (await call('GET', path)).json()).toEqual({ plane: 'data' });
    expect(admin.requests).toHaveLength(0);
  });

  it('[VER-01] has no data plane outside of /v1', async () => {
    for (const path of ['/v2/chat/completions', '/v2/own/endpoint']) {
      expect(await (await call('GET', path)).json()).toEqual({ plane: 'control' });
    }
    for (const path of ['/v3/chat/completions', '/chat/completions', '/', '/V1/models']) {
      expect((await call('GET', path)).status).toBe(404);
    }
    expect(stub.requests).toHaveLength(0);
  });
});
