import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentKey, type McpServerDocument } from '@gw/contracts';
import { newProofKey, seal, sealingKeyring, type ProofKeyText } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const USER = '0a000000-0000-4000-8000-0000000000aa';
const TOKEN = 'token-bound-to-a-key';

/** A proxy of an MCP server that admits only requests with a proof by the key of the token. */
class ProvingDoor {
  /** Faults of the requests that it refused. */
  readonly faults: string[] = [];
  passed = 0;
  nonce = 'n-1';
  key: ProofKeyText = {};
  private readonly seen = new Set<unknown>();
  private readonly server: Server;

  constructor(private readonly behind: URL) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `${this.origin}/mcp`;
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  private get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fault = await this.faultOf(request);
    if (fault !== null) {
      this.faults.push(fault);
      response.writeHead(401, {
        ...{ 'www-authenticate': `DPoP error="${fault}"`, 'dpop-nonce': this.nonce },
      });
      response.end();
      return;
    }
    this.passed += 1;
    const { authorization: _token, dpop: _proof, host: _host, ...headers } = request.headers;
    const answer = await fetch(this.behind, {
      ...{ method: String(request.method), headers: headers as Record<string, string> },
      ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  }

  private async faultOf({ headers, method = '', url = '' }: IncomingMessage): Promise<string | null> {
    if (headers.authorization !== `DPoP ${TOKEN}`) return 'invalid_token';
    const { payload, protectedHeader } = await jwtVerify(String(headers['dpop']), EmbeddedJWK);
    const { jti, htm, htu, ath, nonce } = payload;
    const print = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
    const isOfKey = print === (await calculateJwkThumbprint(this.key));
    const isOfRequest = htm === method && htu === `${this.origin}${url}`;
    const isOfToken = ath === createHash('sha256').update(TOKEN).digest('base64url');
    if (!isOfKey || !isOfRequest || !isOfToken || this.seen.has(jti)) return 'invalid_dpop_proof';
    this.seen.add(jti);
    return nonce === this.nonce ? null : 'use_dpop_nonce';
  }
}

describe('servers that accept only tokens bound to a key', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let door: ProvingDoor;
  let server: McpServerDocument;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { type: 'workspace-user', userId: USER, scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    door = new ProvingDoor(fixture.url);
    const url = await door.open();
    server = { ...(await serverDocument(fixture.url, 'mail')), url, authType: 'oauth_auto' };
    saveServer(gateway, server);
  });
  afterAll(async () => {
    await gateway.stop();
    await door.close();
    await fixture.close();
  });

  function connect(proofKey: ProofKeyText): void {
    const owner = { organisationId: ORGANISATION_ID, serverId: server.id, userId: USER };
    const content = JSON.stringify({ accessToken: TOKEN, proofKey });
    gateway.documents.set(documentKey.mcpConnection(server.id, USER), {
      ...{ kind: 'mcp_connection', version: '1', ...owner, workspaceId: WORKSPACE_ID },
      sealedTokens: seal(sealingKeyring(gateway.master), content, connectionBinding(owner)),
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      ...{ isRefreshable: false, status: 'connected', scopes: [] },
    });
  }
  async function call(): Promise<string> {
    const echo = { name: 'echo', arguments: { text: 'hi' } };
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/mail/mcp`,
      modernRequest(gateway.apiKey, 'tools/call', echo),
    );
    return response.text();
  }

  it('get a new proof with each request, and the nonce that they require', async () => {
    door.key = await newProofKey();
    connect(door.key);
    for (let n = 0; n < 3; n += 1) expect(await call()).toContain('"text":"hi"');
    expect(door.faults).toEqual(['use_dpop_nonce']);
    door.nonce = 'n-2';
    expect(await call()).toContain('"text":"hi"');
    expect(door.faults).toEqual(['use_dpop_nonce', 'use_dpop_nonce']);
    expect(door.passed).toBeGreaterThanOrEqual(4);
  });

  it('refuse the proof of another key, and get no endless repetitions', async () => {
    door.key = await newProofKey();
    const [passed, refused] = [door.passed, door.faults.length];
    expect(await call()).not.toContain('"text":"hi"');
    expect(door.passed).toBe(passed);
    expect(door.faults.length - refused).toBeLessThanOrEqual(3);
  });
});
