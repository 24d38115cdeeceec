import type { UsageLimitRule } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { budget } from './spec-support/cent-calls';

const USAGE = { prompt_tokens: 100_000, completion_tokens: 50_000 };
/** At 2.50 and 10 USD a million, and at 0.15 and 0.60. */
const OF_4O = 75_000_000;
const OF_MINI = 4_500_000;

describe('what an answer is charged', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const keyWith = (...usageLimits: UsageLimitRule[]): string => {
    keys += 1;
    const key = `chargedKey${String(keys).padStart(22, '0')}`;
    gateway.addKey(key, { id: `key-${String(keys)}`, usageLimits });
    return key;
  };
  const send = (body: object, more: { key?: string; path?: string; provider?: string } = {}) =>
    fetch(`${gateway.baseUrl}${more.path ?? '/chat/completions'}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': more.key ?? gateway.apiKey,
        'x-gw-provider': more.provider ?? '@main',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;
  const CHAT = { messages: [{ role: 'user', content: 'hi' }] };
  const answerBy = (model: string): void => {
    stub.answerJson({ id: 'a', model, choices: [], usage: USAGE });
  };

  describe('by the model', () => {
    it.each([
      ['gpt-4o-mini', 'gpt-4o', OF_4O],
      ['gpt-4o-mini', 'gpt-4o-2024-08-06', OF_4O],
      ['gpt-4o', 'gpt-4o-2024-08-06', OF_4O],
      ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', OF_MINI],
      ['gpt-4o', 'gpt-4o-mini', OF_4O],
      ['gpt-4o', 'no-model', OF_4O],
      ['no-model', 'gpt-4o-mini', OF_MINI],
    ])('is asked for as %s and answered by %s at the price of the dearer', async (asked, answered, cost) => {
      answerBy(answered);
      await (await send({ ...CHAT, model: asked, models: ['gpt-4o'] })).arrayBuffer();
      expect((await last()).cost).toBe(cost);
    });

    it('is charged by the price that its integration has for the name, whatever the answer names', async () => {
      const model = {
        slug: 'ours',
        enabled: true,
        price: { input: 0.0001, output: 0.0002 },
        baseModelSlug: null,
        isCustom: true,
        customHost: null,
        customHeaders: {},
      };
      gateway.addProvider('own', 'openai', stub.origin, { models: [model] });
      answerBy('gpt-4o');
      await (await send({ ...CHAT, model: 'ours' }, { provider: '@own' })).arrayBuffer();
      expect((await last()).cost).toBe((100_000 * 0.0001 + 50_000 * 0.0002) * 1_000_000);
    });

    it('is refused by a strict budget that a model does not fit in which may answer in its place', async () => {
      const key = keyWith(budget({ creditLimit: 0.01, enforcement: 'strict' }));
      answerBy('gpt-4o-mini');
      const body = { ...CHAT, model: 'gpt-4o-mini', max_tokens: 5_000 };
      expect((await send(body, { key })).status).toBe(200);
      expect(
        (
          await send(
            { ...body, models: ['gpt-4o'] },
            { key: keyWith(budget({ creditLimit: 0.01, enforcement: 'strict' })) },
          )
        ).status,
      ).toBe(412);
      const unknown = keyWith(budget({ enforcement: 'strict' }));
      expect((await send({ ...body, models: ['no-model'] }, { key: unknown })).status).toBe(412);
      expect((await send({ ...body, models: [7] }, { key: unknown })).status).toBe(412);
    });
  });
});
