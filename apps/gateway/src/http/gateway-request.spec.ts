import fc from 'fast-check';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { GatewayRequest } from './gateway-request';

describe('GatewayRequest', () => {
  let seen: IncomingHttpHeaders[] = [];
  const take = (req: IncomingMessage): void => {
    seen.push(req.headers);
  };
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const ask = async (port: number, request: string): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    socket.end(request, 'latin1');
    await text(socket);
  };
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('has the same headers as in Node.js, however names are repeated or spelled', async () => {
    const own = await listen(
      createServer({ IncomingMessage: GatewayRequest }, (req, res) => {
        take(req);
        res.end();
      }),
    );
    const plain = await listen(
      createServer((req, res) => {
        take(req);
        res.end();
      }),
    );
    const name = fc.oneof(
      fc.constantFrom(
        'Cookie',
        'set-cookie',
        'Content-Type',
        'X-A',
        'x-a',
        'Constructor',
        'toString',
        '__proto__',
      ),
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/),
    );
    const reserved = /^(?:content-length|transfer-encoding|connection|upgrade|expect|host|te|trailer)$/i;
    const headers = fc.array(fc.tuple(name, fc.stringMatching(/^[a-z0-9 ;=]{0,20}$/)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(headers, async (list) => {
        const lines = list
          .filter(([key]) => !reserved.test(key))
          .map(([key, value]) => `${key}: ${value}\r\n`)
          .join('');
        seen = [];
        const request = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`;
        await ask(own, request);
        await ask(plain, request);
        expect(Object.entries(seen[0] ?? {}).sort()).toEqual(Object.entries(seen[1] ?? {}).sort());
        expect(seen).toHaveLength(2);
      }),
      { numRuns: 150 },
    );
  });
});
