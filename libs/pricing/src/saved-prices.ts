import { compileAdjustments, type Adjustments } from './adjustments';
import type { PriceCard } from './catalogue';
import { customCard, type CustomPrice } from './price-book';
import { parsePricingConfig } from './price-file';
import type { PricedProvider, PriceRequest } from './pricer';

/** A model of an integration, as far as its price depends on it. */
export interface SavedModel {
  readonly slug: string;
  /** The catalogue's model whose price it has; null: its own name. */
  readonly baseModelSlug: string | null;
  /** Wins over `price`. */
  readonly pricingConfig?: Readonly<Record<string, unknown>> | null;
  readonly price: CustomPrice | null;
}

/** What an integration says of prices, read once. */
export class SavedPrices {
  private readonly adjustments: Adjustments | null;
  /** By model; null: its price cannot be read, so that it is unpriced. */
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

  /** Whether the integration itself says what the model costs: a price, or the model whose price it has. */
  isOwn(model: string): boolean {
    return this.customs.has(model) || this.baseOf(model) !== null;
  }

  /** Null: the model has a price of its own that can't be read. */
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

/** Undefined: it has no price of its own. Null: it has one that can't be read. */
function cardOf({ price, pricingConfig }: SavedModel): PriceCard | null | undefined {
  try {
    if (pricingConfig) return parsePricingConfig(pricingConfig);
    return price === null ? undefined : customCard(price);
  } catch {
    return null;
  }
}
