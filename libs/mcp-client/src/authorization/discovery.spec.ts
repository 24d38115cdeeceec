import { createAddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { closedAfterEach, json, trusting, type Fixture } from '../spec-support/fixture';
import { discoverAuthorization, discoverIssuer, type DiscoveryOptions } from './discovery';

const { serve } = closedAfterEach();
const RESOURCE = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

type Documents = Record<string, unknown>;

/** Starts a server of documents by path, which responds 404 to other paths. */
async function documents(of: (origin: string) => Documents): Promise<Fixture & { readonly origin: string }> {
  const server: Fixture = await serve((received, res) => {
    const document = of(server.url.origin)[received.path];
    if (typeof document === 'function') (document as (to: typeof res) => void)(res);
    else if (document === undefined) json(res, {}, 404);
    else json(res, document);
  });
  return { ...server, origin: server.url.origin };
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['S256'],
});
const resource = (origin: string, issuer = origin) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [issuer],
});

const discover = (server: Fixture, options: Partial<DiscoveryOptions> = {}) => {
  const policy = options.policy ?? trusting;
  return discoverAuthorization({
    ...{ client: new BufferedClient({ policy }), policy, serverUrl: server.url },
    ...{ challenge: null, namedUrls: [], pinnedIssuer: null },
    ...options,
  });
};
const challengeOf = (resourceMetadata: string) => ({ resourceMetadata, scope: null, error: null });
const paths = (server: Fixture) => server.received.map(({ path }) => path);

describe('discoverAuthorization', () => {
  it('reads the resource metadata of the path, then the metadata of its server', async () => {
    const server = await documents((origin) => ({
      [`${RESOURCE}/mcp`]: resource(origin),
      [OAUTH]: metadata(origin),
    }));
    expect(await discover(server)).toMatchObject({
      kind: 'found',
      resource: { issuer: server.origin },
      server: { issuer: server.origin, tokenEndpoint: `${server.origin}/token` },
      attempts: [],
    });
    expect(paths(server)).toEqual([`${RESOURCE}/mcp`, OAUTH]);
  });

  it('continues at the next address when a document is missing, and reports each attempt', async () => {
    const server = await documents((origin) => ({
      [RESOURCE]: resource(origin, `${origin}/tenant`),
      [`/tenant${OPENID}`]: metadata(`${origin}/tenant`),
    }));
    const found = await discover(server);
    expect(found.kind).toBe('found');
    expect(paths(server)).toEqual([
      ...[`${RESOURCE}/mcp`, RESOURCE, `${OAUTH}/tenant`, `${OPENID}/tenant`, `/tenant${OPENID}`],
    ]);
    expect(found.attempts.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('uses the address of the challenge if it is on the origin of the server or the integration names it', async () => {
    const other = await documents((origin) => ({ '/other': resource(origin) }));
    const server = await documents((origin) => ({ '/meta': resource(origin), [OAUTH]: metadata(origin) }));
    expect(await discover(server, { challenge: challengeOf(`${server.origin}/meta`) })).toMatchObject({
      kind: 'found',
    });
    expect(paths(server)[0]).toBe('/meta');
    const foreign = `${other.origin}/other`;
    const refused = await discover(server, { challenge: challengeOf(foreign) });
    expect(refused).toMatchObject({ kind: 'failed', attempts: [{ url: foreign, status: null }, {}, {}] });
    expect(other.received).toEqual([]);
    await discover(server, { challenge: challengeOf(foreign), namedUrls: [foreign] });
    expect(paths(other)).toEqual(['/other']);
  });

  it('reports that a server has no resource metadata', async () => {
    const server = await documents(() => ({}));
    expect(await discover(server)).toMatchObject({ kind: 'no_resource_metadata', attempts: [{}, {}] });
  });

  it.each<[string, (origin: string) => Documents]>([
    [
      'a resource of another server',
      (origin) => ({ ...resource(origin), resource: 'https://a.example/mcp' }),
    ],
    ['no allowed server', (origin) => resource(origin, 'http://a.example')],
    ['an issuer that the administrator did not pin', (origin) => resource(origin, `${origin}/other`)],
  ])('refuses resource metadata with %s', async (_, document) => {
    const server = await documents((origin) => ({
      [`${RESOURCE}/mcp`]: document(origin),
      [OAUTH]: metadata(origin),
    }));
    const found = await discover(server, { pinnedIssuer: server.origin });
    expect(found).toMatchObject({ kind: 'failed', attempts: [{ status: 200 }, { status: 404 }] });
    expect(paths(server)).not.toContain(OAUTH);
  });

  it.each<[string, (origin: string) => Documents]>([
    ['another issuer', (origin) => metadata(`${origin}/other`)],
    ['no S256', (origin) => ({ ...metadata(origin), code_challenge_methods_supported: ['plain'] })],
  ])('refuses metadata of an authorization server with %s', async (_, document) => {
    const server = await documents((origin) => ({
      [`${RESOURCE}/mcp`]: resource(origin),
      [OAUTH]: document(origin),
    }));
    expect(await discover(server)).toMatchObject({ kind: 'failed' });
  });

  it('follows redirects only to addresses that the policy allows', async () => {
    const to =
      (location: string) => (res: { writeHead: (status: number, headers: object) => { end(): void } }) =>
        res.writeHead(302, { location }).end();
    const server = await documents((origin) => ({
      [`${RESOURCE}/mcp`]: to('/moved'),
      '/moved': resource(origin),
      [OAUTH]: to('http://169.254.169.254/latest'),
      [OPENID]: metadata(origin),
    }));
    expect(await discover(server)).toMatchObject({
      kind: 'found',
      attempts: [
        {
          url: `${server.origin}${OAUTH}`,
          status: null,
          reason: expect.stringContaining('etadata') as unknown,
        },
      ],
    });
  });

  it('fetches nothing from addresses that the policy forbids', async () => {
    const server = await documents((origin) => ({ [`${RESOURCE}/mcp`]: resource(origin) }));
    const policy = createAddressPolicy({ trustedHosts: [] });
    expect(await discover(server, { policy })).toMatchObject({ kind: 'failed' });
    expect(server.accepted()).toBe(0);
  });

  it('refuses documents that are too large, of another media type, or not JSON', async () => {
    const raw =
      (type: string, body: string) =>
      (res: { writeHead: (s: number, h: object) => { end(b: string): void } }) =>
        res.writeHead(200, { 'content-type': type }).end(body);
    const server = await documents(() => ({
      [`${RESOURCE}/mcp`]: raw('text/html', '{}'),
      [RESOURCE]: raw('application/json', `"${'x'.repeat(262_144)}"`),
      '/meta': raw('application/json', '{'),
    }));
    const found = await discover(server, { challenge: challengeOf(`${server.origin}/meta`) });
    expect(found.kind).toBe('failed');
    expect(found.attempts.map(({ reason }) => reason)).toEqual([
      'The document is not JSON.',
      'The document is not JSON.',
      'The response is larger than 262144 bytes.',
    ]);
  });

  it('rejects when the caller aborts', async () => {
    const server = await documents(() => ({}));
    await expect(discover(server, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      failure: 'aborted',
    });
  });
});

describe('discoverIssuer', () => {
  it('reads the metadata of a known issuer', async () => {
    const server = await documents((origin) => ({ [OAUTH]: metadata(origin) }));
    const client = new BufferedClient({ policy: trusting });
    expect(await discoverIssuer(server.origin, { client, policy: trusting })).toMatchObject({
      server: { issuer: server.origin },
    });
    expect(await discoverIssuer('no url', { client, policy: trusting })).toEqual({
      server: null,
      attempts: [],
    });
  });
});
