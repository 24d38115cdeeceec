import { readCases, StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

interface Row {
  readonly id: string;
  readonly value: unknown;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
}

const { cases } = readCases('forward_headers.json') as { cases: readonly Row[] };
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
/** Headers of a client that sends every header named in the rows, some with secrets. */
const SENT: Readonly<Record<string, string>> = {
  'x-session-id': 'session',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-request-id': 'request',
  'user-agent': 'client/1',
  'accept-language': 'de',
  'x-custom-header': 'custom',
  a: 'one letter',
  x_underscore: 'underscore',
  'x-other': 'not requested by any row',
  authorization: 'Bearer CANARY',
  cookie: 'session=CANARY',
  'x-amz-security-token': 'CANARY',
  'x-forwarded-for': '10.0.0.1',
};

describe('[ERR-03] forwardHeaders of a webhook guardrail at the gateway', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let hook: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    [stub, hook] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson({ choices: [] });
    hook.respondJson({ verdict: true });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
  });
  beforeEach(() => {
    stub.requests.length = 0;
    hook.requests.length = 0;
  });

  const webhook = (forwardHeaders: unknown): object => ({
    webhookURL: `${hook.origin}/`,
    headers: { 'x-own': 'ours' },
    forwardHeaders,
    executeOnProxy: true,
  });
  const send = (guardrail: unknown, path = '/chat/completions'): Promise<TestResponse> =>
    asker.ask(path, CHAT, {
      // Header bytes are latin1, so other characters are sent as JSON escapes.
      config: JSON.stringify({ provider: '@main', input_guardrails: [guardrail] }).replaceAll(
        /[^\x20-\x7e]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      headers: SENT,
    });

  function expectForwarded(response: TestResponse, names: readonly string[]): void {
    expect(response.status).toBe(200);
    expect(hook.requests).toHaveLength(1);
    const { headers } = hook.lastRequest;
    const requested = new Set(names.map((name) => name.toLowerCase()));
    for (const [name, value] of Object.entries(SENT)) {
      if (requested.has(name)) expect(headers[name]).toBe(value);
      else expect(headers[name]).not.toBe(value);
    }
    expect(headers['x-own']).toBe('ours');
    expect(JSON.stringify([headers, hook.lastRequest.body.toString()])).not.toContain('CANARY');
  }

  it.each(cases)('$id: $expect $reason', async ({ value, expect: verdict }) => {
    for (const path of ['/chat/completions', '/odd/route']) {
      hook.requests.length = 0;
      const response = await send({ deny: true, webhook: webhook(value) }, path);
      const isTaken = verdict === 'either' ? response.status === 200 : verdict === 'accept';
      if (isTaken) {
        expectForwarded(response, value as readonly string[]);
        continue;
      }
      expect([response.status, hook.requests.length, stub.requests.length]).toEqual([400, 0, 0]);
      const { error } = JSON.parse(response.text) as { error: { type: string; details: { path: string }[] } };
      expect(error.type).toBe('config_invalid');
      expect(error.details[0]?.path).toMatch(/^config\.input_guardrails\.0\.webhook\.forwardHeaders/);
    }
  });

  it.each(cases.filter(({ expect: verdict }) => verdict !== 'reject'))(
    '$id of a saved guardrail: $reason',
    async ({ value }) => {
      gateway.addGuardrail('hook', [{ id: 'default.webhook', parameters: webhook(value) as never }], {});
      expectForwarded(await send('hook'), value as readonly string[]);
    },
  );

  it.each(cases.filter(({ expect: verdict }) => verdict === 'reject'))(
    '$id of a saved guardrail that validation should have refused: no request is sent',
    async ({ value }) => {
      gateway.addGuardrail('hook', [{ id: 'default.webhook', parameters: webhook(value) as never }], {});
      const response = await send('hook');
      expect([response.status, hook.requests.length, stub.requests.length]).toEqual([400, 0, 0]);
    },
  );
});
