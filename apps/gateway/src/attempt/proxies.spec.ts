import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface ForwardProxy {
  readonly url: string;
  /** Request targets as the gateway sent them. */
  readonly seen: string[];
  stop(): void;
}

/**
 * Resolves every name to the server at `port`. Refuses `CONNECT`, which still shows that it was
 * called.
 */
async function startProxy(port: number): Promise<ForwardProxy> {
  const seen: string[] = [];
  const server: Server = createServer((req, res) => {
    seen.push(String(req.url));
    const { pathname } = new URL(String(req.url));
    const onward = request({
      port,
      host: '127.0.0.1',
      path: pathname,
      method: req.method,
      headers: req.headers,
    });
    onward.on('response', (response) => {
      res.writeHead(response.statusCode ?? 0, { 'content-type': 'application/json' });
      response.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  server.on('connect', (req, socket) => {
    seen.push(`CONNECT ${String(req.url)}`);
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    seen,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('outbound proxies of the installation', () => {
  let stub: StubProvider;
  let proxy: ForwardProxy;
  let gateway: GatewayHarness;

  beforeEach(async () => {
    stub = await StubProvider.start();
    stub.respondJson({ ok: true });
    proxy = await startProxy(stub.port);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
    proxy.stop();
  });

  const start = async (environment: Record<string, string>): Promise<void> => {
    gateway = await GatewayHarness.start({
      TRUSTED_CUSTOM_HOSTS: '127.0.0.1,llm.example.org',
      ...environment,
    });
  };
  const ask = (host: string): Promise<Response> => {
    gateway.addProvider('main', 'openai', null, { configurations: { custom_host: host } });
    return fetch(`${gateway.baseUrl}/own/endpoint`, {
      headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@main' },
    });
  };

  it('[ENV-02] HTTP_PROXY applies to calls to plain HTTP hosts only', async () => {
    await start({ HTTP_PROXY: proxy.url });
    const response = await ask('http://llm.example.org/v1');
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    expect(proxy.seen).toEqual(['http://llm.example.org/v1/own/endpoint']);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
    expect((await ask(`https://127.0.0.1:${String(stub.port)}/v1`)).status).toBe(502);
    expect(proxy.seen).toHaveLength(1);
  });

  it('[ENV-02] HTTPS_PROXY applies to calls to TLS hosts only, through a tunnel', async () => {
    await start({ HTTPS_PROXY: proxy.url });
    expect((await ask('https://llm.example.org/v1')).status).toBe(502);
    expect(proxy.seen).toEqual(['CONNECT llm.example.org:443']);
    expect((await ask(`${stub.origin}/v1`)).status).toBe(200);
    expect(proxy.seen).toHaveLength(1);
  });

  it('[ENV-02] NO_PROXY exempts the hosts that it names from both', async () => {
    await start({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' });
    expect((await ask(`${stub.origin}/v1`)).status).toBe(200);
    expect((await ask(`https://127.0.0.1:${String(stub.port)}/v1`)).status).toBe(502);
    expect(proxy.seen).toEqual([]);
  });
});
