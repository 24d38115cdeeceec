import { StubProvider } from '@gw/testing';
import { TestClient } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const RESPONSE = { object: 'chat.completion', model: 'm', choices: [{ message: { content: 'Hello!' } }] };
const said = (content: string): object => ({ messages: [{ role: 'user', content }] });

describe('input guardrails and the parameter rules of a target', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (config: object) =>
    asker.ask(
      '/chat/completions',
      { model: 'small', ...said('Hi') },
      { config: { provider: '@main', ...config } },
    );
  const sentBody = (): unknown => JSON.parse(stub.lastRequest.body.toString());
  const noBomb = { deny: true, contains: { words: ['bomb'], operator: 'none', scope: ['all'] } };

  it.each([
    ['override_params', { override_params: said('a bomb') }],
    ['default_params', { default_params: { prediction: { type: 'content', content: 'a bomb' } } }],
  ])('judge the texts of %s', async (_, rules) => {
    expect((await send({ ...rules, input_guardrails: [noBomb] })).status).toBe(446);
    expect(stub.requests).toHaveLength(0);
  });

  it('judge the model and the members that the provider receives', async () => {
    const rules = { override_params: { model: 'large', logit_bias: {} } };
    for (const check of [
      { modelWhitelist: { models: ['small'] } },
      { requestParametersCheck: { params: { blockedKeys: ['logit_bias'] } } },
      { requestParametersCheck: { params: { values: { model: { allowedValues: ['small'] } } } } },
    ]) {
      expect((await send({ ...rules, input_guardrails: [{ deny: true, ...check }] })).status).toBe(446);
      expect((await send({ input_guardrails: [{ deny: true, ...check }] })).status).toBe(200);
    }
  });

  it('judge each target with its own rules', async () => {
    stub.respondJson({ error: { message: 'busy' } }, 503);
    const reply = await asker.ask(
      '/chat/completions',
      { model: 'small', ...said('Hi') },
      {
        config: {
          strategy: { mode: 'fallback' },
          input_guardrails: [noBomb],
          targets: [{ provider: '@main' }, { provider: '@main', override_params: said('a bomb') }],
        },
      },
    );
    expect(reply.status).toBe(446);
    expect(stub.requests).toHaveLength(1);
  });

  it('change the texts of a rule, and apply the rules once', async () => {
    await send({
      override_params: said('Write to ann@example.com'),
      drop_params: ['stop[0]'],
      default_params: { stop: ['a', 'b'] },
      input_guardrails: [{ 'gw.pii': { redact: true } }],
    });
    expect(sentBody()).toEqual({ model: 'small', ...said('Write to [EMAIL_ADDRESS]'), stop: ['b'] });
  });
});
