import { grouped, separators } from './numbers';

/** Units of 1e-8 USD in one dollar. */
export const E8_PER_USD = 100_000_000n;

/** Source of a cost (`priced` of a log). */
export type Priced = 'priced' | 'unpriced' | 'no_usage' | 'estimated';

const INTEGER = /^-?\d{1,30}$/;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/;
/** Amount from which `humanMoney` shortens to thousands, millions or more. */
const SHORT_FROM = 100_000n * E8_PER_USD;
const SHORT_UNITS: readonly (readonly [suffix: string, usd: bigint])[] = [
  ['k', 1_000n],
  ['M', 1_000_000n],
  ['B', 1_000_000_000n],
  ['T', 1_000_000_000_000n],
];

/**
 * Parses an exact amount of the API, an integer of 1e-8 USD as text. Null for anything else, so
 * that a broken amount shows as unknown and never as zero.
 */
export function parseE8(text: string | null | undefined): bigint | null {
  return typeof text === 'string' && INTEGER.test(text) ? BigInt(text) : null;
}

/**
 * Converts dollars, such as a budget, to 1e-8 USD. Null for null and for numbers that are not
 * finite.
 */
export const e8OfUsd = (usd: number | null | undefined): bigint | null => e8OfDecimal(usd, 8);

/** Converts US cents, such as a filter on cost, to 1e-8 USD. Null as for `e8OfUsd`. */
export const e8OfCents = (cents: number | null | undefined): bigint | null => e8OfDecimal(cents, 6);

/** Shifts the decimal point as text, because a product of floats has a rounding error. */
function e8OfDecimal(value: number | null | undefined, places: number): bigint | null {
  const match = value === null || value === undefined ? null : DECIMAL.exec(String(value));
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const shift = places - fraction.length + Number(exponent);
  const size =
    shift >= 0 ? BigInt(digits) * 10n ** BigInt(shift) : divided(BigInt(digits), 10n ** BigInt(-shift));
  return sign === '-' ? -size : size;
}

/** An exact amount in two parts: the tail, the last four of its eight decimals, is shown dimmed. */
export interface ExactMoney {
  readonly head: string;
  readonly tail: string;
}

/** Splits `0.00342000` into `0.0034` and `2000`; zero is `0`. */
export function exactMoney(e8: bigint): ExactMoney {
  if (e8 === 0n) return { head: '0', tail: '' };
  const text = decimal(e8, 8);
  return { head: text.slice(0, -4), tail: text.slice(-4) };
}

/** Formats exact US dollars with eight decimals, such as `0.00342000`; zero is `0`. */
export function exactMoneyText(e8: bigint): string {
  const { head, tail } = exactMoney(e8);
  return head + tail;
}

/** Parses the output of `exactMoneyText`; null for anything else. */
export function parseExactMoney(text: string): bigint | null {
  if (text === '0') return 0n;
  const match = /^(−?)(\d+)\.(\d{8})$/.exec(text);
  if (match === null) return null;
  const size = BigInt(`${match[2]}${match[3]}`);
  return match[1] === '' ? size : -size;
}

/**
 * Formats money for people: two decimals from $1 on, four from $0.01 on, all eight below, and three
 * digits with `k`, `M`, `B` or `T` from $100,000 on. An amount other than zero never reads as zero.
 */
export function humanMoney(e8: bigint, locale = 'en'): string {
  const size = e8 < 0n ? -e8 : e8;
  const sign = e8 < 0n ? '−' : '';
  if (size === 0n) return '$0';
  if (size >= SHORT_FROM) return `${sign}$${shortened(size, locale)}`;
  if (size >= E8_PER_USD) return `${sign}$${rounded(size, 2, locale)}`;
  if (size >= E8_PER_USD / 100n) return `${sign}$${rounded(size, 4, locale)}`;
  return `${sign}$${rounded(size, 8, locale).replace(/(?<!0)0+$/, '')}`;
}

/** Formats a price per million units, given in 1e-8 USD: `$2.50`, `$10`, `$0.075`. */
export function pricePerMillion(e8: bigint, locale = 'en'): string {
  const { point } = separators(locale);
  const [whole = '0', fraction = ''] = rounded(e8 < 0n ? -e8 : e8, 8, locale).split(point);
  const digits = fraction.replace(/(?<!0)0+$/, '');
  const shown = digits === '' ? '' : point + digits.padEnd(2, '0');
  return `${e8 < 0n ? '−' : ''}$${whole}${shown}`;
}

function shortened(size: bigint, locale: string): string {
  let text = '';
  for (const [suffix, usd] of SHORT_UNITS) {
    const unit = usd * E8_PER_USD;
    if (text !== '' && size < unit - unit / 2000n) break;
    const places = size < unit * 10n - unit / 200n ? 2 : size < unit * 100n - unit / 20n ? 1 : 0;
    const scaled = divided(size * 10n ** BigInt(places), unit);
    text = placed(scaled, places, locale) + suffix;
  }
  return text;
}

const rounded = (size: bigint, places: number, locale: string): string =>
  placed(divided(size, 10n ** BigInt(8 - places)), places, locale);

/** Formats a number given as `digits`, the number times ten to the power of `places`. */
function placed(digits: bigint, places: number, locale: string): string {
  const unit = 10n ** BigInt(places);
  const whole = grouped(digits / unit, locale);
  if (places === 0) return whole;
  return whole + separators(locale).point + String(digits % unit).padStart(places, '0');
}

function decimal(e8: bigint, places: number): string {
  const size = e8 < 0n ? -e8 : e8;
  const text = String(size).padStart(places + 1, '0');
  return `${e8 < 0n ? '−' : ''}${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** Division of two positive numbers, rounded half up. */
const divided = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor / 2n) / divisor;
