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
 * Prices usage: by a saved model's own price, else by a configured source, else by the catalogue; multiplied
 * by the integration's adjustments.
 */
export class GatewayPricer implements TargetPricer {
  private readonly catalogue = createPriceBook();
  private readonly book: Pricer;
  /** Parsed once for each version of a document. */
  private readonly saved = new WeakMap<ProviderDocument, SavedPrices>();

  constructor(configs: ModelConfigs | null) {
    this.book = createPricer(this.catalogue, configs);
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
    if (saved === null) return this.book.priceOfText({ provider, model }, input, output, atMs);
    const request = this.pricesOf(saved).request(provider, model);
    return request === null ? null : this.book.priceOfText(request, input, output, atMs);
  }

  contextTokens({ saved, provider }: PricedBy, model: string): number | null {
    const base = saved === null ? null : this.pricesOf(saved).request(provider, model);
    return this.catalogue.contextTokens(provider.priceCatalogueId, base?.model ?? model);
  }

  private ofModel(
    { saved, provider }: PricedBy,
    model: string,
    usage: BillableUsage,
    atMs: number,
  ): PricedUsage | null {
    if (saved === null) return this.book.price({ provider, model }, usage, atMs);
    const request = this.pricesOf(saved).request(provider, model);
    return request === null ? null : this.book.price(request, usage, atMs);
  }

  private pricesOf(saved: ProviderDocument): SavedPrices {
    let prices = this.saved.get(saved);
    if (prices === undefined) {
      prices = new SavedPrices(saved.models, saved.pricingAdjustments);
      this.saved.set(saved, prices);
    }
    return prices;
  }
}
