import { english } from './english';

const UNKNOWN = '–';
/** Count from which tiles use the compact form. */
const COMPACT_FROM = 100_000;
/** Typographic minus sign, which is as wide as a plus. */
export const MINUS = '−';

const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) formats.set(key, (format = new Intl.NumberFormat(locale, options)));
  return format;
}

/** Formats a number with `minimum` to `maximum` decimals. */
function decimal(value: number | bigint, minimum: number, maximum: number, locale: string): string {
  const text = locale === 'en' ? english(value, minimum, maximum) : null;
  const options = { minimumFractionDigits: minimum, maximumFractionDigits: maximum };
  return text ?? numberFormat(locale, options).format(value);
}

/** Decimal point and group separator of a locale. */
export function separators(locale: string): { readonly point: string; readonly group: string } {
  if (locale === 'en') return { point: '.', group: ',' };
  const parts = numberFormat(locale, {}).formatToParts(1_234_567.5);
  const of = (type: string, otherwise: string): string =>
    parts.find((part) => part.type === type)?.value ?? otherwise;
  return { point: of('decimal', '.'), group: of('group', ',') };
}

/** Formats a whole number with group separators. */
export const grouped = (value: bigint | number, locale = 'en'): string =>
  decimal(value, 0, 0, locale).replace('-', MINUS);

const fixed = (value: number, places: number, locale: string): string =>
  decimal(value, places, places, locale);

/** Formats a count, such as `184,203`. Unknown is `–`. */
export const count = (value: number | null | undefined, locale = 'en'): string =>
  isKnown(value) ? grouped(value, locale) : UNKNOWN;

/**
 * Formats a count for a tile: all digits below 100,000, otherwise at most three digits, such as
 * `1.24M`.
 */
export function compactCount(value: number | null | undefined, locale = 'en'): string {
  if (!isKnown(value)) return UNKNOWN;
  if (Math.abs(value) < COMPACT_FROM) return grouped(value, locale);
  if (locale === 'en') return compactEnglish(value).replace('-', MINUS);
  const options = { notation: 'compact', maximumSignificantDigits: 3 } as const;
  return numberFormat(locale, options).format(value).replace('-', MINUS).replace(/K$/, 'k');
}

/** Formats like `Intl` does for English, without its first call; see `english`. */
function compactEnglish(value: number): string {
  const digits = Number(value.toPrecision(3));
  const at = Math.min(4, Math.floor(Math.log10(Math.abs(digits)) / 3));
  const scaled = digits / 1000 ** at;
  return decimal(scaled, 0, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(scaled)))), 'en') + COMPACT[at];
}
const COMPACT = ['', 'k', 'M', 'B', 'T'];

/**
 * Formats a ratio (0 to 1) as a percentage with one decimal, or two below 1 %. Only 0 reads as 0 %
 * and only 1 as 100 %; others become `<0.01 %` or `>99.9 %`.
 */
export function percent(ratio: number | null | undefined, locale = 'en'): string {
  if (!isKnown(ratio)) return UNKNOWN;
  const sign = ratio < 0 ? MINUS : '';
  const value = Math.abs(ratio) * 100;
  if (value === 0 || value === 100) return `${sign}${value} %`;
  if (value < 0.005) return `${sign}<${fixed(0.01, 2, locale)} %`;
  if (value < 100 && value >= 99.95) return `${sign}>${fixed(99.9, 1, locale)} %`;
  return `${sign}${fixed(value, value < 0.995 ? 2 : 1, locale)} %`;
}

/**
 * Formats a change as a signed percentage, such as `+12.4 %`, or the change of a rate in percentage
 * points, such as `+0.11 pt`.
 */
export function change(value: number | null | undefined, unit: 'ratio' | 'points', locale = 'en'): string {
  if (!isKnown(value)) return UNKNOWN;
  const size = Math.abs(value) * 100;
  const places = unit === 'points' ? 2 : 1;
  const text = fixed(size, places, locale);
  const isNone = Number(size.toFixed(places)) === 0;
  const sign = isNone ? '' : value < 0 ? MINUS : '+';
  return `${sign}${text} ${unit === 'points' ? 'pt' : '%'}`;
}

/** Direction of a formatted change; `none` when it rounds to zero. */
export const directionOf = (text: string): 'up' | 'down' | 'none' =>
  text.startsWith('+') ? 'up' : text.startsWith(MINUS) ? 'down' : 'none';

/** Formats bytes by powers of 1,000, such as `512 B` or `1.2 MB`. */
export function bytes(value: number | null | undefined, locale = 'en'): string {
  if (!isKnown(value)) return UNKNOWN;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = value;
  let at = 0;
  while (size >= 999.95 && at < units.length - 1) {
    size /= 1000;
    at += 1;
  }
  return `${fixed(size, at === 0 ? 0 : 1, locale)} ${units[at] ?? 'TB'}`;
}

/** Formats a number with at most `maximum` decimals. */
export const decimalText = (value: number, maximum: number, locale = 'en'): string =>
  decimal(value, 0, maximum, locale);

/** Formats a number with at most two decimals, for rates such as `61` or `2.13`. */
export const plain = (value: number | null | undefined, locale = 'en'): string =>
  isKnown(value) ? decimal(value, 0, value >= 10 ? 0 : 2, locale).replace('-', MINUS) : UNKNOWN;

/** Text for an unknown value. */
export const unknown = UNKNOWN;

function isKnown(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
