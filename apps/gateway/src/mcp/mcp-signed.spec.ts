import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mcpAuthBinding, type McpServerDocument } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { isAwsSigned, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const ID = 'AKIDSTUB00000000SELF';
const SECRET = 'stub+own/secret0123456789';

describe('servers that require requests signed with an AWS key', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let door: Server;
  let server: McpServerDocument;
  const sent: string[] = [];

  /** Serves only signed requests. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    sent.push(JSON.stringify([request.headers, body.toString()]));
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body } as never;
    if (!isAwsSigned(received, 'bedrock-agentcore', { [ID]: { secret: SECRET } })) {
      response.writeHead(403).end();
      return;
    }
    const { authorization: _signature, host: _host, ...rest } = headers;
    const answer = await fetch(fixture.url, {
      ...{ method, headers: rest as Record<string, string> },
      ...(method === 'POST' && { body }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  }

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    door = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((door.address() as AddressInfo).port)}/mcp`;
    server = { ...(await serverDocument(fixture.url, 'mail')), url, authType: 'aws_sigv4' };
  });
  afterAll(async () => {
    await gateway.stop();
    door.closeAllConnections();
    await new Promise((resolve) => door.close(resolve));
    await fixture.close();
  });

  const save = (version: string, secretAccessKey: string): void => {
    const { organisationId, integrationId } = server;
    const key = { access_key_id: ID, region: 'eu-central-1', service: 'bedrock-agentcore' };
    saveServer(gateway, {
      ...{ ...server, version, configurations: { aws_sigv4: key } },
      sealedAuth: seal(
        ...([sealingKeyring(gateway.master), JSON.stringify({ secretAccessKey })] as const),
        mcpAuthBinding(organisationId, integrationId),
      ),
    });
  };
  async function call(): Promise<string> {
    const echo = { name: 'echo', arguments: { text: 'hi' } };
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/mail/mcp`,
      modernRequest(gateway.apiKey, 'tools/call', echo),
    );
    return response.text();
  }

  it('get each request signed, and never the secret', async () => {
    save('one', SECRET);
    for (let n = 0; n < 2; n += 1) expect(await call()).toContain('"text":"hi"');
    expect(sent.join()).not.toContain(SECRET);
  });

  it('refuse requests signed with another secret', async () => {
    save('two', 'another-secret-of-a-key');
    expect(await call()).not.toContain('"text":"hi"');
  });
});
