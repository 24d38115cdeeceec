import type { McpServerDocument } from '@gw/contracts';
import { eventually, modernRequest, startRestService, type RestService } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer } from '../spec-support/mcp-server';
import { openApiServer, withHeaders } from '../spec-support/openapi-server';

interface Called {
  readonly result?: {
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
  };
  readonly error?: unknown;
}

describe('attacks on tools of an OpenAPI document', () => {
  let gateway: GatewayHarness;
  let service: RestService;
  let server: McpServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    service = await startRestService();
    server = openApiServer(service, 'pets');
  });
  beforeEach(() => saveServer(gateway, server));
  afterAll(async () => {
    await service.close();
    await gateway.stop();
  });

  async function call(name: string, args: object = {}): Promise<Called> {
    const params = { name, arguments: args };
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/pets/mcp`,
      modernRequest(gateway.apiKey, 'tools/call', params),
    );
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')) as Called;
  }
  /** The text of a tool error; fails for another result. */
  async function failure(name: string, args: object = {}): Promise<string> {
    const { result } = await call(name, args);
    expect(result).toMatchObject({ isError: true });
    return result?.content[0]?.text ?? '';
  }

  it.each(['..', '.', '', '../admin', 'a/../../admin', 'a\\..\\b', '%2e%2e/admin', '%252e%252e', 'a\u0000'])(
    'do not leave the path with the argument %j',
    async (id) => {
      const before = service.requests.length;
      expect(await failure('getPet', { id })).toMatch(/path argument/);
      expect(service.requests).toHaveLength(before);
    },
  );

  it('do not send a value that would become another header', async () => {
    const before = service.requests.length;
    for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\u0000', 'ä', ' a'])
      expect(await failure('echo', { 'X-Request-Tag': value })).toContain('cannot be sent in a header');
    expect(service.requests).toHaveLength(before);
  });

  it('do not replace the credential, nor values that the rules of the integration set', async () => {
    saveServer(gateway, withHeaders(gateway, server, { 'X-Service-Key': 'of-the-service' }));
    expect(await failure('echo', { 'X-Service-Key': 'of-the-caller' })).toContain('set by the integration');
    await call('echo', {
      Authorization: 'Bearer x',
      authorization: 'Bearer x',
      'X-Http-Method-Override': 'DELETE',
    });
    const headers = service.requests.at(-1)?.headers;
    expect(headers).toMatchObject({ 'x-service-key': 'of-the-service' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-http-method-override');
    for (const configurations of [
      { passthrough_headers: ['x-service-key'], passthrough_acknowledged: true },
      { forward_headers: { mode: 'allowlist', headers: [{ from: 'x-team', to: 'X-Service-Key' }] } },
      { user_identity_forwarding: { method: 'claims_header', header_name: 'X-Service-Key' } },
    ]) {
      saveServer(gateway, { ...server, configurations });
      expect(await failure('echo', { 'X-Service-Key': 'of-the-caller' })).toContain('set by the integration');
    }
  });

  it('do not show a credential that a service repeats in its response', async () => {
    saveServer(
      gateway,
      withHeaders(gateway, server, { authorization: 'Bearer of-the-service', 'x-short': 'get' }),
    );
    const { result } = await call('echo');
    expect(service.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer of-the-service' });
    expect(JSON.stringify(result)).not.toContain('of-the-service');
    expect(result?.structuredContent).toMatchObject({
      headers: { authorization: '*****', 'x-short': 'get' },
    });
  });

  it('follow no redirect', async () => {
    expect(await failure('moved')).toContain('redirects are not followed');
  });

  it('end an endless response, whether it is a success or an error', async () => {
    expect(await failure('flood')).toBeTruthy();
    expect((await failure('flood-of-errors')).length).toBeLessThan(9_000);
    await eventually(() => service.open() === 0);
  });

  it('decompress no response beyond the maximum', async () => {
    expect(await failure('bomb')).toBeTruthy();
  });

  it('call no private address, whatever the document of the server says', async () => {
    for (const url of ['http://169.254.169.254/latest', 'http://10.0.0.1/v1', 'http://[::1]:9/v1']) {
      saveServer(gateway, { ...server, url });
      expect(await failure('listPets')).toBeTruthy();
    }
    const refused = (await gateway.records()).filter(({ spanName }) => spanName === 'tools/call listPets');
    expect(refused.length).toBeGreaterThanOrEqual(3);
    for (const { outcome } of refused) expect(outcome).not.toBe('ok');
  });

  it('call the approved operation, whatever the service publishes now', async () => {
    const [tool] = server.capabilities.filter(({ name }) => name === 'getPet');
    saveServer(gateway, { ...server, capabilities: tool ? [tool] : [] });
    expect(await call('removePet', { id: '1' })).toMatchObject({
      error: { message: 'Unknown tool: removePet' },
    });
    expect(await call('getPet', { id: '1' })).toHaveProperty('result.structuredContent');
  });

  it('give no access to other methods of MCP', async () => {
    const { capabilities } = server;
    const [first] = capabilities;
    saveServer(gateway, {
      ...server,
      capabilities: [
        ...capabilities,
        { id: String(first?.id), type: 'prompt', name: 'forged', definition: { name: 'forged' } },
      ],
    });
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/pets/mcp`,
      modernRequest(gateway.apiKey, 'prompts/get', { name: 'forged' }),
    );
    expect(await response.json()).toHaveProperty('error');
  });
});
