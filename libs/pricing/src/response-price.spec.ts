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
    ['uses the price of the responded model if it is higher', 'mini', 'large', ['large', 20]],
    ['uses the price of the requested model if the responded one is cheaper', 'large', 'free', ['large', 20]],
    ['uses the price of the requested model if the other is unknown', 'large', 'nonsense', ['large', 20]],
    ['uses the price of the responded model if the other is unknown', 'deployment', 'large', ['large', 20]],
    ['uses the price of the requested model if the response names none', 'mini', null, ['mini', 1]],
    ['uses the price of the responded model if the requested one is null', null, 'large', ['large', 20]],
    ["prefers the integration's own price to a higher one", 'alias', 'large', ['alias', 3]],
    ['prefers a configured price to a higher one of the catalogue', 'agreed', 'large', ['agreed', 5]],
    ['uses the higher of two configured prices', 'agreed', 'dearAgreed', ['dearAgreed', 9]],
    ['returns null if neither model is known', 'deployment', 'nonsense', null],
  ] as const)('%s', (_, requested, responded, expected) => {
    expect(priceOf(requested, responded)).toEqual(expected);
  });

  it('never returns less than the price of the requested model, whatever the response names', () => {
    const name = fc.option(fc.constantFrom(...Object.keys(list), 'nonsense'), { nil: null });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(list)), name, (requested, responded) => {
        expect(priceOf(requested, responded)?.[1]).toBeGreaterThanOrEqual(list[requested]?.total ?? NaN);
      }),
    );
  });
});
