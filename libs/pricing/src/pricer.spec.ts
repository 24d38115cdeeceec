import type { Usage } from '@gw/contracts';
import fc from 'fast-check';
import { compileAdjustments } from './adjustments';
import type { ModelConfigs } from './model-configs';
import { createPriceBook } from './price-book';
import { parsePriceFile, parsePricingConfig } from './price-file';
import { createPricer, reprice, type PricedProvider, type PricedRecord, type PriceRequest } from './pricer';
import type { BillableUsage } from './usage';

const NOON = Date.parse('2026-06-01T12:00:00Z');

const usage = (counts: Partial<BillableUsage>): BillableUsage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
  ...counts,
});
const cents = (price: number) => ({ price });

const FULL = parsePricingConfig({
  pay_as_you_go: {
    request_token: cents(0.001),
    response_token: cents(0.004),
    cache_read_input_token: cents(0.0001),
    cache_write_input_token: cents(0.00125),
    cache_read_audio_input_token: cents(0.0005),
    request_audio_token: cents(0.002),
    response_audio_token: cents(0.008),
    reasoning_token: cents(0.006),
    additional_units: { web_search: cents(1) },
    image: { standard: { '1024x1024': cents(4), default: cents(5) }, default: { default: cents(9) } },
  },
  currency: 'USD',
});
const OPENAI: PricedProvider = { id: 'openai', priceCatalogueId: 'openai', batchMillionths: 500_000 };
const GOOGLE: PricedProvider = { id: 'google', priceCatalogueId: 'google' };
const OWN: PricedProvider = { id: 'own', priceCatalogueId: null };
const request = (over: Partial<PriceRequest> = {}): PriceRequest => ({
  provider: OPENAI,
  model: 'gpt-4o',
  ...over,
});
const pricer = createPricer(createPriceBook());
const custom = request({ custom: FULL });

