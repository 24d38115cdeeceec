import fc from 'fast-check';
import { priceOfResponse } from './response-price';

type Source = 'custom' | 'configured' | 'catalogue';
interface Listed {
  readonly source: Source;
  readonly total: number;
}

const list: Readonly<Record<string, Listed>> = {
  mini: { source: 'catalogue', total: 1 },
  large: { source: 'catalogue', total: 20 },
  free: { source: 'catalogue', total: 0 },
  agreed: { source: 'configured', total: 5 },
  dearAgreed: { source: 'configured', total: 9 },
  alias: { source: 'custom', total: 3 },
};
const own = new Set(['alias']);
const priceOf = (requested: string | null, responded: string | null): [string, number] | null => {
  const found = priceOfResponse(
    { requested, responded, isOwn: (model) => own.has(model) },
    (model) => list[model] ?? null,
  );
  return found && [found.model, found.priced.total];
};

describe('priceOfResponse', () => {
  it.each([
    ['the response names a more expensive model than was requested', 'mini', 'large', ['large', 20]],
    ['the response names a cheaper model than was requested', 'large', 'free', ['large', 20]],
    ['the response names an unknown model', 'large', 'nonsense', ['large', 20]],
    ['the requested model is unknown', 'deployment', 'large', ['large', 20]],
    ['the response names no model', 'mini', null, ['mini', 1]],
    ['the requested model is null', null, 'large', ['large', 20]],
    ['the integration has a price for the requested model', 'alias', 'large', ['alias', 3]],
    ['a configured source has a price for the requested model', 'agreed', 'large', ['agreed', 5]],
    ['both models have a configured price', 'agreed', 'dearAgreed', ['dearAgreed', 9]],
    ['neither model is known', 'deployment', 'nonsense', null],
  ] as const)('uses the price of the expected model when %s', (_, requested, responded, expected) => {
    expect(priceOf(requested, responded)).toEqual(expected);
  });

  it('is never less than the price of the requested model, whatever the response names', () => {
    const name = fc.option(fc.constantFrom(...Object.keys(list), 'nonsense'), { nil: null });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(list)), name, (requested, responded) => {
        expect(priceOf(requested, responded)?.[1]).toBeGreaterThanOrEqual(list[requested]?.total ?? NaN);
      }),
    );
  });
});
