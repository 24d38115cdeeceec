import type { PriceLine, Usage } from '@gw/contracts';
import { LRUCache } from 'lru-cache';
import { findModel, modelIdsOf, type CatalogueModel, type PriceCard } from './catalogue';
import { priceLines } from './lines';
import { scaleDecimal } from './money';

/** The cost of a request, in integers of 1e-8 USD. `total` is the sum of the lines' costs. */
export interface Price {
  /** Id of the model in the catalogue. */
  readonly model: string;
  readonly lines: readonly PriceLine[];
  readonly total: number;
}

export interface PriceBook {
  /**
   * Returns the price of a usage at a time (a Date or Unix milliseconds), each line rounded half up
   * to 1e-8 USD.
   * Null when the catalogue does not have the model, or has no price for a kind of token that was
   * used: an unknown price is never 0. Images, searches and hours of audio, which this usage does
   * not count, are not priced.
   */
  price(providerCatalogueId: string | null, model: string, usage: Usage, at: Date | number): Price | null;
  /** Returns the prices themselves; null when the catalogue does not have the model. */
  card(providerCatalogueId: string | null, model: string, at: Date | number): PriceCard | null;
  /**
   * Returns the tokens of the model's context window, which no response exceeds; null when unknown.
   */
  contextTokens(providerCatalogueId: string | null, model: string): number | null;
  /** Returns the names of the provider's models that the catalogue has, in its order. */
  models(providerCatalogueId: string | null): readonly string[];
}

export interface PriceBookOptions {
  /**
   * Maximum number of resolved models kept, including unknown ones; the least recently used one is
   * dropped. Default 4,096.
   */
  readonly modelsMax?: number;
}

/**
 * US cents per token, as a custom model's price is given. Cached tokens cost the same as other
 * input.
 */
export interface CustomPrice {
  readonly input: number;
  readonly output: number;
}

/**
 * Maximum length of a model name. No provider has longer ones; they are not looked up, so that they
 * cannot fill the cache.
 */
const MODEL_CHARACTERS_MAX = 256;
/** Converts cents per token to 1e-8 USD per million tokens: 10^-2 × 10^6 × 10^8. */
const CENTS_PER_TOKEN_SCALE = 12;

/**
 * Creates a price book over the catalogue of `@pydantic/genai-prices`. It never downloads a newer
 * one.
 */
export function createPriceBook({ modelsMax = 4_096 }: PriceBookOptions = {}): PriceBook {
  const resolved = new LRUCache<string, { readonly model: CatalogueModel | null }>({ max: modelsMax });

  const resolve = (catalogueId: string, name: string): CatalogueModel | null => {
    const key = `${catalogueId}\n${name}`;
    const known = resolved.get(key);
    if (known !== undefined) return known.model;
    const model = findModel(catalogueId, name);
    resolved.set(key, { model });
    return model;
  };

  const lookUp = (catalogueId: string | null, name: string): CatalogueModel | null =>
    catalogueId === null || name.length > MODEL_CHARACTERS_MAX ? null : resolve(catalogueId, name);

  return {
    price(providerCatalogueId, name, usage, at) {
      const model = lookUp(providerCatalogueId, name);
      const lines = model === null ? null : priceLines(usage, model.pricesAt(at.valueOf()));
      return model === null || lines === null ? null : { model: model.id, lines, total: sum(lines) };
    },
    card: (providerCatalogueId, name, at) =>
      lookUp(providerCatalogueId, name)?.pricesAt(at.valueOf()) ?? null,
    contextTokens: (providerCatalogueId, name) => lookUp(providerCatalogueId, name)?.contextTokens ?? null,
    models: (providerCatalogueId) => (providerCatalogueId === null ? [] : modelIdsOf(providerCatalogueId)),
  };
}

/** Converts a custom price to a card; null when it is negative or not finite. */
export function customCard(price: CustomPrice): PriceCard | null {
  const input = scaleDecimal(price.input, CENTS_PER_TOKEN_SCALE);
  const output = scaleDecimal(price.output, CENTS_PER_TOKEN_SCALE);
  if (input === null || output === null) return null;
  const units = { input: { base: input, tiers: [] }, output: { base: output, tiers: [] } };
  return { units, additional: {}, images: {}, batchMillionths: null };
}

function sum(lines: readonly PriceLine[]): number {
  let total = 0;
  for (const { cost } of lines) total += cost;
  return total;
}
