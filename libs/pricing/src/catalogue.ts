import { calcPrice, findProvider, type ConditionalPrice, type ModelPrice } from '@pydantic/genai-prices';
import { scaleDecimal } from './money';

/** Price of one kind of unit, in 1e-8 USD per million. */
export interface UnitPrice {
  readonly base: number;
  /**
   * Ascending. The last tier whose `start` is below the request's input tokens prices all units of
   * the request.
   */
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

/** The catalogue's units that a usage can be priced by. All but requests are tokens. */
export const UNITS = {
  input_mtok: 'input',
  cache_read_mtok: 'cache_read',
  cache_write_mtok: 'cache_write',
  cache_write_1h_mtok: 'cache_write_1h',
  cache_audio_read_mtok: 'cache_read_audio',
  input_audio_mtok: 'input_audio',
  input_image_mtok: 'input_image',
  output_mtok: 'output',
  output_reasoning_mtok: 'output_reasoning',
  output_audio_mtok: 'output_audio',
  output_image_mtok: 'output_image',
  requests_kcount: 'requests',
} as const;
export type Unit = (typeof UNITS)[keyof typeof UNITS];

/** Units counted per piece, by their name in a usage. */
const PIECES = {
  web_searches_kcount: 'web_search',
  storage_searches_kcount: 'file_search',
  rerank_searches_kcount: 'rerank_search',
  code_executions_kcount: 'code_execution',
} as const;

export type UnitPrices = Readonly<Partial<Record<Unit, UnitPrice>>>;

/** All prices of a model at one time, in 1e-8 USD per million. */
export interface PriceCard {
  readonly units: UnitPrices;
  /** Prices per piece: searches, executions and other additional units of a usage. */
  readonly additional: Readonly<Record<string, number>>;
  /** Prices of images by quality, then size; `default` matches any. */
  readonly images: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Part of the price that a batch costs, in millionths; null for the provider's usual part. */
  readonly batchMillionths: number | null;
}

export interface CatalogueModel {
  /** The catalogue's own id of the model. */
  readonly id: string;
  /** Tokens of its context window; null when the catalogue has none. */
  readonly contextTokens: number | null;
  /** Returns the prices at a time in Unix milliseconds. */
  pricesAt(at: number): PriceCard;
}

const USD_SCALE = 8;
const DAY_SECONDS = 86_400;

/** Looks up a model by the catalogue's own matching rules; returns null when there is none. */
export function findModel(catalogueId: string, model: string): CatalogueModel | null {
  const found = calcPrice({}, model, { providerId: catalogueId });
  // The package falls back to providers of a similar name; a price must belong to the requested
  // provider.
  if (found?.provider.id !== catalogueId) return null;
  const { id, prices, context_window: window } = found.model;
  const contextTokens = window !== undefined && window > 0 ? window : null;
  if (!Array.isArray(prices)) {
    const compiled = compile(prices);
    return { id, contextTokens, pricesAt: () => compiled };
  }
  const periods = prices.map((period) => ({ applies: applies(period), prices: compile(period.prices) }));
  const first = periods[0]?.prices ?? EMPTY_CARD;
  return {
    id,
    contextTokens,
    pricesAt: (at) => periods.findLast((period) => period.applies(at))?.prices ?? first,
  };
}

/**
 * Returns the ids of the models that the catalogue has of a provider; deprecated ones are left out.
 */
export const modelIdsOf = (catalogueId: string): readonly string[] =>
  (findProvider({ providerId: catalogueId })?.models ?? [])
    .filter(({ deprecated }) => deprecated !== true)
    .map(({ id }) => id);

const EMPTY_CARD: PriceCard = { units: {}, additional: {}, images: {}, batchMillionths: null };

function compile(prices: ModelPrice): PriceCard {
  const additional: Record<string, number> = {};
  for (const [key, name] of Object.entries(PIECES)) {
    const price = prices[key];
    const scaled = scaleDecimal(typeof price === 'number' ? price : NaN, USD_SCALE + 3);
    if (scaled !== null) additional[name] = scaled;
  }
  return { ...EMPTY_CARD, units: compileUnits(prices), additional };
}

function compileUnits(prices: ModelPrice): UnitPrices {
  const compiled: Partial<Record<Unit, UnitPrice>> = {};
  for (const [key, unit] of Object.entries(UNITS)) {
    // A price per thousand units is scaled to a million.
    const scale = key.endsWith('_kcount') ? USD_SCALE + 3 : USD_SCALE;
    const price = prices[key];
    const base = scaleDecimal(typeof price === 'object' ? price.base : (price ?? NaN), scale);
    if (base === null) continue;
    const tiers = typeof price === 'object' ? price.tiers : [];
    compiled[unit] = {
      base,
      tiers: tiers
        .map((tier) => ({ start: tier.start, price: scaleDecimal(tier.price, scale) ?? base }))
        .sort((one, other) => one.start - other.start),
    };
  }
  return compiled;
}

function applies({ constraint }: ConditionalPrice): (at: number) => boolean {
  if (constraint === undefined) return () => true;
  if (constraint.type === 'start_date') {
    const start = Date.parse(constraint.start_date);
    return (at) => at >= start;
  }
  const from = secondOfDay(constraint.start_time);
  const to = secondOfDay(constraint.end_time);
  return (at) => {
    const second = (at / 1000) % DAY_SECONDS;
    return to < from ? second >= from || second < to : second >= from && second < to;
  };
}

/** Returns the seconds after midnight UTC of a time such as `16:30:00Z` or `08:00:00+08:00`. */
const secondOfDay = (time: string): number => (Date.parse(`1970-01-02T${time}`) / 1000) % DAY_SECONDS;
