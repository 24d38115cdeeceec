/** Parameters of a URL in order; a key may be repeated. */
export type SearchPairs = readonly (readonly [key: string, value: string])[];

/** Escapes of characters that a query string may contain unescaped. */
const READABLE = /%(?:3A|2C|3E|3C|21|2F|40|7E|5B|5D|28|29|2A)/g;

/** Parses a query string, with or without the question mark. Invalid escapes stay unchanged. */
export function parsePairs(text: string): SearchPairs {
  const pairs: (readonly [string, string])[] = [];
  for (const part of text.replace(/^\?/, '').split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const key = equals < 0 ? part : part.slice(0, equals);
    pairs.push([decoded(key), equals < 0 ? '' : decoded(part.slice(equals + 1))]);
  }
  return pairs;
}

/** Formats a query string without the question mark; empty for no pairs. */
export const writePairs = (pairs: SearchPairs): string =>
  pairs.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&');

/** Replaces lone surrogates, which cannot be URL-encoded. */
const wellFormed = (text: string): string =>
  text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');

const encoded = (text: string): string =>
  encodeURIComponent(wellFormed(text))
    .replace(READABLE, (escape) => decodeURIComponent(escape))
    .replaceAll('%20', '+');

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Parameters as the router stores them: a value, or a list of values for a repeated key. */
export type SearchRecord = Readonly<Record<string, string | readonly string[]>>;

/**
 * `parseSearch` function of the router. All values stay strings, so that codecs of pages see no
 * numbers or objects.
 */
export function parseSearch(text: string): SearchRecord {
  const record: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (const [key, value] of parsePairs(text)) {
    const before = record[key];
    record[key] = before === undefined ? value : [...(typeof before === 'string' ? [before] : before), value];
  }
  return { ...record };
}

/**
 * `stringifySearch` function of the router. The result begins with a question mark unless it is
 * empty.
 */
export function stringifySearch(record: Readonly<Record<string, unknown>>): string {
  const text = writePairs(pairsOf(record));
  return text === '' ? '' : `?${text}`;
}

/** Flattens a record of parameters; omits values other than strings, numbers and booleans. */
export function pairsOf(record: Readonly<Record<string, unknown>>): SearchPairs {
  return Object.entries(record).flatMap(([key, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value])
      .filter((one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
      .map((one) => [key, String(one)] as const),
  );
}
