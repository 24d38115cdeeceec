import { StubProvider } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../spec-support/harness';

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: unknown;
    readonly reason?: string;
  };
}

describe('error messages', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const ask = async (headers: Readonly<Record<string, string>>, path = '/chat/completions') => {
    const response = await fetch(gateway.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, ...headers },
      body: JSON.stringify({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    const { error } = (await response.json()) as ErrorBody;
    return { status: response.status, headers: response.headers, error };
  };

  describe('unknown slug', () => {
    beforeEach(() => {
      gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
      const theirs = { workspaceId: OTHER_WORKSPACE_ID };
      gateway.addProvider('openai-prod', 'openai', stub.origin);
      gateway.addProvider('stagings', 'openai', stub.origin, theirs);
      gateway.addConfig('pc-main-route', { provider: '@main' });
      gateway.addConfig('pc-staging', { provider: '@main' }, theirs);
      gateway.addGuardrail('no-secrets', []);
      gateway.addGuardrail('stagings', [], {}, theirs);
      gateway.addPrompt('pp-greeting', [{}]);
      gateway.addPrompt('pp-staging', [{}], theirs);
    });
    const guarded = (slug: string): string => JSON.stringify({ provider: '@main', input_guardrails: [slug] });

    it.each([
      ['provider', { 'x-gw-provider': '@openai-prd' }, undefined, 'Did you mean @openai-prod?'],
      ['config', { 'x-gw-config': 'pc-main-rout' }, undefined, 'Did you mean pc-main-route?'],
      ['guardrail', { 'x-gw-config': guarded('no-secret') }, undefined, 'did you mean no-secrets?'],
      ['prompt', {}, '/prompts/pp-greting/completions', 'Did you mean pp-greeting?'],
    ])('suggests the similar slug of a %s', async (_, headers, path, hint) => {
      const { error } = await ask(headers, path);
      expect(error.message).toContain(hint);
    });

    it.each([
      ['provider', { 'x-gw-provider': '@staging' }, undefined],
      ['config', { 'x-gw-config': 'pc-stagin' }, undefined],
      ['guardrail', { 'x-gw-config': guarded('staging') }, undefined],
      ['prompt', {}, '/prompts/pp-stagin/completions'],
    ])('never suggests a %s of another workspace', async (_, headers, path) => {
      const { status, error } = await ask(headers, path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(error.message).not.toMatch(/did you mean|staging[^-]*s/i);
    });
  });

  describe('unreachable provider', () => {
    it.each([
      ['connection_refused', 'it refused the connection', (port: string) => `http://127.0.0.1:${port}`, true],
      ['tls_failed', 'the TLS handshake failed', (port: string) => `https://127.0.0.1:${port}`, false],
    ])('reports "%s" in the response and in the log, without an address', async (...row) => {
      const [reason, text, address, isGone] = row;
      const port = String(stub.port);
      if (isGone) await stub.stop();
      gateway.addProvider('gone', 'openai', address(port));
      const { status, error, headers } = await ask({ 'x-gw-provider': '@gone', 'x-gw-explain': '1' });
      expect([status, error.type, error.reason]).toEqual([502, 'provider_unreachable', reason]);
      expect(error.message).toContain(text);
      expect(error.message).not.toContain('127.0.0.1');
      expect(headers.get('x-gw-decision')).toContain(text);
      const record = (await gateway.records()).at(-1);
      expect(record?.decision.attempts[0]?.reason).toContain(text);
    });

    it('reports that the provider may have received a request on a closed connection', async () => {
      stub.respond({ raw: '' });
      const { error } = await ask({ 'x-gw-provider': '@main' });
      expect(error).toMatchObject({ type: 'provider_unreachable', reason: 'connection_closed' });
    });
  });

  describe('invalid config', () => {
    it.each([
      [{ provider: '@main', retries: 3 }, 'retries is not a known key; did you mean retry?'],
      [{ provider: '@main', timeout: 3 }, 'timeout is not a known key; did you mean request_timeout?'],
      [
        { provider: '@main', guardrails: [] },
        'guardrails is not a known key; did you mean input_guardrails?',
      ],
      [
        { provider: '@main', before_request_hooks: [{ name: 'x', contains: { words: ['a'] } }] },
        'before_request_hooks.0.name is not a setting of a guardrail',
      ],
    ])('names the first reason in the message: %j', async (config, reason) => {
      const { status, error } = await ask({ 'x-gw-config': JSON.stringify(config) });
      expect([status, error.type]).toEqual([400, 'config_invalid']);
      expect(error.message).toContain(`The config is not valid: ${reason}`);
    });
  });

  describe('unknown provider name', () => {
    it.each([
      ['main', 'Did you mean @main?'],
      ['opnai', 'Did you mean openai?'],
      ['@openai', 'Without the @, openai is a provider'],
    ])('suggests what %s may stand for', async (name, hint) => {
      const { status, error } = await ask({ 'x-gw-provider': name });
      expect(status).toBe(400);
      expect(error.message).toContain(hint);
    });
  });

  describe('request id header', () => {
    it.each([
      ['/chat/completions', '@nosuch', 'x-request-id'],
      ['/messages', '@nosuch', 'request-id'],
      ['/proxy/chat/completions', '@nosuch', 'x-request-id'],
    ])("holds the gateway's request id on %s", async (path, provider, name) => {
      const { headers } = await ask({ 'x-gw-provider': provider }, path);
      expect(headers.get(name)).toBe(headers.get('x-gw-request-id'));
    });

    it("holds the provider's own request id when it sent one", async () => {
      stub.respond({ status: 400, headers: { 'x-request-id': 'req_theirs' }, body: { error: {} } });
      expect((await ask({ 'x-gw-provider': '@main' })).headers.get('x-request-id')).toBe('req_theirs');
      stub.respond({ status: 400, body: { error: {} } });
      const { headers } = await ask({ 'x-gw-provider': '@main' });
      expect(headers.get('x-request-id')).toBe(headers.get('x-gw-request-id'));
    });
  });

  it("keeps the param of a provider error next to the gateway's own members", async () => {
    const own = {
      message: 'Too hot',
      type: 'invalid_request_error',
      param: 'temperature',
      code: 'out_of_range',
    };
    stub.respond({ status: 400, body: { error: own } });
    expect((await ask({ 'x-gw-provider': '@main' })).error).toMatchObject(own);
  });
});
