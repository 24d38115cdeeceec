import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operatorsClient } from './operators-client';

const DIRECT = { HTTPS_PROXY: null, HTTP_PROXY: null, NO_PROXY: '' };
const LIMITS = { totalTimeoutMs: 10_000, bytesMax: 1_024 };

describe('operatorsClient', () => {
  let server: Server;
  let requested: IncomingMessage[];
  let origin: string;
  beforeAll(async () => {
    server = createServer((req, res) => {
      requested.push(req);
      res.end('here');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  beforeEach(() => (requested = []));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('reaches the configured host even if it is private, and no other private host', async () => {
    const client = operatorsClient(origin, DIRECT);
    expect((await client.fetchBuffered({ url: `${origin}/x`, ...LIMITS })).body.toString()).toBe('here');
    for (const other of ['http://10.0.0.1', null]) {
      const stranger = operatorsClient(other, DIRECT);
      await expect(stranger.fetchBuffered({ url: origin, ...LIMITS })).rejects.toMatchObject({
        failure: 'refused',
      });
    }
  });

  it('uses the proxy of the settings, unless they exempt the host', async () => {
    const url = 'http://collector.example/v1/traces';
    const through = operatorsClient(url, { ...DIRECT, HTTP_PROXY: origin });
    await through.fetchBuffered({ url, ...LIMITS });
    expect(requested.map((req) => req.url)).toEqual([url]);
    const exempt = operatorsClient(origin, { ...DIRECT, HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' });
    expect((await exempt.fetchBuffered({ url: origin, ...LIMITS })).status).toBe(200);
  });
});
