import type { PriceCard, Unit, UnitPrice } from './catalogue';
import { scaleDecimal } from './money';

/** Validated prices of one provider's models, from a file or a service. */
export interface PriceFile {
  /** Returns the card of a model at a time in Unix milliseconds; null when the file has none. */
  cardAt(model: string, at: number): PriceCard | null;
  readonly models: number;
}

interface DatedCard {
  readonly from: number;
  readonly card: PriceCard;
}

type Fields = Readonly<Record<string, unknown>>;

/** More models than any provider has. A much larger file is refused as a whole. */
const MODELS_MAX = 20_000;
const PRICES_PER_MODEL_MAX = 1_000;
/** Converts US cents per unit to 1e-8 USD per million: 10^-2 × 10^6 × 10^8. */
const CENTS_SCALE = 12;

const UNITS: Readonly<Record<string, Unit>> = {
  request_token: 'input',
  response_token: 'output',
  cache_read_input_token: 'cache_read',
  cache_write_input_token: 'cache_write',
  cache_read_audio_input_token: 'cache_read_audio',
  request_audio_token: 'input_audio',
  response_audio_token: 'output_audio',
  reasoning_token: 'output_reasoning',
  request_image_token: 'input_image',
  response_image_token: 'output_image',
};

/**
 * Parses `{ <model>: { pricing_config: { pay_as_you_go, currency } } }`; the inner object may also
 * be given without `pricing_config`. A model may have a list of them, each with `effective_from`.
 * Prices are US cents per unit.
 * Throws an Error that names the first invalid place: a file is accepted as a whole or not at all.
 */
export function parsePriceFile(document: unknown): PriceFile {
  const models = fields(document, 'the file');
  const names = Object.keys(models);
  if (names.length === 0) throw new Error('the file has no models');
  if (names.length > MODELS_MAX) throw new Error(`the file has more than ${String(MODELS_MAX)} models`);
  const cards = new Map(names.map((name) => [name, datedCards(models[name], name)]));
  return {
    models: names.length,
    cardAt(model, at) {
      const dated = cards.get(model);
      return dated?.findLast(({ from }) => from <= at)?.card ?? null;
    },
  };
}

/**
 * Parses one `pricing_config`, the price of a custom model. Throws an Error that names the invalid
 * place.
 */
export function parsePricingConfig(value: unknown, path = 'pricing_config'): PriceCard {
  const config = fields(value, path);
  const currency = config['currency'];
  if (currency !== undefined && currency !== 'USD') throw new Error(`${path}.currency must be USD`);
  const prices = fields(config['pay_as_you_go'], `${path}.pay_as_you_go`);
  const batchMillionths = batchOf(config['batch_multiplier'], `${path}.batch_multiplier`);
  return { ...cardOf(prices, `${path}.pay_as_you_go`), batchMillionths };
}

function datedCards(value: unknown, path: string): readonly DatedCard[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (entries.length === 0) throw new Error(`${path} has no price`);
  if (entries.length > PRICES_PER_MODEL_MAX)
    throw new Error(`${path} has more than ${String(PRICES_PER_MODEL_MAX)} prices`);
  return entries
    .map((entry, index) => {
      const at = Array.isArray(value) ? `${path}.${String(index)}` : path;
      const outer = fields(entry, at);
      const inner = outer['pricing_config'] ?? outer;
      return { from: timeOf(outer['effective_from'], at), card: parsePricingConfig(inner, at) };
    })
    .sort((one, other) => one.from - other.from);
}

function cardOf(prices: Fields, path: string): Omit<PriceCard, 'batchMillionths'> {
  const units: Partial<Record<Unit, UnitPrice>> = {};
  let additional: Record<string, number> = {};
  let images: PriceCard['images'] = {};
  for (const [name, value] of Object.entries(prices)) {
    const at = `${path}.${name}`;
    if (value === null || value === undefined) continue;
    if (name === 'additional_units') additional = priceMap(fields(value, at), at);
    else if (name === 'image') images = imagesOf(fields(value, at), at);
    else {
      const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
      const base = priceOf(value, at);
      // A unit that no usage counts separately is validated and left in its total.
      if (unit !== undefined) units[unit] = { base, tiers: tiersOf(value, at, base) };
    }
  }
  return { units, additional, images };
}

function batchOf(value: unknown, path: string): number | null {
  if (value === undefined || value === null) return null;
  const scaled = typeof value === 'number' ? scaleDecimal(value, 6) : null;
  if (scaled === null) throw new Error(`${path} must be a number from 0`);
  return scaled;
}

const imagesOf = (value: Fields, path: string): PriceCard['images'] =>
  Object.fromEntries(
    Object.entries(value).map(([quality, sizes]) => [
      quality,
      priceMap(fields(sizes, `${path}.${quality}`), `${path}.${quality}`),
    ]),
  );

const priceMap = (value: Fields, path: string): Record<string, number> =>
  Object.fromEntries(Object.entries(value).map(([name, price]) => [name, priceOf(price, `${path}.${name}`)]));

function priceOf(value: unknown, path: string): number {
  const { price } = fields(value, path);
  const scaled = typeof price === 'number' ? scaleDecimal(price, CENTS_SCALE) : null;
  if (scaled === null) throw new Error(`${path}.price must be a number from 0, in US cents`);
  return scaled;
}

/**
 * Parses `tiers: [{ start, price }]`: above `start` input tokens the whole request has the tier's
 * price.
 */
function tiersOf(value: unknown, path: string, base: number): UnitPrice['tiers'] {
  const { tiers } = fields(value, path);
  if (tiers === undefined) return [];
  if (!Array.isArray(tiers) || tiers.length > 16)
    throw new Error(`${path}.tiers must be a list of at most 16`);
  return tiers
    .map((tier: unknown, index) => {
      const at = `${path}.tiers.${String(index)}`;
      const { start } = fields(tier, at);
      if (!Number.isSafeInteger(start) || Number(start) < 0)
        throw new Error(`${at}.start must be a whole number`);
      return { start: Number(start), price: priceOf(tier, at) };
    })
    .sort((one, other) => one.start - other.start)
    .filter(({ price, start }) => price !== base || start > 0);
}

function timeOf(value: unknown, path: string): number {
  if (value === undefined || value === null) return -Infinity;
  const at = typeof value === 'string' ? Date.parse(value) : NaN;
  if (Number.isNaN(at)) throw new Error(`${path}.effective_from must be a date`);
  return at;
}

function fields(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${path} must be an object`);
  return value as Fields;
}
