/** From here on, `toFixed` writes exponents. */
const SIZE_MAX = 1e21;

/**
 * A finite number or a whole one as `Intl.NumberFormat('en')` writes it, with so many decimals. Not by `Intl`, of which the first format takes
 * tens of milliseconds. Null: it cannot tell.
 */
export function english(value: number | bigint, minimum: number, maximum: number): string | null {
  if (typeof value === 'bigint')
    return value < 0n ? `-${thousands(String(-value))}` : thousands(String(value));
  const size = Math.abs(value);
  if (!(size < SIZE_MAX)) return null;
  const [whole = '', decimals = ''] = size.toFixed(maximum).split('.');
  let end = decimals.length;
  while (end > minimum && decimals[end - 1] === '0') end -= 1;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + thousands(whole) + (end === 0 ? '' : `.${decimals.slice(0, end)}`);
}

const thousands = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
