import { modernRequest, startMcpFixture, StubTokenServices } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { withClientCredentials } from './spec-support/openapi-server';

describe('servers with client credentials', () => {
  let gateway: GatewayHarness;
  let tokens: StubTokenServices;
  beforeEach(async () => {
    tokens = await StubTokenServices.start();
    gateway = await GatewayHarness.start(tokens.settings);
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
  });
  afterEach(() => Promise.all([gateway.stop(), tokens.stop()]));

  /** Calls a server that accepts only these tokens, sequentially or concurrently. */
  async function resultsWith(
    accepted: readonly string[],
    calls: number,
    areTogether = false,
  ): Promise<readonly boolean[]> {
    const open = await startMcpFixture();
    const document = await serverDocument(open.url, 'mail');
    await open.close();
    const authorization = { tokens: [...accepted], authorizationServer: 'https://as.example' };
    const fixture = await startMcpFixture({ authorization });
    saveServer(
      gateway,
      withClientCredentials(gateway, { ...document, url: fixture.url.href }, tokens, 'read'),
    );
    const params = { name: 'echo', arguments: { text: 'hi' } };
    const call = async (): Promise<boolean> => {
      const url = `http://127.0.0.1:${String(gateway.port)}/main/mail/mcp`;
      const response = await fetch(url, modernRequest(gateway.apiKey, 'tools/call', params));
      return (await response.text()).includes('"text":"hi"');
    };
    const results: boolean[] = [];
    if (areTogether) results.push(...(await Promise.all(Array.from({ length: calls }, call))));
    else while (results.length < calls) results.push(await call());
    await fixture.close();
    return results;
  }

  it('are called once more with a new token when they refuse the known one', async () => {
    expect(await resultsWith(['oauth-token-2'], 2)).toEqual([true, true]);
    expect(tokens.issued).toBe(2);
  });

  it('are called once more for each of several calls that they refuse concurrently', async () => {
    expect(await resultsWith(['oauth-token-2'], 5, true)).toEqual([true, true, true, true, true]);
    expect(tokens.issued).toBe(2);
  });

  it('are not called repeatedly when they refuse every token', async () => {
    expect(await resultsWith([], 3)).toEqual([false, false, false]);
    expect(tokens.issued).toBe(2);
  });
});
