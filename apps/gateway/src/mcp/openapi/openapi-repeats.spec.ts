import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServerDocument } from '@gw/contracts';
import { modernRequest, StubTokenServices } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer } from '../spec-support/mcp-server';
import { openApiServer, withAwsKey, withClientCredentials } from '../spec-support/openapi-server';

interface Received {
  readonly authorization: string | undefined;
  readonly type: string;
  readonly body: Buffer;
}
type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

const FORM = {
  type: 'object',
  properties: { name: { type: 'string' }, photo: { type: 'string', format: 'binary' } },
};
const bodyOf = (type: string): object => ({
  requestBody: { required: true, content: { [type]: { schema: FORM } } },
});
const SPEC = {
  openapi: '3.1.0',
  paths: {
    '/read': { get: { operationId: 'read' } },
    '/write': { post: { operationId: 'write', ...bodyOf('application/x-www-form-urlencoded') } },
    '/upload': { post: { operationId: 'upload', ...bodyOf('multipart/form-data') } },
  },
};

describe('requests of tools of an OpenAPI document', () => {
  let gateway: GatewayHarness;
  let tokens: StubTokenServices;
  let service: Server;
  let server: McpServerDocument;
  let respond: Respond;
  const received: Received[] = [];
  const ok: Respond = (response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  };

  beforeAll(async () => {
    tokens = await StubTokenServices.start();
    gateway = await GatewayHarness.start(tokens.settings);
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    service = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization, 'content-type': type = '' } = request.headers;
        const one = { authorization, type, body: Buffer.concat(chunks) };
        received.push(one);
        respond(response, one, request);
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    server = openApiServer({ url: new URL(`http://127.0.0.1:${String(port)}/v1`), spec: SPEC }, 'repeats');
  });
  beforeEach(() => {
    received.length = 0;
    respond = ok;
    saveServer(gateway, server);
  });
  afterAll(async () => {
    service.closeAllConnections();
    await Promise.all([gateway.stop(), tokens.stop(), new Promise((resolve) => service.close(resolve))]);
  });

  async function call(name: string, args: object = {}): Promise<string> {
    const params = { name, arguments: args };
    const url = `http://127.0.0.1:${String(gateway.port)}/main/repeats/mcp`;
    return (await fetch(url, modernRequest(gateway.apiKey, 'tools/call', params))).text();
  }
  const times = (count: number, first: Respond): Respond => {
    let left = count;
    return (...all) => {
      left -= 1;
      (left >= 0 ? first : ok)(...all);
    };
  };
  const cut: Respond = (_response, _received, request) => void request.socket.destroy();
  const cutBody: Respond = (response, _received, request) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '11' });
    response.write('{"ok":', () => request.socket.destroy());
  };

  it('carry forms and files', async () => {
    expect(await call('write', { name: 'a b&c' })).toContain('"ok":true');
    expect(received[0]).toMatchObject({ type: 'application/x-www-form-urlencoded' });
    expect(received[0]?.body.toString()).toBe('name=a%20b%26c');
    const data = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
    const photo = { data: data.toString('base64'), filename: 'rex.png' };
    expect(await call('upload', { name: 'Rex', photo })).toContain('"ok":true');
    const headers = { 'content-type': received[1]?.type ?? '' };
    const form = await new Response(new Uint8Array(received[1]?.body ?? []), { headers }).formData();
    const file = form.get('photo') as File;
    expect([form.get('name'), file.name]).toEqual(['Rex', 'rex.png']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(data);
    expect(await call('upload', { photo: { ...photo, filename: '../rex.png' } })).toContain(
      'The filename of photo',
    );
    expect(received).toHaveLength(2);
  });

  it('are sent once more after a lost connection, where the tool is idempotent and the integration says so', async () => {
    const repeating = { ...server, configurations: { retry_idempotent: true } };
    for (const lost of [cut, cutBody]) {
      const seen: number[] = [];
      for (const [document, name] of [
        [repeating, 'read'],
        [server, 'read'],
        [repeating, 'write'],
      ] as const) {
        saveServer(gateway, document);
        received.length = 0;
        respond = times(1, lost);
        const text = await call(name, { name: 'x' });
        seen.push(received.length);
        expect(text.includes('"ok":true')).toBe(received.length === 2);
      }
      expect(seen).toEqual([2, 1, 1]);
    }
    saveServer(gateway, repeating);
    received.length = 0;
    respond = cut;
    expect(await call('read')).not.toContain('"ok":true');
    expect(received).toHaveLength(2);
  });

  describe('with client credentials', () => {
    const refusing =
      (...refused: readonly string[]): Respond =>
      (response, one, request) => {
        if (!refused.includes(one.authorization ?? '')) return ok(response, one, request);
        response
          .writeHead(401, { 'content-type': 'application/json' })
          .end(`{"refused":"${one.authorization ?? ''}"}`);
      };
    let count = 0;
    /** Saves a server whose token was issued for no other test. */
    function save(): void {
      count += 1;
      saveServer(gateway, withClientCredentials(gateway, server, tokens, `read:${String(count)}`));
    }

    it('are sent once more with a new token when the service refuses the token', async () => {
      save();
      await call('read');
      const [{ authorization = '' } = {}] = received;
      respond = refusing(authorization);
      expect(await call('write', { name: 'x' })).toContain('"ok":true');
      expect(received.map(({ body }) => body.toString())).toEqual(['', 'name=x', 'name=x']);
      expect(new Set(received.map((each) => each.authorization)).size).toBe(2);
    });

    it('are all sent once more when several are refused at once, with one new token', async () => {
      save();
      await call('read');
      const issued = tokens.issued;
      respond = refusing(received[0]?.authorization ?? '');
      const all = await Promise.all(Array.from({ length: 5 }, () => call('read')));
      expect(all.every((text) => text.includes('"ok":true'))).toBe(true);
      expect(tokens.issued).toBe(issued + 1);
    });

    it('end with the refusal of the service when it refuses the new token too, and show neither token', async () => {
      save();
      respond = (response, one) => {
        response.writeHead(401).end(`No: ${one.authorization ?? ''}`);
      };
      const text = await call('read');
      expect(received).toHaveLength(2);
      expect(text).toContain('The API answered with status 401');
      for (const { authorization = 'none' } of received)
        expect(text).not.toContain(authorization.slice('Bearer '.length));
      // The token was renewed a moment ago, so another one would not help.
      await call('read');
      expect(received).toHaveLength(3);
    });
  });

  it('do not show the signature of the request that a service repeats', async () => {
    saveServer(gateway, withAwsKey(gateway, server));
    for (const status of [200, 400, 401]) {
      respond = (response, { authorization = '' }) => {
        const body = JSON.stringify({ body: 'of the service', authorization });
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      };
      const text = await call('write', { name: 'x' });
      expect(text).toContain('of the service');
      expect(received.at(-1)?.authorization).toMatch(/^AWS4-HMAC-SHA256 .*Signature=/);
      expect(text).not.toContain('Signature=');
    }
    expect(received).toHaveLength(3);
  });

  it('are not sent again when a service refuses a header that does not change', async () => {
    respond = (response) => void response.writeHead(401).end();
    expect(await call('read')).toContain('status 401');
    expect(received).toHaveLength(1);
  });
});
