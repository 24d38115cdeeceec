import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { TestAdminApi } from '../../spec-support/admin-api';
import { Browser } from './spec-support/browser';
import { OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';
import { MCP_URL, ProtectedMcpServer } from './spec-support/protected-mcp-server';

const CALLBACK = 'http://localhost:6274/oauth/callback';

/** State that a client stores between its steps; it is empty at the start. */
class Memory {
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  verifier = '';
  authorizationUrl: URL | undefined;
  private discovered: never = undefined as never;

  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'MCP client', redirect_uris: [CALLBACK] };
  clientInformation = (): OAuthClientInformationMixed | undefined => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.client = client);
  tokens = (): OAuthTokens | undefined => this.kept;
  saveTokens = (tokens: OAuthTokens): void => void (this.kept = tokens);
  redirectToAuthorization = (url: URL): void => void (this.authorizationUrl = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  saveDiscoveryState = (state: unknown): void => void (this.discovered = state as never);
  // The two versions of the library declare different state types.
  discoveryState = (): never => this.discovered;
  codeVerifier = (): string => this.verifier;
}

interface Connection {
  readonly finishAuth: (code: string, iss?: string) => Promise<void>;
  readonly connect: () => Promise<void>;
  readonly callTool: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}
type Connect = (memory: Memory, fetch: ProtectedMcpServer['fetch']) => Connection;

const CALL = { name: 'caller', arguments: {} };
const URL_OF_SERVER = new URL(MCP_URL);
const NAME = { name: 'test', version: '1.0.0' };

const v1: Connect = (authProvider, fetch) => {
  const client = new ClientV1(NAME);
  const transport = new TransportV1(URL_OF_SERVER, { authProvider, fetch });
  return {
    finishAuth: (code) => transport.finishAuth(code),
    connect: () => client.connect(transport),
    callTool: () => client.callTool(CALL),
    close: () => client.close(),
  };
};
const v2: Connect = (authProvider, fetch) => {
  const client = new ClientV2(NAME);
  const transport = new TransportV2(URL_OF_SERVER, { authProvider, fetch });
  return {
    finishAuth: (code, iss) => transport.finishAuth(code, iss),
    connect: () => client.connect(transport),
    callTool: () => client.callTool(CALL),
    close: () => client.close(),
  };
};

describe('OAuth server with MCP clients', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  const server = new ProtectedMcpServer(api, journey, () => tenant.adminKey);

  /** Consents to a client's request, and returns the query of its callback. */
  async function consent(url: URL, email: string): Promise<URLSearchParams> {
    const browser = new Browser(api);
    const response = await browser.open(url.pathname + url.search);
    const location = String(response.headers['location']);
    const resumeState = new URL(location).searchParams.get('resume_state') ?? '';
    const begun = { clientId: '', browser, verifier: '', redirectUri: CALLBACK, response, resumeState };
    const page = await journey.signIn(begun, email);
    return journey.resume(begun, await journey.decide(begun, page, 'approve', tenant.workspaceId));
  }

  const title = 'serves %s from discovery and registration to a refreshed token and calls of a tool';
  it.each([
    ['@modelcontextprotocol/sdk (v1)', v1],
    ['@modelcontextprotocol/client (v2)', v2],
  ])(title, async (_name, connect) => {
    const { email } = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const memory = new Memory();
    const first = connect(memory, server.fetch);
    await expect(first.connect()).rejects.toThrow('Unauthorized');
    expect(memory.client?.client_id).toMatch(/^gw_/);
    const query = await consent(memory.authorizationUrl as URL, email);
    expect(query.get('iss')).toBe(PUBLIC_URL);
    await first.finishAuth(query.get('code') ?? '', query.get('iss') ?? '');
    const granted = memory.kept;
    expect(granted?.access_token).toMatch(/^pat_/);

    const connection = connect(memory, server.fetch);
    await connection.connect();
    const result = { content: [{ type: 'text', text: email }] };
    expect(await connection.callTool()).toMatchObject(result);

    memory.kept = { ...(granted as OAuthTokens), access_token: 'pat_spoiled' };
    expect(await connection.callTool()).toMatchObject(result);
    expect(memory.kept.access_token).toMatch(/^pat_/);
    expect(memory.kept.access_token).not.toBe(granted?.access_token);
    expect(memory.kept.refresh_token).not.toBe(granted?.refresh_token);
    expect(server.admitted.at(-1)).toBe(`Bearer ${memory.kept.access_token}`);
    await connection.close();
  });
});
