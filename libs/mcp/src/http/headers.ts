import { badRequest, CODES } from '../fault';

/**
 * Headers of a request by lower-case name. A list is a header that was sent more than once. Build
 * it from the raw headers, because Node joins or drops repeated ones.
 */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Header fields of Node's `rawHeaders`: names and values in turn. */
export function headerFields(raw: readonly string[]): HeaderFields {
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string];
    const known = fields[name];
    if (known === undefined) fields[name] = value;
    else if (typeof known === 'string') fields[name] = [known, value];
    else known.push(value);
  }
  return fields;
}

/**
 * The value of a header that may be sent once; undefined when it is absent. Throws 400 with the
 * code for a header that is sent twice.
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
 * Types by header, which clients spell in few ways; at the cap, new spellings are read each time.
 */
const known = new Map<string, readonly string[]>();
const KNOWN_MAX = 256;
const KNOWN_LENGTH_MAX = 128;

/** Media types of an `Accept` or `Content-Type` header in lower case, without those of weight 0. */
export function mediaTypes(text: string): readonly string[] {
  let types = known.get(text);
  if (types === undefined) {
    types = typesIn(text);
    if (known.size < KNOWN_MAX && text.length <= KNOWN_LENGTH_MAX) known.set(text, types);
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

/** Whether an `Accept` header allows a media type, by name or by wildcard. */
export function accepts(accept: string, type: string): boolean {
  const types = mediaTypes(accept);
  return (
    types.includes(type) || types.includes('*/*') || types.includes(`${type.slice(0, type.indexOf('/'))}/*`)
  );
}
