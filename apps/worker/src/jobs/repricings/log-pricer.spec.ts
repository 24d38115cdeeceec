import type { PricedLog } from '@gw/log-store';
import { parsePriceFile, type ModelConfigs } from '@gw/pricing';
import type { EntityManager } from 'typeorm';
import { LogPricer } from './log-pricer';

/** Price per token in US cents, for prompts alone. */
const priced = (request_token: number, batch_multiplier: number): object => ({
  batch_multiplier,
  pay_as_you_go: { request_token: { price: request_token } },
});

describe('LogPricer', () => {
  const file = parsePriceFile({ m1: priced(0.001, 1), m2: priced(0.0012, 0.5) });
  const configs: ModelConfigs = {
    prices: () => file,
    load: () => Promise.resolve(file),
    capabilities: () => Promise.resolve(null),
    faults: () => [],
  };
  const pricer = new LogPricer(configs);

  it.each([
    ['batch o b1', 'm1', 1_000_000_000],
    [undefined, 'm2', 1_200_000_000],
  ])(
    'prices a log with the charge %j by the model whose billable usage costs more',
    async (once, model, total) => {
      const log = {
        row: {
          ...{ id: 'a', provider: 'acme', model: 'm1', response_model: 'm2', integration_id: null },
          created_at: '2026-11-01T00:00:00.000Z',
        },
        decision: { price: null, charges: [{ once }] },
        usage: {
          ...{ inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
          ...{ reasoningTokens: 0, inputAudioTokens: 0, outputAudioTokens: 0 },
        },
      } as unknown as PricedLog;
      const [record] = await pricer.records({} as EntityManager, [log]);
      if (!record?.usage) throw new Error('The log has no price.');
      expect(record.request.model).toBe(model);
      expect(pricer.pricer.price(record.request, record.usage, record.at)?.total).toBe(total);
    },
  );
});
