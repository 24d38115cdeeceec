import type { ErrorDetail } from '@gw/kernel';

type Fields = Readonly<Record<string, unknown>>;

/** Units of tokens, which can have a price and a factor. */
const TOKEN_UNITS = [
  'request_token',
  'response_token',
  'cache_read_input_token',
  'cache_write_input_token',
  'cache_read_audio_input_token',
  'request_audio_token',
  'response_audio_token',
  'reasoning_token',
  'prediction_accepted_token',
  'prediction_rejected_token',
  'request_image_token',
  'response_image_token',
  'request_text_token',
  'response_text_token',
  'cache_read_image_input_token',
  'cache_read_text_input_token',
  'cache_write_text_input_token',
  'cache_write_image_input_token',
] as const;

const PRICED: ReadonlySet<string> = new Set(TOKEN_UNITS);
const ADJUSTED: ReadonlySet<string> = new Set(['default', 'image.default', ...TOKEN_UNITS]);
const ADDITIONAL_UNITS_MAX = 64;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Maximum price in US cents per unit. Prices above about 9,007.199 cannot be counted
 * (`@gw/pricing`).
 */
const PRICE_MAX = 9_000;
const FACTOR_MAX = 1_000;

const isAmount = (value: unknown, max: number): value is number =>
  typeof value === 'number' && value >= 0 && value <= max;

/** Returns a fault for each member that is not in `known`. */
const unknownMemberFaults = (value: Fields, known: ReadonlySet<string>, path: string): ErrorDetail[] =>
  Object.keys(value)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: `${path}.${name}`, message: 'is unknown; remove it' }));

/**
 * Returns the faults of `{ multiplier: { default?, request_token?, …, additional_units? } }`. A
 * factor is null or a number from 0 to 1,000. `additional_units` has at most 64 units, whose names
 * are not checked.
 */
export function pricingAdjustmentFaults(value: Fields, path: string): ErrorDetail[] {
  const faults = unknownMemberFaults(value, new Set(['multiplier']), path);
  const { multiplier } = value as { multiplier?: unknown };
  if (multiplier === undefined) return faults;
  const at = `${path}.multiplier`;
  if (!isFields(multiplier)) return [...faults, { path: at, message: 'must be an object' }];
  const { additional_units: additional, ...factors } = multiplier;
  faults.push(...unknownMemberFaults(factors, ADJUSTED, at), ...factorFaults(factors, at));
  if (additional === undefined) return faults;
  if (!isFields(additional) || Object.keys(additional).length > ADDITIONAL_UNITS_MAX) {
    const message = `must be an object of at most ${String(ADDITIONAL_UNITS_MAX)} units`;
    return [...faults, { path: `${at}.additional_units`, message }];
  }
  return [...faults, ...factorFaults(additional, `${at}.additional_units`)];
}

const factorFaults = (factors: Fields, path: string): ErrorDetail[] =>
  Object.entries(factors)
    .filter(([, factor]) => factor !== null && !isAmount(factor, FACTOR_MAX))
    .map(([name]) => ({
      path: `${path}.${name}`,
      message: `must be a number from 0 to ${String(FACTOR_MAX)}, or null`,
    }));

/**
 * Returns the faults of `{ type: 'static', pay_as_you_go: { request_token: { price }, … } }`. A
 * price is in US cents per unit, from 0 to 9,000. Prices of request and response tokens are
 * required, so that all usage of a custom model is billed.
 */
export function pricingConfigFaults(value: Fields, path: string): ErrorDetail[] {
  const faults = unknownMemberFaults(value, new Set(['type', 'pay_as_you_go']), path);
  if (value['type'] !== undefined && value['type'] !== 'static') {
    faults.push({ path: `${path}.type`, message: 'must be static' });
  }
  const prices = value['pay_as_you_go'];
  const at = `${path}.pay_as_you_go`;
  if (!isFields(prices)) return [...faults, { path: at, message: 'must be an object of unit prices' }];
  faults.push(...unknownMemberFaults(prices, PRICED, at));
  for (const unit of ['request_token', 'response_token']) {
    if (prices[unit] === undefined) faults.push({ path: `${at}.${unit}`, message: 'is required' });
  }
  for (const [unit, price] of Object.entries(prices)) {
    if (!isFields(price) || !isAmount(price['price'], PRICE_MAX)) {
      faults.push({
        path: `${at}.${unit}.price`,
        message: `must be a number from 0 to ${String(PRICE_MAX)}, in US cents`,
      });
    }
  }
  return faults;
}
