import type { Usage } from '@gw/contracts';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { createPriceBook, customCard } from './price-book';
import { createPricer } from './pricer';

const NOON = Date.parse('2026-06-01T12:00:00Z');

const usage = (counts: Partial<Usage>): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
  ...counts,
});

/** Any valid usage: parts never exceed their totals. */
const anyUsage = fc
  .record({
    inputTokens: fc.integer({ min: 0, max: 2_000_000 }),
    outputTokens: fc.integer({ min: 0, max: 2_000_000 }),
    parts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
  })
  .map(
    ({
      inputTokens,
      outputTokens,
      parts: [read = 0, write = 0, hour = 0, audioIn = 0, reason = 0, audioOut = 0],
    }) => {
      const cacheReadTokens = Math.floor(inputTokens * read);
      const cacheWriteTokens = Math.floor((inputTokens - cacheReadTokens) * write);
      return usage({
        inputTokens,
        outputTokens,
        cacheReadTokens,
        cacheWriteTokens,
        cacheWrite1hTokens: Math.floor(cacheWriteTokens * hour),
        inputAudioTokens: Math.floor(inputTokens * audioIn),
        reasoningTokens: Math.floor(outputTokens * reason),
        outputAudioTokens: Math.floor(outputTokens * audioOut),
      });
    },
  );

const CATALOGUES = [
  ...[
    'openai',
    'anthropic',
    'groq',
    'mistral',
    'deepseek',
    'together',
    'fireworks',
    'openrouter',
    'perplexity',
  ],
  ...['x-ai', 'cerebras', 'novita', 'moonshotai', 'zhipuai', 'cohere', 'google', 'azure'],
];

const MODELS = CATALOGUES.flatMap((id) =>
  (findProvider({ providerId: id })?.models ?? []).map((model) => [id, model.id] as const),
);

