import type { ProviderDocument, ProviderModel, Usage } from '@gw/contracts';
import {
  compileAdjustments,
  createPriceBook,
  createPricer,
  customCard,
  parsePricingConfig,
  type Adjustments,
  type ModelConfigs,
  type PriceCard,
  type Pricer as Book,
} from '@gw/pricing';
import { modelOf } from '../pipeline/attempt/targeting';
import type { Priced, PricedBy, Pricer } from '../pipeline/settlement';

/** What a saved provider says of prices, read once for each version of its document. */
interface SavedPrices {
  readonly adjustments: Adjustments | null;
  /** By model; null: its price cannot be read, so that it is unpriced. */
  readonly customs: ReadonlyMap<string, PriceCard | null>;
}

/** A saved model's own price, else a configured source's, else the catalogue's; times the adjustments of the integration. */
export class GatewayPricer implements Pricer {
  private readonly book: Book;
  private readonly saved = new WeakMap<ProviderDocument, SavedPrices>();

  constructor(configs: ModelConfigs | null) {
    this.book = createPricer(createPriceBook(), configs);
  }

  price({ saved, provider }: PricedBy, model: string, usage: Usage, atMs: number): Priced | null {
    const { id, priceCatalogueId: catalogueId } = provider;
    if (saved === null) return this.book.price({ provider: id, catalogueId, model }, usage, atMs);
    const { adjustments, customs } = this.pricesOf(saved);
    const custom = customs.size === 0 ? undefined : customs.get(model);
    if (custom === null) return null;
    const base = saved.models.length === 0 ? null : (modelOf(saved, model)?.baseModelSlug ?? null);
    const request = { provider: id, catalogueId, model: base ?? model, custom: custom ?? null, adjustments };
    return this.book.price(request, usage, atMs);
  }

  private pricesOf(saved: ProviderDocument): SavedPrices {
    let prices = this.saved.get(saved);
    if (prices === undefined) {
      const customs = saved.models.flatMap((model) => {
        const card = cardOf(model);
        return card === undefined ? [] : [[model.slug, card] as const];
      });
      prices = { adjustments: compileAdjustments(saved.pricingAdjustments), customs: new Map(customs) };
      this.saved.set(saved, prices);
    }
    return prices;
  }
}

/** Undefined: it has no price of its own. Null: it has one that can't be read. */
function cardOf({ price, pricingConfig }: ProviderModel): PriceCard | null | undefined {
  try {
    if (pricingConfig) return parsePricingConfig(pricingConfig);
    return price === null ? undefined : customCard(price);
  } catch {
    return null;
  }
}
