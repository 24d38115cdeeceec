import { connect } from 'node:net';
import { StubProvider, readCases } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID, WORKSPACE_ID } from '../spec-support/harness';

type HeaderValue =
  | string
  | { readonly gen: { readonly repeat?: string; readonly total?: number; readonly json_targets?: number } };

interface HeaderCase {
  readonly id: string;
  readonly group: string;
  readonly headers: readonly (readonly [string, HeaderValue])[];
  readonly expect: string | number;
  readonly reason: string;
  readonly check_header?: string;
  readonly check_value?: string;
  readonly upstream_response_header?: string;
  readonly setting?: { readonly block_inline_config?: boolean };
  readonly path?: string;
}

const CASES = (readCases('headers.json') as { cases: HeaderCase[] }).cases;
const inGroups = (...groups: string[]): HeaderCase[] => CASES.filter(({ group }) => groups.includes(group));

const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });
const SECRET = 'sk-of-the-saved-provider';

interface RawResponse {
  readonly status: number;
  readonly head: string;
}

describe('request headers', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ id: 'x', object: 'chat.completion', choices: [], usage: null });
    gateway.addProvider('openai-prod', 'openai', stub.origin);
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    gateway.addProvider('slug-of-other-workspace', 'openai', stub.origin, {
      workspaceId: OTHER_WORKSPACE_ID,
    });
    gateway.addConfig('pc-saved-1', { provider: '@openai-prod' });
    gateway.addConfig('pc-other-1', { provider: '@openai-prod' }, { workspaceId: OTHER_WORKSPACE_ID });
    gateway.addKey('expiredKey000000000000000000000AB', { expiresAt: '2020-01-01T00:00:00.000Z' });
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const PLACEHOLDERS: Readonly<Record<string, () => string>> = {
    '<VALID_KEY>': () => gateway.apiKey,
    '<VALID_KEY_UPPERCASED>': () => gateway.apiKey.toUpperCase(),
    '<EXPIRED_KEY>': () => 'expiredKey000000000000000000000AB',
    '<VALID_VK>': () => 'openai-prod',
    '<SAVED_CONFIG_ID>': () => 'pc-saved-1',
    '<SAVED_CONFIG_ID_OF_OTHER_WORKSPACE>': () => 'pc-other-1',
    '<CORRECT>': () => String(Buffer.byteLength(BODY)),
  };
  const filled = (value: HeaderValue): string => {
    if (typeof value !== 'string') {
      if (value.gen.json_targets !== undefined) {
        const targets = Array.from({ length: value.gen.json_targets }, () => ({ provider: 'openai' }));
        return JSON.stringify({ strategy: { mode: 'loadbalance' }, targets });
      }
      return (value.gen.repeat ?? 'a').repeat(value.gen.total ?? 1);
    }
    return Object.entries(PLACEHOLDERS).reduce((text, [name, fill]) => text.replaceAll(name, fill()), value);
  };

  /** Sends exactly these header lines; a client library would normalise them. */
  const send = (test: HeaderCase): Promise<RawResponse> => {
    const names = test.headers.map(([name]) => name.toLowerCase());
    const lines = [`POST ${test.path ?? '/v1/chat/completions'} HTTP/1.1`];
    if (!names.includes('host')) lines.push('Host: gateway.example.org');
    if (!names.includes('content-length') && !names.includes('transfer-encoding')) {
      lines.push(`Content-Length: ${String(Buffer.byteLength(BODY))}`);
    }
    if (!names.includes('content-type')) lines.push('Content-Type: application/json');
    for (const [name, value] of test.headers) lines.push(`${name}: ${filled(value)}`);
    return context(gateway.port, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${BODY}`);
  };

  const authorized = (): string | undefined =>
    stub.requests[0]?.headers['authorization'] as string | undefined;

  describe.each(inGroups('auth', 'block_inline', 'injection', 'size', 'content_encoding'))(
    '$id: $reason',
    (test) => {
      it(`[AUT-06] [ERR-08] returns ${String(test.expect)}`, async () => {
        if (test.setting?.block_inline_config)
          gateway.addTenant(WORKSPACE_ID, 'main', { blockInlineConfig: true });
        if (names(test).includes('x-gw-models-endpoint')) return expectModels(await send(test));
        // A case without a saved provider would call a host on the internet; the test checks only
        // the routing and the key.
        const response = await send(test);
        expectVerdict(test.expect, response.status);
        if (response.status >= 400 && response.status !== 502 && response.status !== 504)
          expect(stub.requests).toHaveLength(0);
        expect(({} as { admin?: unknown }).admin).toBeUndefined();
      });
    },
  );

  describe.each(inGroups('forwarding'))('$id: $reason', (test) => {
    it('[AUT-08] is not sent to the provider, and the injected credential stays in place', async () => {
      const response = await send(test);
      if (test.expect === 'route') {
        expect(response.status).toBe(200);
        expect(authorized()).toBe('Bearer sk-openai-prod');
        return;
      }
      expect(['absent_upstream', 'absent_or_rewritten_upstream']).toContain(test.expect);
      const sent = stub.requests[0]?.headers[test.check_header ?? ''];
      const canary = test.headers.find(([name]) => name.toLowerCase() === test.check_header)?.[1];
      if (stub.requests.length === 0) expect(response.status).toBeGreaterThanOrEqual(400);
      else if (test.check_value) expect(sent).not.toBe(test.check_value);
      else if (test.check_header === 'content-length') expect(sent).toBe(String(Buffer.byteLength(BODY)));
      else if (test.check_header === 'host') expect(sent).toBe(`127.0.0.1:${String(stub.port)}`);
      else expect(sent === undefined || sent !== canary).toBe(true);
      expect(JSON.stringify(stub.requests[0]?.rawHeaders ?? [])).not.toContain(gateway.apiKey);
    });
  });

  describe.each(inGroups('response_hygiene'))('$id: $reason', (test) => {
    it('is not sent to the client', async () => {
      const name = test.upstream_response_header ?? '';
      stub.respond({ headers: { [name]: SECRET, 'x-plain': 'kept' }, body: { ok: true } });
      const response = await send(test);
      expect(response.head).toContain('x-plain: kept');
      if (test.expect === 'absent_downstream') expect(response.head).not.toContain(SECRET);
      else expect([test.expect, response.status]).toEqual(['either', 200]);
    });
  });

  const names = (test: HeaderCase): string[] => test.headers.map(([name]) => name.toLowerCase());
  const expectModels = (response: RawResponse): void => {
    expect(response.status).toBe(200);
  };
});

/**
 * Status check. `route`: the request was not refused as malformed or unauthorised; a test cannot
 * reach providers on the internet.
 */
function expectVerdict(expected: string | number, status: number): void {
  if (typeof expected === 'number') expect(status).toBe(expected);
  else if (expected === '4xx') expect(status >= 400 && status < 500).toBe(true);
  else if (expected === 'route') expect([200, 502, 504]).toContain(status);
  else {
    expect(expected).toBe('either');
    expect(status).not.toBe(500);
  }
}

function context(port: number, bytes: string): Promise<RawResponse> {
  return new Promise((done, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error('The gateway did not respond.')));
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', (error) => (text === '' ? reject(error) : undefined));
    socket.on('close', () => {
      const head = text.slice(0, text.indexOf('\r\n\r\n'));
      done({ status: Number(text.slice(9, 12)), head: head.toLowerCase() });
    });
    socket.write(bytes, 'latin1');
  });
}
