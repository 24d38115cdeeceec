import { HEADER, type ProviderDocument } from '@gw/contracts';
import { eventually } from '@gw/testing';
import { WebSocket, type RawData } from 'ws';
import { GatewayHarness, WORKSPACE_ID, type LoggedRequest } from '../spec-support/harness';
import { HANDSHAKE, RawClient } from './spec-support/raw-client';
import { SocketProvider, type Accepted } from './spec-support/socket-provider';

const BETA = { 'OpenAI-Beta': 'realtime=v1' };
let gateway: GatewayHarness;
let provider: SocketProvider;
const clients: { terminate(): void }[] = [];

beforeEach(async () => {
  gateway = await GatewayHarness.start();
  provider = await SocketProvider.start();
  gateway.addProvider('main', 'openai', provider.origin);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await gateway.stop();
  await provider.stop();
});

interface Connected {
  readonly client: WebSocket;
  readonly messages: { readonly data: Buffer; readonly isBinary: boolean }[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Connects a `ws` client through the gateway; rejects if it is not upgraded. */
function connect(
  headers: Record<string, string> = {},
  { query = '?model=gpt-realtime', protocols = [] as string[] } = {},
): Promise<Connected> {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/realtime${query}`;
  const auth = { authorization: `Bearer ${gateway.apiKey}`, 'x-gw-provider': '@main' };
  const client = new WebSocket(url, protocols, { headers: { ...auth, ...headers } });
  clients.push(client);
  const messages: { data: Buffer; isBinary: boolean }[] = [];
  client.on('message', (data: RawData, isBinary) => messages.push({ data: data as Buffer, isBinary }));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return new Promise((resolve, reject) => {
    client.once('open', () => resolve({ client, messages, closed }));
    client.once('error', reject);
  });
}

async function session(headers: Record<string, string> = {}): Promise<Connected & { upstream: Accepted }> {
  const connected = await connect(headers);
  return { ...connected, upstream: await provider.connection() };
}

/** Sends a raw handshake, for responses that are not upgrades. */
async function handshake(
  headers: Record<string, string> = {},
  target = '/v1/realtime?model=gpt-realtime',
): Promise<RawClient> {
  const auth = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
  const client = await RawClient.open(gateway.port, { ...HANDSHAKE, ...auth, ...headers }, { target });
  clients.push({ terminate: () => client.destroy() });
  return client;
}

async function refusal(client: RawClient): Promise<{ status: number; type: string; body: unknown }> {
  const body = JSON.parse(await client.whole()) as { error: { type: string } };
  return { status: client.status, type: body.error.type, body };
}

const lastRecord = (): Promise<LoggedRequest> => eventually(async () => (await gateway.records()).at(-1));

describe('before the upgrade', () => {
  it.each([
    ['no key', { 'x-gw-api-key': '' }, 401, 'api_key_missing'],
    ['an unknown key', { 'x-gw-api-key': 'unknown' }, 401, 'api_key_invalid'],
    ['an expired key', { 'x-gw-api-key': 'expired' }, 401, 'api_key_expired'],
    ['an exhausted key', { 'x-gw-api-key': 'exhausted' }, 412, 'budget_exhausted'],
    ['a key without the scope', { 'x-gw-api-key': 'scopeless' }, 403, 'scope_missing'],
    ['an unknown provider', { 'x-gw-provider': '@nobody' }, 400, 'provider_not_found'],
    ['an unknown config', { 'x-gw-config': 'nobody' }, 400, 'config_not_found'],
    ['a provider without WebSockets', { 'x-gw-provider': 'anthropic' }, 400, 'route_unsupported'],
    ['an address that is not allowed', INLINE_HOST(), 400, 'custom_host_refused'],
  ])(
    '[AUT-06] refuses %s with an HTTP error, and calls no provider',
    async (_what, headers, status, type) => {
      gateway.addKey('expired', { expiresAt: '2020-01-01T00:00:00Z' });
      gateway.addKey('exhausted', { status: 'exhausted' });
      gateway.addKey('scopeless', { scopes: ['logs.list'] });
      const client = await handshake(headers);
      expect(await refusal(client)).toMatchObject({ status, type });
      expect(client.header('upgrade')).toBeUndefined();
      expect(client.header(HEADER.requestId)).toBeDefined();
      expect(provider.connections).toBe(0);
      expect(await lastRecord()).toMatchObject({
        route: 'realtime',
        status,
        outcome: 'denied',
        errorType: type,
      });
    },
  );

  it('[AUT-04] does not send a saved credential to a host that the caller chose', async () => {
    const client = await handshake({ 'x-gw-custom-host': `${provider.origin}/elsewhere` });
    expect(await refusal(client)).toMatchObject({ status: 400, type: 'custom_host_refused' });
    expect(provider.connections).toBe(0);
  });

  it('[ENV-04] enforces saved-only mode', async () => {
    gateway.addTenant(WORKSPACE_ID, 'main', { blockInlineConfig: true });
    const client = await handshake({ 'x-gw-provider': 'openai' });
    expect(await refusal(client)).toMatchObject({ status: 400, type: 'inline_provider_blocked' });
  });

  it('counts rate limits of the key', async () => {
    gateway.addKey('limited', { rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] });
    const first = await handshake({ 'x-gw-api-key': 'limited' });
    const second = await handshake({ 'x-gw-api-key': 'limited' });
    expect([first.status, second.status]).toEqual([101, 429]);
    expect(second.header('retry-after')).toBeDefined();
    first.destroy();
  });

  it('refuses a model that is not enabled, and a request without a model if only some are enabled', async () => {
    const models = [{ slug: 'gpt-realtime', enabled: true }] as unknown as ProviderDocument['models'];
    gateway.addProvider('listed', 'openai', provider.origin, { allowAllModels: false, models });
    for (const query of ['?model=gpt-other', '', '?model=gpt-other&model=gpt-realtime'])
      expect((await handshake({ 'x-gw-provider': '@listed' }, `/v1/realtime${query}`)).status).toBe(412);
    expect((await handshake({ 'x-gw-provider': '@listed' }, '/v1/other')).status).toBe(412);
    const twice = '/v1/realtime?model=gpt-realtime&model=gpt-other&deployment=gpt-other';
    (await handshake({ 'x-gw-provider': '@listed' }, twice)).destroy();
    expect(provider.handshakes.map(({ url }) => url)).toEqual([
      '/v1/realtime?model=gpt-realtime&deployment=gpt-realtime',
    ]);
  });

  it('returns 426 for a plain GET', async () => {
    const response = await fetch(`${gateway.baseUrl}/realtime`, {
      headers: { 'x-gw-api-key': gateway.apiKey },
    });
    expect(response.status).toBe(426);
    expect(response.headers.get('upgrade')).toBe('websocket');
  });

  it('redir-26: refuses an absolute-form target, whatever host it names', async () => {
    const target = `${provider.origin}/v1/realtime`;
    expect((await handshake({}, target)).status).toBe(400);
    expect(provider.connections).toBe(0);
  });

  it('refuses a client above the maximum', async () => {
    const small = await GatewayHarness.start({ REALTIME_MAX_SESSIONS: '1' });
    small.addProvider('main', 'openai', provider.origin);
    const headers = { ...HANDSHAKE, 'x-gw-api-key': small.apiKey, 'x-gw-provider': '@main' };
    const first = await RawClient.open(small.port, headers);
    const second = await RawClient.open(small.port, headers);
    expect([first.status, second.status]).toEqual([101, 503]);
    await second.whole();
    second.destroy();
    first.destroy();
    await eventually(async () => {
      const next = await RawClient.open(small.port, headers);
      next.destroy();
      return next.status === 101;
    });
    await small.stop();
  });
});

/** A host without a public address, named by a caller with its own credential. */
function INLINE_HOST(): Record<string, string> {
  return {
    'x-gw-provider': 'openai',
    authorization: 'Bearer sk-own',
    'x-gw-custom-host': 'http://169.254.169.254/v1',
  };
}

describe('a provider that does not accept', () => {
  it('has the status and body of its refusal forwarded', async () => {
    const body =
      '{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}';
    provider.respondRaw(
      `HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\nx-request-id: req_1\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
    );
    const client = await handshake();
    expect(client.status).toBe(403);
    expect(JSON.parse(await client.whole())).toMatchObject({
      error: { message: 'no such model', provider: 'openai', provider_error: JSON.parse(body) },
    });
    expect(client.header('x-request-id')).toBe('req_1');
    expect(await lastRecord()).toMatchObject({ status: 403, outcome: 'provider_error', provider: 'openai' });
  });

  it('has a refusal on a passthrough path forwarded byte for byte', async () => {
    provider.respondRaw('HTTP/1.1 418 Teapot\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nshort');
    const client = await handshake({}, '/v1/live/audio');
    expect([client.status, await client.whole()]).toEqual([418, 'short']);
    expect(provider.handshakes[0]?.url).toBe('/v1/live/audio');
  });

  it.each([
    ['silence', '', 504, 'provider_timeout'],
    ['half a head', 'HTTP/1.1 101 Switching', 504, 'provider_timeout'],
  ])(
    'leads to 504 for %s after the connect timeout, if that is the shortest',
    async (_what, text, status, type) => {
      await gateway.stop();
      gateway = await GatewayHarness.start({ CONNECT_TIMEOUT: '400' });
      gateway.addProvider('main', 'openai', provider.origin);
      provider.respond((_req, socket) => void socket.write(text));
      const client = await handshake();
      expect(await refusal(client)).toMatchObject({ status, type });
      await eventually(() => provider.connections === 0);
    },
  );

  const accept = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
  it.each([
    [
      'redir-25: a redirect',
      'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/ws\r\ncontent-length: 0\r\n\r\n',
    ],
    ['a response that is not an upgrade', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['a wrong accept key', `${accept}sec-websocket-accept: AAAA\r\n\r\n`],
    ['bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    [
      'an extension that was not offered',
      `${accept}sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-extensions: permessage-deflate\r\n\r\n`,
    ],
  ])('leads to 502 for %s, and redirects are not followed', async (what, text) => {
    provider.respondRaw(text);
    const client = await handshake();
    const type = what.includes('redirect') ? 'provider_redirect' : 'provider_answer_invalid';
    expect(await refusal(client)).toMatchObject({ status: 502, type });
    expect(client.header('location')).toBeUndefined();
    expect(provider.handshakes).toHaveLength(1);
  });

  it('leads to 502 when the connection is refused or breaks', async () => {
    const { origin } = provider;
    await provider.stop();
    expect(await refusal(await handshake())).toMatchObject({ status: 502, type: 'provider_unreachable' });
    provider = await SocketProvider.start();
    gateway.addProvider('main', 'openai', provider.origin);
    expect(provider.origin).not.toBe(origin);
    provider.respond((_req, socket) => socket.destroy());
    expect(await refusal(await handshake())).toMatchObject({ status: 502 });
  });

  it('leads to a fallback to the next target, whatever the failure', async () => {
    const second = await SocketProvider.start({ echo: true });
    gateway.addProvider('second', 'openai', second.origin);
    const targets = [{ provider: '@main' }, { provider: '@second' }];
    gateway.addConfig('both', { strategy: { mode: 'fallback' }, targets });
    for (const text of [
      'HTTP/1.1 429 Slow\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 302 F\r\nlocation: /\r\n\r\n',
    ]) {
      provider.respondRaw(text);
      const client = await handshake({ 'x-gw-config': 'both' });
      expect(client.status).toBe(101);
      expect(client.header(HEADER.lastUsedOption)).toBe('config.targets[1]');
      client.destroy();
    }
    expect(second.accepted).toHaveLength(2);
    await second.stop();
  });

  it('is abandoned when the client disconnects', async () => {
    provider.respond(() => undefined);
    const url = `${gateway.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime`;
    const headers = { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' };
    const client = new WebSocket(url, { headers });
    client.on('error', () => undefined);
    await eventually(() => provider.handshakes.length === 1);
    client.terminate();
    await eventually(() => provider.connections === 0);
    expect(await lastRecord()).toMatchObject({ outcome: 'client_closed' });
  });
});

