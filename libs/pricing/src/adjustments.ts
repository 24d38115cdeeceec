import type { PriceCard, Unit, UnitPrices } from './catalogue';
import type { Factor } from './lines';
import { scaleDecimal } from './money';

/**
 * Compiled `pricing_adjustments` of an integration: the factor of each unit's price, in millionths.
 */
export interface Adjustments {
  readonly factor: Factor;
  /**
   * Gives each token kind that has a factor but no own price the price of the total it is part of.
   */
  split(card: PriceCard): PriceCard;
}

export const MILLION = 1_000_000;

/**
 * Names of units in the public API, and the total that a unit is part of. A kind of token that a
 * usage does not count separately (predicted and text tokens) has the factor of its total.
 */
const NAMES: Readonly<
  Record<Exclude<Unit, 'requests'>, { readonly name: string; readonly total: Unit | null }>
> = {
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
  const separateUnits = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(
    (unit) => NAMES[unit].total !== null && factors.get(unit) !== null,
  );
  return {
    factor: (unit) =>
      unit.startsWith('image:') ? image : (factors.get(unit) ?? additional.get(unit) ?? fallback),
    split: (card) => ({ ...card, units: withOwnPrices(card.units, separateUnits) }),
  };
}

function withOwnPrices(units: UnitPrices, separateUnits: readonly (keyof typeof NAMES)[]): UnitPrices {
  const own: Partial<Record<Unit, UnitPrices[Unit]>> = { ...units };
  for (const unit of separateUnits) {
    const { total } = NAMES[unit];
    if (own[unit] === undefined && total !== null && own[total] !== undefined) own[unit] = own[total];
  }
  return own as UnitPrices;
}

function factorOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const scaled = typeof value === 'number' ? scaleDecimal(value, 6) : null;
  if (scaled === null) throw new Error('a multiplier must be a number from 0');
  return scaled;
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
