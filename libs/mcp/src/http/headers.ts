import { badRequest, CODES } from '../fault';

/**
 * Headers of a request by lower-case name. A list holds the values of a header that was sent more
 * than once. Built from the raw headers, because Node joins or drops repeated headers.
 */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the header fields of Node's `rawHeaders`, which alternates names and values. */
export function headerFields(raw: readonly string[]): HeaderFields {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string];
    const parsedTypes = fields[name];
    if (parsedTypes === undefined) fields[name] = value;
    else if (typeof parsedTypes === 'string') fields[name] = [parsedTypes, value];
    else parsedTypes.push(value);
  }
  return fields;
}

/**
 * Returns the value of a header that may be sent once; undefined when it is absent. Throws a fault
 * with status 400 and `code` for a repeated header.
 */
export function singleHeader(
  headers: HeaderFields,
  name: string,
  code: number = CODES.invalidRequest,
): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  if (value.length > 1) throw badRequest(code, `The header ${name} is sent more than once.`);
  return value[0];
}

const ACCEPT_LENGTH_MAX = 1_024;

/**
 * Cache of parsed headers; clients use few spellings. When it is full, new spellings are parsed
 * each time.
 */
const parsedTypes = new Map<string, readonly string[]>();
const KNOWN_MAX = 256;
const KNOWN_LENGTH_MAX = 128;

/**
 * Returns the media types of an `Accept` or `Content-Type` header in lower case, without those of
 * weight 0.
 */
export function mediaTypes(text: string): readonly string[] {
  let types = parsedTypes.get(text);
  if (types === undefined) {
    types = typesIn(text);
    if (parsedTypes.size < KNOWN_MAX && text.length <= KNOWN_LENGTH_MAX) parsedTypes.set(text, types);
  }
  return types;
}

const typesIn = (text: string): readonly string[] =>
  text
    .slice(0, ACCEPT_LENGTH_MAX)
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((part) => /^q=0(?:\.0{0,3})?$/.test(part)))
    .map(([type = '']) => type);

/** Returns whether an `Accept` header allows a media type, by name or by wildcard. */
export function accepts(accept: string, type: string): boolean {
  const types = mediaTypes(accept);
  return (
    types.includes(type) || types.includes('*/*') || types.includes(`${type.slice(0, type.indexOf('/'))}/*`)
  );
}
