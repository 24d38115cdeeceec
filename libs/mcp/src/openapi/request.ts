import { isHeaderValue, isObject } from '@gw/kernel';
import { hasPathTraversal } from '../access/path-traversal';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { OpenApiFault } from './document';
import type { HttpOperation, HttpParameter } from './http-operation';

/** The HTTP request of a call, without the base URL and the credential of the integration. */
export interface OpenApiRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Headers that arguments fill, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null: no body is sent. */
  readonly body: string | null;
}

const TARGET_MAX = 8_192;
const HEADERS_MAX = 16_384;
const ITEMS_MAX = 1_000;

/**
 * Writes the request of a tool call: path values are percent-encoded including `/`; empty, `.` and
 * `..` segments, also inside of a value, line breaks in headers and missing required arguments are
 * refused. Throws an `OpenApiFault`, which becomes a tool error.
 */
export function openApiRequest(operation: HttpOperation, args: JsonObject): OpenApiRequest {
  const { method, parameters } = operation;
  const given = parameters.filter((parameter) => isGiven(parameter, args));
  const query = given
    .filter((each) => each.in === 'query')
    .flatMap((each) => queryPairs(each, own(args, each.argument)));
  const target = pathOf(operation, args) + (query.length === 0 ? '' : `?${query.join('&')}`);
  if (target.length > TARGET_MAX) throw new OpenApiFault('The arguments make the URL too long.');
  const headers = given
    .filter((each) => each.in === 'header')
    .map((each) => headerOf(each, own(args, each.argument)));
  if (headers.flat().join('').length > HEADERS_MAX)
    throw new OpenApiFault('The arguments make the headers too long.');
  const body = bodyOf(operation, args);
  return {
    method: method.toUpperCase(),
    target,
    headers: Object.fromEntries(headers),
    body,
  };
}

/** The URL of a request below the base URL that was fixed when the integration was saved. */
export function openApiUrl(baseUrl: URL, { target }: Pick<OpenApiRequest, 'target'>): URL {
  const base = baseUrl.pathname.endsWith('/') ? baseUrl.pathname.slice(0, -1) : baseUrl.pathname;
  const url = new URL(`${baseUrl.origin}${base}${target}`);
  const isBelow = url.origin === baseUrl.origin && url.pathname.startsWith(`${base}/`);
  if (isBelow && url.pathname + url.search === base + target) return url;
  throw new OpenApiFault('The URL leaves the base URL of the integration.');
}

function isGiven({ argument, isRequired }: HttpParameter, args: JsonObject): boolean {
  const value = own(args, argument) ?? null;
  if (value === null && isRequired) throw new OpenApiFault(`The argument ${argument} is required.`);
  return value !== null;
}

function pathOf({ path, parameters }: HttpOperation, args: JsonObject): string {
  const values = new Map(parameters.filter((each) => each.in === 'path').map((each) => [each.name, each]));
  const segments = path.split('/').map((segment) => {
    if (!segment.includes('{')) return segment;
    const filled = segment.replace(/\{([^{}]{1,128})\}/g, (_match, name: string) => {
      const parameter = values.get(name);
      return parameter === undefined ? '' : pathValue(parameter, own(args, parameter.argument));
    });
    if (/^(?:\.|%2e){0,2}$/i.test(filled))
      throw new OpenApiFault('A path argument must not be empty, . or ...');
    return filled;
  });
  return segments.join('/');
}

const DOT_SEGMENT = /(?:^|[\\/])\.(?:[\\/]|$)/;

/** Some servers decode a path before they split it, so that an encoded `../` leads elsewhere too. */
function pathValue(parameter: HttpParameter, value: unknown): string {
  const hasDots = hasPathTraversal(value) || (typeof value === 'string' && DOT_SEGMENT.test(value));
  if (hasDots) throw new OpenApiFault('A path argument must not have the segments `.` and `..`.');
  return parameter.style === 'json' ? encoded(JSON.stringify(value)) : simple(parameter, value);
}

/** Percent-encodes everything but unreserved characters. */
function encoded(value: unknown): string {
  const text = scalarText(value);
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw new OpenApiFault('An argument has a broken surrogate.');
  }
}

function scalarText(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new OpenApiFault(
      'An integer of more than 53 bits may have changed on its way; send it as a string.',
    );
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return String(value);
  if (value === null || value === undefined) return '';
  throw new OpenApiFault(
    'Lists and objects inside of a list or object cannot be written into a URL or header.',
  );
}

const itemsOf = (value: readonly unknown[]): readonly unknown[] => {
  if (value.length > ITEMS_MAX) throw new OpenApiFault(`A list has at most ${String(ITEMS_MAX)} items.`);
  return value;
};

const pairsOf = (value: JsonObject): readonly (readonly [string, unknown])[] => {
  const pairs = Object.entries(value);
  itemsOf(pairs);
  return pairs;
};

/** Style `simple` of OpenAPI, for paths. */
function simple(
  { explode }: HttpParameter,
  value: unknown,
  write: (value: unknown) => string = encoded,
): string {
  if (Array.isArray(value))
    return itemsOf(value as readonly unknown[])
      .map(write)
      .join(',');
  if (!isObject(value)) return write(value);
  return pairsOf(value)
    .map(([name, each]) => `${write(name)}${explode ? '=' : ','}${write(each)}`)
    .join(',');
}

const DELIMITERS = {
  form: ',',
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
  deepObject: ',',
  simple: ',',
  json: ',',
} as const;

/** The `name=value` pairs of a query parameter. */
function queryPairs({ name, style, explode }: HttpParameter, value: unknown): readonly string[] {
  const key = encoded(name);
  if (style === 'json') return [`${key}=${encoded(JSON.stringify(value))}`];
  const delimiter = DELIMITERS[style];
  if (Array.isArray(value)) {
    const items = itemsOf(value as readonly unknown[]).map(encoded);
    return explode ? items.map((item) => `${key}=${item}`) : [`${key}=${items.join(delimiter)}`];
  }
  if (!isObject(value)) return [`${key}=${encoded(value)}`];
  const pairs = pairsOf(value).map(([member, each]) => [encoded(member), encoded(each)] as const);
  if (style === 'deepObject') return pairs.map(([member, each]) => `${key}%5B${member}%5D=${each}`);
  if (explode) return pairs.map(([member, each]) => `${member}=${each}`);
  return [`${key}=${pairs.flat().join(delimiter)}`];
}

function headerOf(parameter: HttpParameter, value: unknown): readonly [string, string] {
  const text = parameter.style === 'json' ? JSON.stringify(value) : simple(parameter, value, scalarText);
  if (!isHeaderValue(text) || text !== text.trim() || !/^[\x20-\x7e]*$/.test(text))
    throw new OpenApiFault(`The argument ${parameter.argument} cannot be sent in a header.`);
  return [parameter.name.toLowerCase(), text];
}

function bodyOf({ body }: HttpOperation, args: JsonObject): string | null {
  if (body === null) return null;
  const { argument, isRequired } = body;
  if (body.members === null) {
    const value = own(args, argument);
    if (value === undefined && isRequired) throw new OpenApiFault(`The argument ${argument} is required.`);
    return value === undefined ? null : JSON.stringify(value);
  }
  const members = body.members
    .filter((name) => Object.hasOwn(args, name))
    .map((name) => [name, args[name]] as const);
  return members.length === 0 && !isRequired ? null : JSON.stringify(Object.fromEntries(members));
}
