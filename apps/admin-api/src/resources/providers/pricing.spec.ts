import { parsePricingConfig } from '@gw/pricing';
import { pricingAdjustmentFaults, pricingConfigFaults } from './pricing';

const PRICES = { request_token: { price: 0.0001 }, response_token: { price: 0.0002 } };

describe('pricingConfigFaults', () => {
  it('accepts prices of both directions and of other units, with and without a type', () => {
    expect(pricingConfigFaults({ type: 'static', pay_as_you_go: PRICES }, 'p')).toEqual([]);
    const more = { ...PRICES, cache_read_input_token: { price: 0 } };
    expect(pricingConfigFaults({ pay_as_you_go: more }, 'p')).toEqual([]);
  });

  it('refuses the price of only one direction', () => {
    const faults = pricingConfigFaults({ pay_as_you_go: { request_token: { price: 1 } } }, 'p');
    expect(faults).toEqual([{ path: 'p.pay_as_you_go.response_token', message: 'is required' }]);
  });

  it('accepts the documented maximum price and refuses prices that cannot be counted', () => {
    const priced = (price: number): object => ({
      pay_as_you_go: { ...PRICES, request_token: { price } },
    });
    expect(pricingConfigFaults(priced(9_000) as never, 'p')).toEqual([]);
    expect(parsePricingConfig(priced(9_000)).units.input).toBeDefined();
    expect(() => parsePricingConfig(priced(10_000))).toThrow('price');
    expect(pricingConfigFaults(priced(10_000) as never, 'p')).toHaveLength(1);
  });

  it.each([
    ['no prices', {}],
    ['another type', { type: 'dynamic', pay_as_you_go: PRICES }],
    ['a negative price', { pay_as_you_go: { ...PRICES, request_token: { price: -1 } } }],
    ['a price too large to count', { pay_as_you_go: { ...PRICES, request_token: { price: 1e18 } } }],
    ['a price above ninety dollars', { pay_as_you_go: { ...PRICES, request_token: { price: 9_000.01 } } }],
    ['a price that is a text', { pay_as_you_go: { ...PRICES, request_token: { price: '1' } } }],
    ['an unknown unit', { pay_as_you_go: { ...PRICES, wish: { price: 1 } } }],
    ['an unknown field', { pay_as_you_go: PRICES, currency: 'EUR' }],
  ])('refuses %s', (_what, value) => {
    expect(pricingConfigFaults(value, 'p')).toHaveLength(1);
  });
});

describe('pricingAdjustmentFaults', () => {
  it('accepts factors from 0, null, additional units, and no multiplier', () => {
    const multiplier = {
      default: 1.1,
      request_token: null,
      'image.default': 0,
      additional_units: { web_search: 2 },
    };
    expect(pricingAdjustmentFaults({ multiplier }, 'p')).toEqual([]);
    expect(pricingAdjustmentFaults({}, 'p')).toEqual([]);
  });

  it.each([
    ['a negative factor', { multiplier: { default: -1 } }],
    ['a factor that is a text', { multiplier: { default: '1' } }],
    ['an unknown unit', { multiplier: { wish: 1 } }],
    ['an unknown field', { surcharge: 1 }],
    ['a multiplier that is a list', { multiplier: [] }],
    ['additional units that are a list', { multiplier: { additional_units: [1] } }],
  ])('refuses %s', (_what, value) => {
    expect(pricingAdjustmentFaults(value, 'p')).toHaveLength(1);
  });
});
