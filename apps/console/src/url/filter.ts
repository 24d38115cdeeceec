/** A comparison with a number. */
export type Comparison = '>' | '>=' | '<' | '<=';

/** Condition of a filter on its field. */
export type Match =
  /** Matches any of the values; there is at least one. */
  | { readonly kind: 'any'; readonly values: readonly string[] }
  | { readonly kind: 'compare'; readonly op: Comparison; readonly value: number }
  /** Matches from `low` to `high`, both included. */
  | { readonly kind: 'between'; readonly low: number; readonly high: number };

/** One condition on a field. All filters of a page must hold. */
export interface Filter {
  readonly field: string;
  /** True to negate the condition. */
  readonly not: boolean;
  readonly match: Match;
}

/** Maximum number of values of one filter, the same as in the API. */
export const VALUES_MAX = 50;

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const COMPARE = /^(>=|<=|>|<)(.*)$/s;
/** Characters to escape in a field. */
const FIELD_SPECIAL = /[\\:]/g;
/** Characters to escape in a value: some anywhere, some at its beginning only. */
const VALUE_SPECIAL = /[\\,]|\.(?=\.)|^[!<>]/g;

/**
 * Encodes a filter as one parameter: `key:a,b`, `status:!5xx`, `cost:>1.5`,
 * `response_time:100..500`. A backslash escapes special characters within the name or value.
 */
export function encodeFilter({ field, not, match }: Filter): string {
  return `${field.replace(FIELD_SPECIAL, '\\$&')}:${not ? '!' : ''}${encodeMatch(match)}`;
}

function encodeMatch(match: Match): string {
  switch (match.kind) {
    case 'any':
      return match.values.map((value) => value.replace(VALUE_SPECIAL, '\\$&')).join(',');
    case 'compare':
      return `${match.op}${numberText(match.value)}`;
    case 'between':
      return `${numberText(match.low)}..${numberText(match.high)}`;
  }
}

/** Parses the output of `encodeFilter`; null when the text is not a filter. */
export function decodeFilter(text: string): Filter | null {
  const colon = unescapedAt(text, ':');
  if (colon <= 0) return null;
  const field = unescaped(text.slice(0, colon));
  const rest = text.slice(colon + 1);
  const not = rest.startsWith('!');
  const match = field === null ? null : decodeMatch(not ? rest.slice(1) : rest);
  return field === null || match === null ? null : { field, not, match };
}

function decodeMatch(text: string): Match | null {
  const compared = COMPARE.exec(text);
  if (compared !== null) {
    const value = numberOf(compared[2] ?? '');
    return value === null ? null : { kind: 'compare', op: compared[1] as Comparison, value };
  }
  const dots = unescapedAt(text, '..');
  if (dots >= 0) {
    const [low, high] = [numberOf(text.slice(0, dots)), numberOf(text.slice(dots + 2))];
    return low === null || high === null || low > high ? null : { kind: 'between', low, high };
  }
  const values = splitValues(text);
  if (values.length === 0 || values.length > VALUES_MAX) return null;
  const read = values.map(unescaped);
  return read.some((value) => value === null || value === '')
    ? null
    : { kind: 'any', values: read as string[] };
}

function splitValues(text: string): string[] {
  const values: string[] = [];
  let rest = text;
  for (;;) {
    const comma = unescapedAt(rest, ',');
    if (comma < 0) return [...values, rest];
    values.push(rest.slice(0, comma));
    rest = rest.slice(comma + 1);
  }
}

/** Index of the first unescaped `sign`; -1 for none. */
function unescapedAt(text: string, sign: string): number {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(sign, at)) return at;
  }
  return -1;
}

/** Removes escapes; null when the text ends with a lone backslash. */
function unescaped(text: string): string | null {
  let plain = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    if (at === text.length) return null;
    plain += text[at] ?? '';
  }
  return plain;
}

const numberOf = (text: string): number | null => {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
};

/** Formats a number; -0 becomes 0. */
const numberText = (value: number): string => String(value === 0 ? 0 : value);

/** Whether two filters are equal. */
export const isSameFilter = (one: Filter, other: Filter): boolean =>
  encodeFilter(one) === encodeFilter(other);
