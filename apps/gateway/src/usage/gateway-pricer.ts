import type { ProviderDocument } from '@gw/contracts';
import {
  createPriceBook,
  createPricer,
  priceOfResponse,
  SavedPrices,
  type BillableUsage,
  type ModelConfigs,
  type PricedUsage,
  type Pricer,
} from '@gw/pricing';
import type { Priced, PricedBy, PricedTarget, TargetPricer } from './use';

/**
 * Prices usage by the first source that has a price: the model's own price in the integration, a
 * configured price source, the built-in catalogue. The integration's adjustments apply to any of
 * them. `priceOfResponse` chooses between the requested model and the one that the response names.
 */
export class GatewayPricer implements TargetPricer {
  private readonly catalogue = createPriceBook();
  private readonly pricer: Pricer;
  /** Prices of integrations, compiled once for each version of a provider document. */
  private readonly savedPrices = new WeakMap<ProviderDocument, SavedPrices>();

  constructor(configs: ModelConfigs | null) {
    this.pricer = createPricer(this.catalogue, configs);
  }

  price(by: PricedTarget, responded: string | null, usage: BillableUsage, atMs: number): Priced | null {
    const { saved, model: requested } = by;
    const isOwn = (model: string): boolean => saved !== null && this.pricesOf(saved).isOwn(model);
    const found = priceOfResponse({ requested, responded, isOwn }, (model) =>
      this.ofModel(by, model, usage, atMs),
    );
    return found && { model: found.model, ...found.priced };
  }

  priceOfText(
    { saved, provider }: PricedBy,
    model: string,
    input: number,
    output: number,
    atMs: number,
  ): number | null {
    if (saved === null) return this.pricer.priceOfText({ provider, model }, input, output, atMs);
    const request = this.pricesOf(saved).request(provider, model);
    return request === null ? null : this.pricer.priceOfText(request, input, output, atMs);
  }

  contextTokens({ saved, provider }: PricedBy, model: string): number | null {
    // An integration can map a model to a model of the catalogue; the context window of that model
    // then applies.
    const named = saved === null ? null : this.pricesOf(saved).request(provider, model);
    return this.catalogue.contextTokens(provider.priceCatalogueId, named?.model ?? model);
  }

  private ofModel(
    { saved, provider }: PricedBy,
    model: string,
    usage: BillableUsage,
    atMs: number,
  ): PricedUsage | null {
    if (saved === null) return this.pricer.price({ provider, model }, usage, atMs);
    const request = this.pricesOf(saved).request(provider, model);
    return request === null ? null : this.pricer.price(request, usage, atMs);
  }

  private pricesOf(saved: ProviderDocument): SavedPrices {
    let prices = this.savedPrices.get(saved);
    if (prices === undefined) {
      prices = new SavedPrices(saved.models, saved.pricingAdjustments);
      this.savedPrices.set(saved, prices);
    }
    return prices;
  }
}
