import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const COMPLETION = { object: 'chat.completion', choices: [{ message: { content: 'Sunny' } }] };
/** More than eight characters for each of the 16,385 tokens of the model. */
const LONG = 'word '.repeat(40_000);
const SMALL = 'gpt-3.5-turbo';
/** Takes pictures, and 128,000 tokens. */
const SEEING = 'gpt-4o';
const PICTURE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_100_000)}` } };

describe('a target with a small context window', () => {
  let gateway: GatewayHarness;
  let small: StubProvider;
  let large: StubProvider;

  beforeEach(async () => {
    [gateway, small, large] = await Promise.all([
      GatewayHarness.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    for (const [slug, stub] of [
      ['small', small],
      ['large', large],
    ] as const) {
      gateway.addProvider(slug, 'openai', stub.origin);
      stub.respondJson(COMPLETION);
    }
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), small.stop(), large.stop()]);
  });

  const first = { provider: '@small', override_params: { model: SMALL } };
  const ask = (content: unknown, targets: readonly object[]): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets }),
      },
      body: JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content }] }),
    });
  const calls = (): number[] => [small.requests.length, large.requests.length];

  it('is passed over without a call when the request cannot fit', async () => {
    expect((await ask(LONG, [first, { provider: '@large' }])).status).toBe(200);
    expect(calls()).toEqual([0, 1]);
    const [record] = await gateway.records();
    expect(record?.decision.attempts[0]).toMatchObject({ end: 'skipped' });
  });

  it.each([
    ['the request may fit', SMALL, LONG.slice(0, 100_000)],
    ['what is long is data of a picture', SEEING, [PICTURE]],
  ])('is called when %s', async (_name, model, content) => {
    const target = { ...first, override_params: { model } };
    expect((await ask(content, [target, { provider: '@large' }])).status).toBe(200);
    expect(calls()).toEqual([1, 0]);
  });

  it('is called when it is the only one', async () => {
    expect((await ask(LONG, [first])).status).toBe(200);
    expect(calls()).toEqual([1, 0]);
  });
});
