/** Parameters of a URL in their order; a key may be repeated. */
export type SearchPairs = readonly (readonly [key: string, value: string])[];

/** Signs that may stay readable in a query string. */
const READABLE = /%(?:3A|2C|3E|3C|21|2F|40|7E|5B|5D|28|29|2A)/g;

/** Reads a query string, with or without its question mark. Broken escapes stay as they are. */
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

/** Writes a query string without a question mark; empty for no pairs. */
export const writePairs = (pairs: SearchPairs): string =>
  pairs.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&');

/** A text with a lone half of a surrogate pair cannot be written; the half is replaced. */
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

/** Parameters as a router keeps them: a value, or a list of the values of a repeated key. */
export type SearchRecord = Readonly<Record<string, string | readonly string[]>>;

/** For `parseSearch` of the router. Values stay texts: no page's codec sees numbers or objects. */
export function parseSearch(text: string): SearchRecord {
  const record: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (const [key, value] of parsePairs(text)) {
    const before = record[key];
    record[key] = before === undefined ? value : [...(typeof before === 'string' ? [before] : before), value];
  }
  return { ...record };
}

/** For `stringifySearch` of the router: with a question mark unless there is nothing to write. */
export function stringifySearch(record: Readonly<Record<string, unknown>>): string {
  const text = writePairs(pairsOf(record));
  return text === '' ? '' : `?${text}`;
}

/** Flattens a record of parameters; what is neither text, number nor boolean is left out. */
export function pairsOf(record: Readonly<Record<string, unknown>>): SearchPairs {
  return Object.entries(record).flatMap(([key, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value])
      .filter((one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
      .map((one) => [key, String(one)] as const),
  );
}
