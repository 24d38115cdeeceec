import type { PriceCard, Unit, UnitPrice, UnitPrices } from './catalogue';
import type { Factor } from './lines';
import { scaleDecimal } from './money';

/**
 * Compiled `pricing_adjustments` of an integration: the factor of each unit's price, in millionths.
 */
export interface Adjustments {
  readonly factor: Factor;
  /**
   * Gives each token kind that has a factor but no own price the price of the smallest total that it
   * is part of and that has a price.
   */
  split(card: PriceCard): PriceCard;
}

export const MILLION = 1_000_000;

type TokenUnit = Exclude<Unit, 'requests'>;

/**
 * Names of units in the public API, and the total that a unit is part of. A kind of token that a
 * usage does not count separately (predicted and text tokens) has the factor of its total.
 */
const NAMES: Readonly<Record<TokenUnit, { readonly name: string; readonly total: TokenUnit | null }>> = {
  input: { name: 'request_token', total: null },
  cache_read: { name: 'cache_read_input_token', total: 'input' },
  cache_read_audio: { name: 'cache_read_audio_input_token', total: 'cache_read' },
  cache_write: { name: 'cache_write_input_token', total: 'input' },
  cache_write_1h: { name: 'cache_write_input_token', total: 'cache_write' },
  input_audio: { name: 'request_audio_token', total: 'input' },
  input_image: { name: 'request_image_token', total: 'input' },
  output: { name: 'response_token', total: null },
  output_reasoning: { name: 'reasoning_token', total: 'output' },
  output_audio: { name: 'response_audio_token', total: 'output' },
  output_image: { name: 'response_image_token', total: 'output' },
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Compiles adjustments. Missing factors are `default`, else 1; null when there is nothing to
 * adjust. Throws an Error for a factor that is not a number from 0.
 */
export function compileAdjustments(pricingAdjustments: unknown): Adjustments | null {
  const multiplier = fieldsOf(fieldsOf(pricingAdjustments)?.['multiplier']);
  if (multiplier === null) return null;
  const fallback = factorOf(multiplier['default']) ?? MILLION;
  const image =
    factorOf(multiplier['image.default'] ?? fieldsOf(multiplier['image'])?.['default']) ?? fallback;
  const additional = new Map(
    Object.entries(fieldsOf(multiplier['additional_units']) ?? {}).map(([name, value]) => [
      `additional:${name}`,
      factorOf(value) ?? fallback,
    ]),
  );
  const factors = new Map<string, number | null>(
    Object.entries(NAMES).map(([unit, { name }]) => [unit, factorOf(multiplier[name])]),
  );
  const separateUnits = (Object.keys(NAMES) as TokenUnit[]).filter(
    (unit) => NAMES[unit].total !== null && factors.get(unit) !== null,
  );
  return {
    factor: (unit) =>
      unit.startsWith('image:') ? image : (factors.get(unit) ?? additional.get(unit) ?? fallback),
    split: (card) => ({ ...card, units: withOwnPrices(card.units, separateUnits) }),
  };
}

function withOwnPrices(units: UnitPrices, separateUnits: readonly TokenUnit[]): UnitPrices {
  const own: Partial<Record<Unit, UnitPrice>> = { ...units };
  for (const unit of separateUnits) {
    const price = priceWithin(unit, own);
    if (price !== undefined) own[unit] = price;
  }
  return own;
}

/** Returns the price of the unit, or else of the smallest total that it is part of and that has one. */
function priceWithin(unit: TokenUnit, units: UnitPrices): UnitPrice | undefined {
  for (let at: TokenUnit | null = unit; at !== null; at = NAMES[at].total)
    if (units[at] !== undefined) return units[at];
  return undefined;
}

function factorOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const scaled = typeof value === 'number' ? scaleDecimal(value, 6) : null;
  if (scaled === null) throw new Error('a multiplier must be a number from 0');
  return scaled;
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
