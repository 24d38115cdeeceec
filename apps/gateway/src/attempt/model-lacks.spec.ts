import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const COMPLETION = { object: 'chat.completion', choices: [{ message: { content: 'Sunny' } }] };
const TEXT = [{ role: 'user', content: 'Hello' }];
const PICTURE = [
  { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
];
const TOOLS = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const FORMAT = { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } };

describe('a target whose model lacks what the request asks for', () => {
  let gateway: GatewayHarness;
  let first: StubProvider;
  let second: StubProvider;

  beforeEach(async () => {
    [gateway, first, second] = await Promise.all([
      GatewayHarness.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    for (const [slug, stub] of [
      ['first', first],
      ['second', second],
    ] as const) {
      gateway.addProvider(slug, 'openai', stub.origin);
      stub.respondJson(COMPLETION);
    }
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), first.stop(), second.stop()]);
  });

  const named = (model: string, more: object = {}): object => ({
    provider: '@first',
    override_params: { model },
    ...more,
  });
  const spare = { provider: '@second' };
  const ask = (targets: readonly object[], body: object, strategy: object = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify({ strategy: { mode: 'fallback', ...strategy }, targets }),
      },
      body: JSON.stringify({ model: 'gpt-4.1', messages: TEXT, ...body }),
    });
  const calls = (): number[] => [first.requests.length, second.requests.length];

  it.each([
    ['a picture', 'gpt-4', { messages: PICTURE }, 'pictures'],
    ['tools', 'o1-mini', { tools: TOOLS }, 'tools'],
    ['a schema', 'gpt-3.5-turbo', { response_format: FORMAT }, 'a JSON schema of the response'],
  ])('is passed over without a call for %s, with the reason in the record', async (_, model, body, name) => {
    expect((await ask([named(model), spare], body)).status).toBe(200);
    expect(calls()).toEqual([0, 1]);
    const [record] = await gateway.records();
    expect(record?.decision.attempts[0]).toMatchObject({
      end: 'skipped',
      reason: `The model ${model} does not take ${name}; use another model, or leave that out.`,
    });
  });

  it('is passed over also when the fallback lists other statuses', async () => {
    const response = await ask([named('gpt-4'), spare], { messages: PICTURE }, { on_status_codes: [503] });
    expect(response.status).toBe(200);
    expect(calls()).toEqual([0, 1]);
  });

  it.each([
    ['the request has none of it', 'o1-mini', {}],
    [
      'only a text mentions it',
      'o1-mini',
      { messages: [{ role: 'user', content: 'image "tools" json_schema' }] },
    ],
    ['the list of tools is empty', 'o1-mini', { tools: [] }],
    ['nothing is known of the model', 'gpt-unheard-of', { messages: PICTURE }],
  ])('is called when %s', async (_, model, body) => {
    expect((await ask([named(model), spare], body)).status).toBe(200);
    expect(calls()).toEqual([1, 0]);
  });

  it('is called when its own rules remove what the model lacks', async () => {
    const target = named('o1-mini', { drop_params: ['tools'] });
    expect((await ask([target, spare], { tools: TOOLS })).status).toBe(200);
    expect(calls()).toEqual([1, 0]);
  });

  it('is called when it is the only one', async () => {
    expect((await ask([named('gpt-4')], { messages: PICTURE })).status).toBe(200);
    expect(calls()).toEqual([1, 0]);
  });

  it('gives 400 unsupported_by_provider when every target lacks it', async () => {
    const response = await ask([named('gpt-4'), named('o3-mini')], { messages: PICTURE });
    expect([response.status, calls()]).toEqual([400, [0, 0]]);
    expect(await response.json()).toMatchObject({
      error: { type: 'unsupported_by_provider', param: 'model' },
    });
  });
});
