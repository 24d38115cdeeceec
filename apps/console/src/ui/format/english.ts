/** Size from which JavaScript writes numbers with exponents. */
const SIZE_MAX = 1e21;
/** Digits between commas. */
const GROUP = 3;

/**
 * Formats a finite number or a bigint like `Intl.NumberFormat('en')` with `minimum` to `maximum`
 * decimals. Does not use `Intl`, whose first call takes tens of milliseconds. Null when the number
 * is too large.
 */
export function english(value: number | bigint, minimum: number, maximum: number): string | null {
  if (typeof value === 'bigint')
    return value < 0n ? `-${thousands(String(-value))}` : thousands(String(value));
  const size = Math.abs(value);
  if (!(size < SIZE_MAX)) return null;
  const digits = rounded(size, maximum);
  const whole = digits.slice(0, digits.length - maximum);
  let end = digits.length;
  while (end > whole.length + minimum && digits[end - 1] === '0') end -= 1;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + thousands(whole) + (end === whole.length ? '' : `.${digits.slice(whole.length, end)}`);
}

/**
 * Digits of a number with `decimals` decimals, without the point. Rounds the shortest decimal text
 * of the number, as `Intl` does.
 */
function rounded(size: number, decimals: number): string {
  const [mantissa = '', power = '0'] = String(size).split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const digits = whole + part;
  const kept = whole.length + Number(power) + decimals;
  const below = kept < 0 ? '0' : (digits[kept] ?? '0');
  const number = BigInt(kept <= 0 ? '0' : digits.slice(0, kept).padEnd(kept, '0'));
  return String(below >= '5' ? number + 1n : number).padStart(decimals + 1, '0');
}

function thousands(digits: string): string {
  let end = digits.length;
  let text = '';
  for (; end > GROUP; end -= GROUP) text = `,${digits.slice(end - GROUP, end)}${text}`;
  return digits.slice(0, end) + text;
}
