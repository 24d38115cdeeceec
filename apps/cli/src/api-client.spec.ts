import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from './api-client';

/** How the server reacts to the request with this number. */
type Turn = 'drop' | number;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function clientOf(...turns: Turn[]): Promise<{ api: ApiClient; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const turn = turns[seen.push(request) - 1] ?? 200;
    if (turn === 'drop') request.socket.destroy();
    else response.writeHead(turn, { 'retry-after': '0' }).end('{"id":"1"}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { api: new ApiClient(`http://127.0.0.1:${String(port)}`, 'key'), seen };
}

const keysOf = (seen: readonly IncomingMessage[]): unknown[] =>
  seen.map(({ headers }) => headers['idempotency-key']);

describe('ApiClient POST', () => {
  it.each<[string, Turn]>([
    ['was lost with its connection', 'drop'],
    ['was answered 503', 503],
    ['is in flight', 409],
  ])('repeats a request with the same Idempotency-Key when it %s', async (_case, turn) => {
    const { api, seen } = await clientOf(turn);
    expect(await api.call('POST', '/v1/labels', {})).toEqual({ id: '1' });
    expect(seen).toHaveLength(2);
    const [first, again] = keysOf(seen);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toBe(first);
  });

  it('uses a different Idempotency-Key for each call', async () => {
    const { api, seen } = await clientOf();
    await api.call('POST', '/v1/labels', {});
    await api.call('POST', '/v1/labels', {});
    expect(new Set(keysOf(seen)).size).toBe(2);
  });
});

describe('ApiClient DELETE', () => {
  it('succeeds when the resource is gone after a lost response', async () => {
    const { api } = await clientOf('drop', 404);
    expect(await api.call('DELETE', '/v1/labels/1')).toEqual({ id: '1' });
  });

  it('fails when the resource does not exist', async () => {
    const { api } = await clientOf(404);
    await expect(api.call('DELETE', '/v1/labels/1')).rejects.toMatchObject({ status: 404 });
  });
});
