declare const unit: unique symbol;
type Branded<T, Name extends string> = T & { readonly [unit]: Name };

/** US cents, the unit of analytics and of log filters. */
export type Cents = Branded<number, 'cents'>;
/** US dollars, the unit of budgets. */
export type Usd = Branded<number, 'usd'>;
/** Exact amount: an integer number of 1e-8 USD. */
export type E8 = Branded<bigint, 'e8'>;

const E8_PER_USD = 100_000_000;
const E8_PER_CENT = 1_000_000;
const DECIMALS = 8;

export const cents = (value: number): Cents => value as Cents;
export const usd = (value: number): Usd => value as Usd;
/** Parses an exact amount such as `cost_exact`; null when the text is not an integer. */
export const e8 = (text: string): E8 | null => (/^-?\d{1,30}$/.test(text) ? (BigInt(text) as E8) : null);

/**
 * Converts US dollars. Exact below 67 million USD with at most 8 decimals; otherwise rounds to 1e-8
 * USD.
 */
export const usdToE8 = (value: Usd): E8 => decimalToE8(value, E8_PER_USD);
/**
 * Converts US cents. Exact below 8 billion cents with at most 6 decimals; otherwise rounds to 1e-8
 * USD.
 */
export const centsToE8 = (value: Cents): E8 => decimalToE8(value, E8_PER_CENT);

/**
 * Converts through the decimal text of the number, because a product of floats can be off by one
 * unit.
 */
function decimalToE8(value: number, factor: number): E8 {
  const places = Math.round(Math.log10(factor));
  const [whole = '0', fraction = ''] = Math.abs(value).toFixed(places).split('.');
  const amount = BigInt(whole + fraction.padEnd(places, '0'));
  return (value < 0 ? -amount : amount) as E8;
}

export const addE8 = (amounts: readonly E8[]): E8 =>
  amounts.reduce<bigint>((total, amount) => total + amount, 0n) as E8;

/** US dollars as a float, for the axes and bars of charts only. */
export const approximateUsd = (amount: E8): Usd => usd(Number(amount) / E8_PER_USD);

/** Formats US dollars with all eight decimals, such as `0.00342000`. */
export function exactText(amount: E8): string {
  const value: bigint = amount;
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