describe('PriceBook', () => {
  const book = createPriceBook();

  it('prices cached tokens separately, and rounds each line', () => {
    const price = book.price(
      'openai',
      'gpt-4o',
      usage({ inputTokens: 1_000, cacheReadTokens: 100, outputTokens: 10 }),
      NOON,
    );
    expect(price).toEqual({
      model: 'gpt-4o',
      lines: [
        { unit: 'input', quantity: 900, pricePerMillion: 250_000_000, cost: 225_000 },
        { unit: 'cache_read', quantity: 100, pricePerMillion: 125_000_000, cost: 12_500 },
        { unit: 'output', quantity: 10, pricePerMillion: 1_000_000_000, cost: 10_000 },
      ],
      total: 247_500,
    });
  });

  it('prices cache writes by how long they are kept', () => {
    const counts = usage({
      inputTokens: 300,
      cacheWriteTokens: 200,
      cacheWrite1hTokens: 50,
      cacheReadTokens: 40,
    });
    const price = book.price('anthropic', 'claude-sonnet-4-20250514', counts, NOON);
    expect(price?.lines).toEqual([
      { unit: 'input', quantity: 60, pricePerMillion: 300_000_000, cost: 18_000 },
      { unit: 'cache_read', quantity: 40, pricePerMillion: 30_000_000, cost: 1_200 },
      { unit: 'cache_write', quantity: 150, pricePerMillion: 375_000_000, cost: 56_250 },
      { unit: 'cache_write_1h', quantity: 50, pricePerMillion: 600_000_000, cost: 30_000 },
    ]);
  });

  it.each([
    ['openai', 'no-such-model'],
    ['no-such-provider', 'gpt-4o'],
    ['openai', 'x'.repeat(10_000)],
    [null, 'gpt-4o'],
  ])('returns null, never 0, for the unknown provider or model %p %p', (provider, model) => {
    expect(book.price(provider, model, usage({ inputTokens: 5 }), NOON)).toBeNull();
  });

  it('returns null for a usage with a kind of token that has no price', () => {
    expect(book.price('openai', 'text-embedding-3-small', usage({ inputTokens: 5 }), NOON)?.total).toBe(10);
    const embeddingOnly = MODELS.find(([provider, id]) => {
      const prices = findProvider({ providerId: provider })?.models.find((model) => model.id === id)?.prices;
      return prices !== undefined && !Array.isArray(prices) && prices['output_mtok'] === undefined;
    });
    const [provider, id] = embeddingOnly ?? ['', ''];
    expect(book.price(provider, id, usage({ inputTokens: 5, outputTokens: 1 }), NOON)).toBeNull();
  });

  it('prices the whole request at the tier that its input tokens reach', () => {
    const tiered = MODELS.flatMap(([provider, id]) => {
      const prices = findProvider({ providerId: provider })?.models.find((model) => model.id === id)?.prices;
      const input = prices === undefined || Array.isArray(prices) ? undefined : prices['input_mtok'];
      return typeof input === 'object' ? [{ provider, id, start: input.tiers[0]?.start ?? 0 }] : [];
    });
    expect(tiered.length).toBeGreaterThan(0);
    for (const { provider, id, start } of tiered) {
      for (const inputTokens of [start, start + 1]) {
        const expected = calcPrice({ input_tokens: inputTokens, output_tokens: 7 }, id, {
          providerId: provider,
        });
        const got = book.price(provider, id, usage({ inputTokens, outputTokens: 7 }), NOON);
        // Each of the two lines is rounded to a unit.
        expect(Math.abs((got?.total ?? NaN) - (expected?.total_price ?? NaN) * 1e8)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('uses the price that is valid at the time of the request', () => {
    const at = (time: string) =>
      book.price('deepseek', 'deepseek-chat', usage({ inputTokens: 1_000_000 }), new Date(time))?.total;
    const theirs = (time: string) =>
      Math.round(
        (calcPrice({ input_tokens: 1_000_000 }, 'deepseek-chat', {
          providerId: 'deepseek',
          timestamp: new Date(time),
        })?.total_price ?? NaN) * 1e8,
      );
    for (const time of [
      '2024-06-01T00:00:00Z',
      '2025-03-01T17:00:00Z',
      '2025-03-01T12:00:00Z',
      '2026-06-01T17:00:00Z',
    ]) {
      expect(at(time)).toBe(theirs(time));
    }
  });

  it("agrees with the catalogue package's own calculation for every model with token prices, at several times", () => {
    const counts = usage({ inputTokens: 123_457, outputTokens: 4_321, cacheReadTokens: 1_111 });
    const names = { input_tokens: 123_457, output_tokens: 4_321, cache_read_tokens: 1_111 };
    let compared = 0;
    for (const [providerId, id] of MODELS) {
      for (const time of ['2024-01-15T09:30:00Z', '2025-05-05T18:00:00Z', '2026-06-01T12:00:00Z']) {
        const price = book.price(providerId, id, counts, new Date(time));
        if (price === null) continue;
        const theirs = calcPrice(names, id, { providerId, timestamp: new Date(time) });
        expect(theirs?.model.id).toBe(price.model);
        // Each of the up to four lines is rounded to a unit.
        expect(Math.abs(price.total - (theirs?.total_price ?? NaN) * 1e8)).toBeLessThanOrEqual(2.5);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(2_000);
  });

  it('returns a total that is the sum of its lines, never negative, with every token priced once, for any usage', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODELS), anyUsage, ([provider, model], counts) => {
        const price = book.price(provider, model, counts, NOON);
        if (price === null) return;
        expect(price.lines.reduce((sum, { cost }) => sum + cost, 0)).toBe(price.total);
        expect(
          price.lines.every(({ cost, quantity }) => Number.isSafeInteger(cost) && cost >= 0 && quantity > 0),
        ).toBe(true);
        const tokens = price.lines
          .filter(({ unit }) => unit !== 'requests')
          .reduce((sum, { quantity }) => sum + quantity, 0);
        expect(tokens).toBe(counts.inputTokens + counts.outputTokens);
      }),
      { numRuns: 500 },
    );
  });

  it('never charges less for more of the same tokens within a tier', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e6 }), (one, other) => {
        const total = (inputTokens: number) =>
          book.price('openai', 'gpt-4o', usage({ inputTokens }), NOON)?.total ?? -1;
        expect(Math.sign(total(one) - total(other))).toBe(Math.sign(one - other));
      }),
    );
  });

  it('returns prices when more models were requested than modelsMax', () => {
    const small = createPriceBook({ modelsMax: 2 });
    for (let round = 0; round < 3; round += 1) {
      for (const model of ['gpt-4o', 'gpt-4o-mini', 'unknown-1', 'unknown-2', 'o1']) {
        const price = small.price('openai', model, usage({ inputTokens: 1_000_000 }), NOON);
        expect(price === null).toBe(model.startsWith('unknown'));
      }
    }
  });
});

describe('customCard', () => {
  const pricer = createPricer(createPriceBook());
  const priceAt = (price: { input: number; output: number }, used: Usage) =>
    pricer.price(
      { provider: { id: 'p', priceCatalogueId: null }, model: 'm', custom: customCard(price) },
      used,
      NOON,
    );

  it('prices a custom model in US cents per input and output token, cached and reasoning tokens included', () => {
    const price = priceAt(
      { input: 0.0003, output: 0.0012 },
      usage({ inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 400, reasoningTokens: 40 }),
    );
    expect(price).toMatchObject({ source: 'custom', total: 300_000 + 120_000 });
    expect(price?.lines.map(({ unit }) => unit)).toEqual(['input', 'output']);
  });

  it('accepts a price of 0, and returns null for invalid prices', () => {
    expect(priceAt({ input: 0, output: 0 }, usage({ inputTokens: 5 }))?.total).toBe(0);
    expect(customCard({ input: -1, output: 0 })).toBeNull();
    expect(customCard({ input: NaN, output: 0 })).toBeNull();
  });
});
