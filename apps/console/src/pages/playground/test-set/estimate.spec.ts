import { ASSUMED_OUTPUT, estimateOf, pricesOf, tokensOf } from './estimate';

const price = (unit: string, price_exact: string) => ({
  unit,
  price_exact,
  list_exact: price_exact,
  tiered: false,
});

describe('estimate of a request', () => {
  it('counts texts by bytes, media by the piece, and the maximum output', () => {
    const body = { messages: [{ role: 'user', content: 'x'.repeat(400) }], max_tokens: 80 };
    expect(tokensOf({ body })).toEqual({ input: 101, output: 80 });
    const media = { content: [{ image_url: { url: `data:image/png;base64,${'A'.repeat(9_000)}` } }] };
    expect(tokensOf({ body: media })).toEqual({ input: 1_000, output: ASSUMED_OUTPUT });
  });

  it('is exact in 1e-8 USD, rounded up', () => {
    const prices = pricesOf({ prices: [price('input', '250000000'), price('output', '1000000000')] });
    const body = { messages: 'x'.repeat(400), max_tokens: 80 };
    expect(estimateOf({ body }, prices)).toBe(100n * 250n + 80n * 1_000n);
    const cheap = pricesOf({ prices: [price('input', '1'), price('output', '0')] });
    expect(estimateOf({ body }, cheap)).toBe(1n);
  });

  it('ignores a maximum that is no finite number', () => {
    const body = JSON.parse('{"max_tokens":1e999}') as Record<string, unknown>;
    expect(tokensOf({ body }).output).toBe(ASSUMED_OUTPUT);
  });

  it('is null without both prices', () => {
    expect(pricesOf({ prices: [price('input', '1')] })).toBeNull();
    expect(estimateOf({ body: {} }, null)).toBeNull();
  });
});