describe('Pricer', () => {
  it('returns one line per kind of unit, with each token in exactly one line', () => {
    const counts = usage({
      inputTokens: 1_000,
      cacheReadTokens: 300,
      cacheReadAudioTokens: 100,
      cacheWriteTokens: 200,
      inputAudioTokens: 150,
      outputTokens: 500,
      reasoningTokens: 200,
      outputAudioTokens: 100,
      images: [
        { quality: 'standard', size: '1024x1024', count: 2 },
        { quality: 'standard', size: '512x512', count: 1 },
        { quality: 'hd', size: '512x512', count: 1 },
      ],
      additionalUnits: { web_search: 3 },
    });
    const lines = pricer
      .price(custom, counts, NOON)
      ?.lines.map(({ unit, quantity, cost }) => [unit, quantity, cost]);
    expect(lines).toEqual([
      ['input', 450, 450_000],
      ['cache_read', 200, 20_000],
      ['cache_read_audio', 100, 50_000],
      ['cache_write', 200, 250_000],
      ['input_audio', 50, 100_000],
      ['output', 200, 800_000],
      ['output_reasoning', 200, 1_200_000],
      ['output_audio', 100, 800_000],
      ['image:standard:1024x1024', 2, 8_000_000],
      ['image:standard:512x512', 1, 5_000_000],
      ['image:hd:512x512', 1, 9_000_000],
      ['additional:web_search', 3, 3_000_000],
    ]);
  });

  it('prices cached audio once, as other cached input, if it has no own price', () => {
    const card = parsePricingConfig({
      pay_as_you_go: {
        request_token: cents(0.001),
        cache_read_input_token: cents(0.0001),
        request_audio_token: cents(0.002),
      },
    });
    const counts = usage({
      inputTokens: 100,
      cacheReadTokens: 30,
      cacheReadAudioTokens: 20,
      inputAudioTokens: 40,
    });
    const lines = pricer.price(request({ custom: card }), counts, NOON)?.lines ?? [];
    expect(lines.map(({ unit, quantity }) => [unit, quantity])).toEqual([
      ['input', 50],
      ['cache_read', 30],
      ['input_audio', 20],
    ]);
  });

  it('returns null for images and additional units without a price', () => {
    for (const name of ['robots', 'constructor']) {
      expect(pricer.price(custom, usage({ additionalUnits: { [name]: 1 } }), NOON)).toBeNull();
    }
    const images = [{ quality: 'hd', size: 'x', count: 1 }];
    expect(pricer.price(request(), usage({ images }), NOON)).toBeNull();
    expect(pricer.price(request({ model: 'no-such' }), usage({ inputTokens: 1 }), NOON)).toBeNull();
  });

  it('priceOfText returns the same total as price for text tokens', () => {
    const adjustments = compileAdjustments({ multiplier: { default: 1.37, response_token: 0.31 } });
    const perRequest = parsePricingConfig({
      pay_as_you_go: { request_token: cents(0.0003), additional_units: { requests: cents(0.7) } },
    });
    const cards = [custom, request(), request({ adjustments }), request({ custom: perRequest })];
    const models = ['gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'no-such'].map((model) =>
      request({ model, provider: model.startsWith('gpt') ? OPENAI : GOOGLE }),
    );
    const tokens = fc.nat(2_000_000);
    fc.assert(
      fc.property(fc.constantFrom(...cards, ...models), tokens, tokens, (of, inputTokens, outputTokens) => {
        const total = pricer.price(of, usage({ inputTokens, outputTokens }), NOON)?.total ?? null;
        expect(pricer.priceOfText(of, inputTokens, outputTokens, NOON)).toBe(total);
      }),
    );
  });

  it("prices a batch by the provider's batch factor, unless the price has a batch_multiplier", () => {
    const counts = usage({ inputTokens: 1_000_000, batch: true });
    expect(pricer.price(request(), counts, NOON)?.total).toBe(125_000_000);
    const third = parsePricingConfig({
      batch_multiplier: 0.3,
      pay_as_you_go: { request_token: cents(0.001), response_token: cents(0.001) },
    });
    expect(pricer.price(request({ custom: third }), counts, NOON)?.total).toBe(300_000_000);
    expect(pricer.price(request({ provider: OWN, custom: FULL }), counts, NOON)?.total).toBe(1_000_000_000);
  });

  it('applies the adjustments of the integration, with the default for units without a factor', () => {
    const adjustments = compileAdjustments({
      multiplier: {
        default: 2,
        response_token: 0.5,
        cache_read_input_token: null,
        'image.default': 3,
        additional_units: { web_search: 0 },
      },
    });
    const counts = usage({
      inputTokens: 1_000,
      outputTokens: 1_000,
      cacheReadTokens: 500,
      images: [{ quality: 'standard', size: '1024x1024', count: 1 }],
      additionalUnits: { web_search: 5 },
    });
    const lines = pricer
      .price({ ...custom, adjustments }, counts, NOON)
      ?.lines.map(({ unit, cost }) => [unit, cost]);
    expect(lines).toEqual([
      ['input', 1_000_000],
      ['cache_read', 100_000],
      ['output', 2_000_000],
      ['image:standard:1024x1024', 12_000_000],
      ['additional:web_search', 0],
    ]);
  });

  it('prices a token kind with a factor separately from its total, even without its own price', () => {
    const flat = parsePricingConfig({
      pay_as_you_go: { request_token: cents(0.001), response_token: cents(0.001) },
    });
    const adjustments = compileAdjustments({ multiplier: { reasoning_token: 3 } });
    const counts = usage({ outputTokens: 100, reasoningTokens: 40 });
    expect(pricer.price({ ...custom, custom: flat, adjustments }, counts, NOON)?.total).toBe(
      60_000 + 3 * 40_000,
    );
    const cachedAudio = compileAdjustments({ multiplier: { cache_read_audio_input_token: 3 } });
    const cached = usage({ inputTokens: 100, cacheReadTokens: 40, cacheReadAudioTokens: 40 });
    expect(pricer.price({ ...custom, custom: flat, adjustments: cachedAudio }, cached, NOON)?.total).toBe(
      60_000 + 3 * 40_000,
    );
    expect(compileAdjustments(null)).toBeNull();
    expect(() => compileAdjustments({ multiplier: { default: -1 } })).toThrow('from 0');
  });

  it('returns a total that is the sum of its lines, never negative, with every token priced once', () => {
    const count = fc.nat({ max: 1_000_000 });
    const counts = fc.record({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheReadAudioTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
      inputAudioTokens: count,
      outputAudioTokens: count,
    });
    fc.assert(
      fc.property(counts, fc.boolean(), fc.double({ min: 0, max: 5, noNaN: true }), (each, batch, factor) => {
        const adjustments = compileAdjustments({ multiplier: { default: Math.round(factor * 100) / 100 } });
        const price = pricer.price({ ...custom, adjustments }, { ...each, batch }, NOON);
        const lines = price?.lines ?? [];
        expect(lines.every(({ cost }) => Number.isSafeInteger(cost) && cost >= 0)).toBe(true);
        expect(lines.reduce((sum, { cost }) => sum + cost, 0)).toBe(price?.total);
        expect(lines.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(
          each.inputTokens + each.outputTokens,
        );
      }),
    );
  });

  it('prefers the custom price, then the configured price valid at the time, then the catalogue [PAS-06]', () => {
    const file = parsePriceFile({
      'gpt-4o': [
        { pricing_config: { pay_as_you_go: { request_token: cents(0.001), response_token: cents(0.001) } } },
        {
          effective_from: '2026-07-01T00:00:00Z',
          pricing_config: { pay_as_you_go: { request_token: cents(0.002), response_token: cents(0.002) } },
        },
      ],
    });
    const configs = {
      prices: (provider: string) => (provider === 'openai' ? file : undefined),
    } as ModelConfigs;
    const configured = createPricer(createPriceBook(), configs);
    const counts = usage({ inputTokens: 1_000 });
    const priced = (over: Partial<PriceRequest>, at = NOON) => configured.price(request(over), counts, at);
    expect(priced({ custom: FULL })?.source).toBe('custom');
    expect(priced({})).toMatchObject({ source: 'configured', total: 1_000_000 });
    expect(priced({}, Date.parse('2026-07-01T00:00:00Z'))?.total).toBe(2_000_000);
    expect(priced({ model: 'gpt-4o-mini' })?.source).toBe('catalogue');
    expect(priced({ provider: { id: 'groq', priceCatalogueId: 'groq' } })).toBeNull();
  });

  it('prices by tiers of input tokens', () => {
    const tiered = parsePricingConfig({
      pay_as_you_go: {
        request_token: { price: 0.001, tiers: [{ start: 200_000, price: 0.002 }] },
        response_token: cents(0.001),
      },
    });
    const total = (inputTokens: number) =>
      pricer.price(request({ custom: tiered }), usage({ inputTokens }), NOON)?.total;
    expect(total(200_000)).toBe(200_000_000);
    expect(total(200_001)).toBe(400_002_000);
  });
});

describe('parsePriceFile', () => {
  const token = { request_token: cents(1), response_token: cents(1) };
  it.each<[unknown, string]>([
    [null, 'the file must be an object'],
    [[], 'the file must be an object'],
    [{}, 'the file has no models'],
    [{ m: 5 }, 'm must be an object'],
    [{ m: { pay_as_you_go: { request_token: { price: -1 } } } }, 'm.pay_as_you_go.request_token.price'],
    [{ m: { pay_as_you_go: { request_token: { price: '1' } } } }, 'm.pay_as_you_go.request_token.price'],
    [{ m: { pay_as_you_go: { request_token: { price: 1e300 } } } }, 'm.pay_as_you_go.request_token.price'],
    [{ m: { pay_as_you_go: token, currency: 'EUR' } }, 'm.currency must be USD'],
    [{ m: { pay_as_you_go: token, batch_multiplier: '1' } }, 'm.batch_multiplier must be a number from 0'],
    [{ m: [] }, 'm has no price'],
    [{ m: Array.from({ length: 1_001 }, () => ({ pay_as_you_go: token })) }, 'm has more than 1000 prices'],
    [{ m: [{ effective_from: 'soon', pay_as_you_go: token }] }, 'm.0.effective_from must be a date'],
    [{ m: { pay_as_you_go: { ...token, image: { hd: 4 } } } }, 'm.pay_as_you_go.image.hd must be an object'],
    [
      Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`m${String(at)}`, {}])),
      'more than 20000 models',
    ],
  ])('refuses the whole file and names the invalid place: case %#', (document, message) => {
    expect(() => parsePriceFile(document)).toThrow(message);
  });
});

describe('reprice', () => {
  it('reports the changed costs and their difference, and changes no record', () => {
    const newer = createPricer(createPriceBook(), {
      prices: () =>
        parsePriceFile({ a: { pay_as_you_go: { request_token: cents(0.002), response_token: cents(0) } } }),
    } as unknown as ModelConfigs);
    const record = (id: string, model: string, cost: number | null, counts: Usage | null): PricedRecord => ({
      id,
      at: NOON,
      request: { provider: OWN, model },
      usage: counts,
      cost,
    });
    const counts = usage({ inputTokens: 1_000 });
    const records = [
      record('1', 'a', 1_000_000, counts),
      record('2', 'a', null, counts),
      record('3', 'a', 2_000_000, counts),
      record('4', 'b', 5, counts),
      record('5', 'a', null, null),
    ];
    const repricing = reprice(records, newer);
    expect(repricing).toMatchObject({ seen: 5, unpriced: 1, difference: 3_000_000 });
    expect(repricing.changes.map(({ id, before, after }) => [id, before, after])).toEqual([
      ['1', 1_000_000, 2_000_000],
      ['2', null, 2_000_000],
    ]);
    expect(reprice(records, newer)).toEqual(repricing);
  });
});
