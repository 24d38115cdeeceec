import type { SANDBOX_MODELS } from '@gw/providers';
import type { FirstProvider } from './first-providers';

type SandboxModel = (typeof SANDBOX_MODELS)[number];

/**
 * US cents per token, similar to the prices of small models: 0.10 and 0.40 USD per million tokens,
 * and ten times as much for the large model.
 */
const PRICES: Readonly<Record<SandboxModel, { readonly input: number; readonly output: number }>> = {
  'sandbox-small': { input: 0.000_01, output: 0.000_04 },
  'sandbox-large': { input: 0.000_1, output: 0.000_4 },
};

/**
 * Returns the built-in provider, which needs no account. With `priced`, its models have prices such
 * as an administrator could set, so that the first requests of a new installation show costs and
 * budgets.
 */
export const sandboxProvider = (priced: boolean): FirstProvider => ({
  ...{ providerId: 'sandbox', slug: 'sandbox', name: 'Sandbox', key: null },
  prices: priced
    ? Object.entries(PRICES).map(([model, { input, output }]) => ({
        model,
        pricingConfig: {
          type: 'static',
          pay_as_you_go: { request_token: { price: input }, response_token: { price: output } },
        },
      }))
    : [],
});
