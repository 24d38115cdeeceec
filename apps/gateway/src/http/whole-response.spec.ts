import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { WholeResponse, wholeResponses } from './whole-response';

type GatewayResponse = (res: ServerResponse) => void;

describe('WholeResponse', () => {
  const servers: Server[] = [];
  let respond: GatewayResponse = () => undefined;
  const listen = async (options: object): Promise<number> => {
    const server = createServer(options, (_req, res) => respond(res));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  /** Returns every byte sent in reply to `requests`, the last of which closes the connection. */
  const ask = async (port: number, requests: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${requests}GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    return (await buffer(socket)).toString('latin1').replace(/Date: [^\r]+/g, 'Date: now');
  };
  const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
  const own = (): Promise<number> =>
    listen({ ServerResponse: wholeResponses(5_000), keepAliveTimeout: 5_000 });
  const plain = (): Promise<number> => listen({ keepAliveTimeout: 5_000 });
  const whole = (status: number, headers: string[], body: Buffer): GatewayResponse => {
    const all = [...headers, 'content-length', String(body.length)];
    return (res) => {
      if (res instanceof WholeResponse && res.endWhole(status, all, body)) return;
      res.writeHead(status, all);
      res.end(body);
    };
  };

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('is byte for byte what Node.js writes, for any status, headers and body', async () => {
    const [ours, nodes] = [await own(), await plain()];
    const reserved = /^(?:content-length|transfer-encoding|connection|keep-alive|trailer|expect)$/;
    const name = fc.oneof(
      fc.constantFrom('date', 'content-type', 'x-a', 'vary'),
      fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).filter((text) => !reserved.test(text)),
    );
    const headers = fc.array(fc.tuple(name, fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,30}$/)), {
      maxLength: 12,
    });
    const status = fc.constantFrom(200, 201, 299, 400, 404, 429, 446, 500, 503);
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 8_190, max: 40_000 }).map((length) => new Uint8Array(length).fill(0xe9)),
    );
    await fc.assert(
      fc.asyncProperty(status, headers, body, async (code, list, bytes) => {
        respond = whole(code, list.flat(), Buffer.from(bytes));
        expect(await ask(ours, GET)).toBe(await ask(nodes, GET));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a HEAD request', 'HEAD / HTTP/1.1\r\nhost: a\r\n\r\n', 200],
    ['a response without a body', GET, 204],
    ['a response that was not modified', GET, 304],
    ['an HTTP/1.0 client', 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n', 200],
  ])('leaves %s to Node', async (_, request, status) => {
    const [ours, nodes] = [await own(), await plain()];
    respond = whole(status, ['x-a', '1'], Buffer.from('body'));
    expect(await ask(ours, request)).toBe(await ask(nodes, request));
  });

  it('leaves a response with preset headers to Node.js, and serves the next request on the connection', async () => {
    const [ours, nodes] = [await own(), await plain()];
    const rest = whole(200, ['x-a', '1'], Buffer.from('body'));
    respond = (res) => {
      res.setHeader('access-control-allow-origin', '*');
      rest(res);
    };
    expect(await ask(ours, GET + GET)).toBe(await ask(nodes, GET + GET));
  });

  it('announces how long the connection stays open only if that is limited', async () => {
    const open = await listen({ ServerResponse: WholeResponse, keepAliveTimeout: 0 });
    respond = whole(200, [], Buffer.from('body'));
    expect(await ask(open, GET)).not.toContain('Keep-Alive');
    expect(await ask(await own(), GET)).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n');
  });
});