describe('handshake that a provider receives', () => {
  it('[AUT-08] has the saved credential, and none of the gateway’s or the caller’s credentials', async () => {
    await session({
      ...BETA,
      cookie: 'a=b',
      'x-forwarded-for': '10.0.0.1',
      'x-gw-metadata': '{"team":"a"}',
      'x-custom': 'kept',
      constructor: 'inherited by plain objects',
    });
    const { headers, url } = provider.handshakes[0] as { headers: Record<string, unknown>; url: string };
    expect(url).toBe('/v1/realtime?model=gpt-realtime');
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-main',
      'openai-beta': 'realtime=v1',
      'x-custom': 'kept',
      constructor: 'inherited by plain objects',
      host: new URL(provider.origin).host,
    });
    const names = Object.keys(headers).filter((name) =>
      /^(?:x-gw-|x-forwarded|cookie|sec-websocket-ext)/.test(name),
    );
    expect(names).toEqual([]);
  });

  it('[AUT-05] goes to the provider named in the query’s model, with the plain model name', async () => {
    const url = `${gateway.baseUrl.replace('http', 'ws')}/realtime?intent=a%20b&model=@main/gpt-realtime`;
    const client = new WebSocket(url, ['realtime', `openai-insecure-api-key.${gateway.apiKey}`]);
    clients.push(client);
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    expect(client.protocol).toBe('realtime');
    expect(provider.handshakes[0]?.url).toBe('/v1/realtime?intent=a+b&model=gpt-realtime');
    expect(provider.handshakes[0]?.headers['sec-websocket-protocol']).toBe('realtime');
    client.close(1000);
    expect(await lastRecord()).toMatchObject({ model: 'gpt-realtime', credential: 'main' });
  });

  it('[AUT-04] goes to a custom host with the caller’s own credential, sent as a subprotocol next to the key', async () => {
    const client = await RawClient.open(gateway.port, {
      ...HANDSHAKE,
      'x-gw-api-key': gateway.apiKey,
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${provider.origin}/custom`,
      'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-own, openai-beta.realtime-v1',
    });
    expect(client.status).toBe(101);
    const { headers, url } = provider.handshakes[0] as { headers: Record<string, unknown>; url: string };
    expect(url).toBe('/custom/realtime?model=gpt-realtime');
    expect(headers['authorization']).toBe('Bearer sk-own');
    expect(headers['sec-websocket-protocol']).toBe('realtime, openai-beta.realtime-v1');
    client.destroy();
  });

  it('allows the provider to choose no subprotocol, and leaves the decision to the client', async () => {
    await provider.stop();
    provider = await SocketProvider.start({ handleProtocols: () => false });
    gateway.addProvider('main', 'openai', provider.origin);
    const client = await handshake({ 'sec-websocket-protocol': 'realtime' });
    expect(client.status).toBe(101);
    expect(client.header('sec-websocket-protocol')).toBeUndefined();
    client.destroy();
  });

  it('can be routed by conditions on query parameters', async () => {
    gateway.addConfig('by-model', {
      strategy: {
        mode: 'conditional',
        conditions: [{ query: { 'params.model': 'gpt-realtime' }, then: 'main' }],
      },
      targets: [{ name: 'main', provider: '@main' }],
    });
    expect((await handshake({ 'x-gw-config': 'by-model' })).status).toBe(101);
    expect((await handshake({ 'x-gw-config': 'by-model' }, '/v1/realtime?model=x')).status).toBe(400);
  });

  it('[AUT-08] passes the provider’s headers to the client, but no credential', async () => {
    provider.extraHeaders = ['X-Request-Id: req_9', 'Authorization: Bearer sk-main', 'Set-Cookie: a=b'];
    const client = await handshake();
    expect(client.header('x-request-id')).toBe('req_9');
    expect(client.header(HEADER.requestId)).toBeDefined();
    expect(client.head).not.toMatch(/sk-main|set-cookie/i);
    client.destroy();
  });
});
