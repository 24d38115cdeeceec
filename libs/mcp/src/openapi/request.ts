import { afterSpace, isHeaderValue, isObject, walkMembers } from '@gw/kernel';
import { hasPathTraversal } from '../access/path-traversal';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { OpenApiFault } from './document';
import { formContent } from './form-content';
import type { HttpBody, HttpOperation, HttpParameter } from './http-operation';
import { encoded, pairsWithin, scalarText, simple } from './serialize';

/** The HTTP request of a call, without the base URL and the credential of the integration. */
export interface OpenApiRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** Headers that arguments fill, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null if none is sent. */
  readonly body: HttpContent | null;
}

/** The body of a request with its media type. */
export interface HttpContent {
  readonly type: string;
  readonly bytes: Buffer;
}

const TARGET_MAX = 8_192;
const HEADERS_MAX = 16_384;

/**
 * Builds the request of a tool call. Path values are percent-encoded including `/`. Throws an
 * `OpenApiFault`, which becomes a tool error, for empty, `.` and `..` segments (also inside a
 * value), for members of objects with names of other parameters, for line breaks in headers, and for
 * missing required parameters and bodies. `written` is the JSON of the arguments, whose numbers a
 * JSON body keeps; without it, the body is serialised.
 */
export function openApiRequest(
  operation: HttpOperation,
  args: JsonObject,
  written: Buffer | null = null,
): OpenApiRequest {
  const { method, parameters } = operation;
  const given = parameters.filter((parameter) => isGiven(parameter, args));
  const names = new Set(parameters.filter((each) => each.in === 'query').map(({ name }) => name));
  const query = given
    .filter((each) => each.in === 'query')
    .flatMap((each) => pairsWithin(each, own(args, each.argument), names));
  const target = pathOf(operation, args) + (query.length === 0 ? '' : `?${query.join('&')}`);
  if (target.length > TARGET_MAX) throw new OpenApiFault('The arguments make the URL too long.');
  const headers = given
    .filter((each) => each.in === 'header')
    .map((each) => headerOf(each, own(args, each.argument)));
  if (headers.flat().join('').length > HEADERS_MAX)
    throw new OpenApiFault('The arguments make the headers too long.');
  const body = bodyOf(operation, args, written);
  return {
    method: method.toUpperCase(),
    target,
    headers: Object.fromEntries(headers),
    body,
  };
}

/** Returns the URL of a request below the base URL that was saved with the integration. */
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
    if (hasPathTraversal(filled)) throw dotSegment();
    return filled;
  });
  return segments.join('/');
}

const DOT_SEGMENT = /(?:^|[\\/])\.(?:[\\/]|$)/;

/**
 * Serialises a path value. Refuses an encoded `../` too, because some servers decode a path before
 * they split it.
 */
function pathValue(parameter: HttpParameter, value: unknown): string {
  const hasDots = hasPathTraversal(value) || (typeof value === 'string' && DOT_SEGMENT.test(value));
  if (hasDots) throw dotSegment();
  return parameter.style === 'json' ? encoded(JSON.stringify(value)) : simple(parameter, value);
}

const dotSegment = (): OpenApiFault =>
  new OpenApiFault('A path argument must not have the segments `.` and `..`.');

function headerOf(parameter: HttpParameter, value: unknown): readonly [string, string] {
  const text = parameter.style === 'json' ? JSON.stringify(value) : simple(parameter, value, scalarText);
  if (!isHeaderValue(text) || text !== text.trim() || !/^[\x20-\x7e]*$/.test(text))
    throw new OpenApiFault(`The argument ${parameter.argument} cannot be sent in a header.`);
  return [parameter.name.toLowerCase(), text];
}

function bodyOf({ body }: HttpOperation, args: JsonObject, written: Buffer | null): HttpContent | null {
  if (body === null) return null;
  const { argument, isRequired, members } = body;
  if (members === null) {
    const value = own(args, argument);
    if (value === undefined && isRequired) throw new OpenApiFault(`The argument ${argument} is required.`);
    if (value === undefined) return null;
    return body.form === undefined ? jsonContent(body, jsonOf(args, written)(argument)) : formOf(body, value);
  }
  const given = members.filter((name) => Object.hasOwn(args, name));
  if (given.length === 0 && !isRequired) return null;
  if (body.form !== undefined)
    return formOf(body, Object.fromEntries(given.map((name) => [name, args[name]])));
  const json = jsonOf(args, written);
  return jsonContent(body, `{${given.map((name) => `${JSON.stringify(name)}:${json(name)}`).join(',')}}`);
}

const jsonContent = ({ type = 'application/json' }: HttpBody, json: string): HttpContent => ({
  ...{ type, bytes: Buffer.from(json) },
});

/** Returns a function that returns the JSON of an argument, as the client wrote it if that is known. */
function jsonOf(args: JsonObject, written: Buffer | null): (name: string) => string {
  const texts = new Map<string, string>();
  if (written !== null)
    walkMembers(written, afterSpace(written, 0), (name, start, end) => {
      texts.set(Buffer.from(name, 'latin1').toString('utf8'), written.toString('utf8', start, end));
      return true;
    });
  return (name) => texts.get(name) ?? JSON.stringify(args[name]);
}

function formOf({ form, argument, members }: HttpBody, value: unknown): HttpContent {
  if (form !== undefined && isObject(value)) return formContent(form, value, members);
  throw new OpenApiFault(`The argument ${argument} must be an object with the fields of the form.`);
}
