/** A comparison with a number. */
export type Comparison = '>' | '>=' | '<' | '<=';

/** Condition of a filter on its field. */
export type Match =
  /** One of the values; at least one. */
  | { readonly kind: 'any'; readonly values: readonly string[] }
  | { readonly kind: 'compare'; readonly op: Comparison; readonly value: number }
  /** Both bounds are included. */
  | { readonly kind: 'between'; readonly low: number; readonly high: number };

/** One condition on a field. All filters of a page must hold. */
export interface Filter {
  readonly field: string;
  /** The condition must not hold. */
  readonly not: boolean;
  readonly match: Match;
}

/** Maximum number of values of one filter, as the API has it. */
export const VALUES_MAX = 50;

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const COMPARE = /^(>=|<=|>|<)(.*)$/s;
/** In a field. */
const FIELD_SPECIAL = /[\\:]/g;
/** In a value, anywhere; and at its beginning. */
const VALUE_SPECIAL = /[\\,]|\.(?=\.)|^[!<>]/g;

/**
 * Writes a filter as one parameter: `key:a,b`, `status:!5xx`, `cost:>1.5`, `response_time:100..500`.
 * A backslash marks a sign of the grammar that belongs to the name or the value.
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

/** Reads what `encodeFilter` writes. Null: the text is no filter. */
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

/** Index of a sign that no backslash precedes; -1 for none. */
function unescapedAt(text: string, sign: string): number {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(sign, at)) return at;
  }
  return -1;
}

/** Null: the text ends with a backslash that marks nothing. */
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

/** Writes -0 as 0. */
const numberText = (value: number): string => String(value === 0 ? 0 : value);

/** Whether two filters demand the same. */
export const isSameFilter = (one: Filter, other: Filter): boolean =>
  encodeFilter(one) === encodeFilter(other);
