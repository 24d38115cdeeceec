import { Buffer } from 'node:buffer';
import { guardrailBinding, type GuardrailSecretContent } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { eventually, readCases, StubProvider, type StubResponse } from '@gw/testing';
import { TestClient } from '../spec-support/test-client';
import { GatewayHarness, ORGANISATION_ID } from '../spec-support/harness';

const { canaries } = readCases('secrets.json') as {
  canaries: readonly { readonly what: string; readonly value: string }[];
};
const SECRET = canaries.find(({ what }) => what === 'webhook guardrail secret header')?.value ?? '';

/** All encodings in which the secret could leak. */
const SPELLINGS = [
  SECRET,
  Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
  Buffer.from(SECRET).toString('base64url'),
  Buffer.from(SECRET).toString('hex'),
  `${SECRET.slice(0, 12)}`,
];

describe('secret header of a webhook guardrail', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let hook: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, hook] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] });
    gateway.addProvider('main', 'openai', stub.origin);
    const binding = guardrailBinding(ORGANISATION_ID, 'guardrail-hook');
    const content: GuardrailSecretContent = {
      parameters: { 0: { headers: { 'x-hook-secret': SECRET } } },
      locations: {},
    };
    const secrets = JSON.stringify(content);
    const parameters = { webhookURL: `${hook.origin}/`, timeout: 500 };
    for (const deny of [true, false])
      gateway.addGuardrail(
        'hook',
        [{ id: 'default.webhook', parameters }],
        { deny },
        {
          sealedSecrets: seal(sealingKeyring(gateway.master), secrets, binding),
        },
      );
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
  });

  const responses: Readonly<Record<string, StubResponse>> = {
    'passes everything': { body: { verdict: true } },
    denies: { body: { verdict: false } },
    'is broken': { status: 500, body: 'broken' },
    'returns invalid JSON': { body: 'nonsense' },
    'cuts the connection': { raw: '' },
  };

  it.each(Object.entries(responses))(
    "is sent only to the webhook's host when the webhook %s",
    async (_what, response) => {
      hook.respond(response);
      expect(SECRET).not.toBe('');
      const own = { webhook: { webhookURL: `${hook.origin}/`, headers: { 'x-hook-secret': SECRET } } };
      for (const guardrail of ['hook', { deny: true, ...own }, { async: true, ...own }]) {
        hook.requests.length = 0;
        const response = await asker.ask(
          '/chat/completions',
          { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
          {
            config: { provider: '@main', input_guardrails: [guardrail], output_guardrails: [guardrail] },
            headers: { 'x-gw-explain': '1' },
          },
        );
        await eventually(() => hook.requests.length > 0, { timeoutMs: 90_000 });
        expect(hook.requests.every(({ headers }) => headers['x-hook-secret'] === SECRET)).toBe(true);
        const sinks = JSON.stringify([
          response.text,
          [...response.headers],
          stub.requests.map(({ headers, url, body }) => [headers, url, body.toString()]),
          hook.requests.map(({ url, body }) => [url, body.toString()]),
          await gateway.records(),
        ]);
        for (const spelling of SPELLINGS) expect(sinks).not.toContain(spelling);
      }
    },
  );
});
