import { compileAdjustments, type Adjustments } from './adjustments';
import type { PriceCard } from './catalogue';
import { customCard, type CustomPrice } from './price-book';
import { parsePricingConfig } from './price-file';
import type { PricedProvider, PriceRequest } from './pricer';

/** The parts of an integration's model that its price depends on. */
export interface SavedModel {
  readonly slug: string;
  /** Catalogue model whose price applies; null for the model's own name. */
  readonly baseModelSlug: string | null;
  /** Takes precedence over `price`. */
  readonly pricingConfig?: Readonly<Record<string, unknown>> | null;
  readonly price: CustomPrice | null;
}

/** The prices that an integration sets, compiled once. */
export class SavedPrices {
  private readonly adjustments: Adjustments | null;
  /** Cards by model; null when a price is unreadable, so that the model is unpriced. */
  private readonly customs: ReadonlyMap<string, PriceCard | null>;

  constructor(
    private readonly models: readonly SavedModel[],
    pricingAdjustments: unknown,
  ) {
    this.adjustments = compileAdjustments(pricingAdjustments);
    this.customs = new Map(
      models.flatMap((model) => {
        const card = cardOf(model);
        return card === undefined ? [] : [[model.slug, card] as const];
      }),
    );
  }

  /**
   * Returns whether the integration itself sets the model's price: an own price, or another
   * model's.
   */
  isOwn(model: string): boolean {
    return this.customs.has(model) || this.baseOf(model) !== null;
  }

  /** Returns the price request of a model; null when the model's own price is unreadable. */
  request(provider: PricedProvider, model: string): PriceRequest | null {
    const custom = this.customs.size === 0 ? undefined : this.customs.get(model);
    if (custom === null) return null;
    const base = this.baseOf(model);
    return {
      provider,
      model: base ?? model,
      custom: custom ?? null,
      adjustments: this.adjustments,
    };
  }

  private baseOf(model: string): string | null {
    return this.models.find(({ slug }) => slug === model)?.baseModelSlug ?? null;
  }
}

/** Returns undefined when the model has no own price, and null when it is unreadable. */
function cardOf({ price, pricingConfig }: SavedModel): PriceCard | null | undefined {
  try {
    if (pricingConfig) return parsePricingConfig(pricingConfig);
    return price === null ? undefined : customCard(price);
  } catch {
    return null;
  }
}
