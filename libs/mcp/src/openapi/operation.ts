import { GATEWAY_HEADER_PREFIX, PORTKEY_HEADER_PREFIX } from '@gw/contracts';
import { isCredentialHeader, isHeaderName, isMetadataHeader, isObject, truncated } from '@gw/kernel';
import { isReservedHeader } from '../http/reserved-headers';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import { freeArgument, readBody, type BodyPlace } from './body';
import { OpenApiFault, resolved } from './document';
import { STYLES, type HttpOperation, type HttpParameter, type ParameterStyle } from './http-operation';
import { jsonMediaType } from './media-type';

/** An operation of a document, with the texts and schemas that its tool shows. */
export interface DescribedOperation extends HttpOperation {
  readonly operationId: string | null;
  readonly summary: string;
  /** Schemas of the parameters by argument name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly bodySchema: JsonObject | null;
  /** JSON schema of successful responses; null unless all of them are JSON with the same schema. */
  readonly output: JsonObject | null;
}

const PARAMETERS_MAX = 100;
/** Maximum length of the description of a tool or of one of its arguments. */
export const DESCRIPTION_MAX = 1_024;

/** Where an operation is in its document. */
export interface OperationPlace extends BodyPlace {
  readonly path: string;
}

/**
 * Reads one operation. Throws an `OpenApiFault` for features that calls cannot express, such as
 * matrix styles.
 */
export function readOperation(place: OperationPlace): DescribedOperation {
  const { document, path, method } = place;
  const item = resolved(document, ownObject(ownObject(document, 'paths'), path));
  const operation = ownObject(item, method);
  if ([item, operation].some((each) => ownList(each, 'servers').length > 0))
    throw new OpenApiFault('Servers of single paths and operations are not supported.');
  const parameters = readParameters(place, [
    ...ownList(item, 'parameters'),
    ...ownList(operation, 'parameters'),
  ]);
  assertPath(
    path,
    parameters.map(({ parameter }) => parameter),
  );
  const operationId = own(operation, 'operationId');
  const body = readBody(place, own(operation, 'requestBody'), new Set(parameters.map(argumentOf)));
  return {
    ...{ method, path },
    operationId: typeof operationId === 'string' && operationId !== '' ? operationId : null,
    summary: [own(operation, 'summary'), own(operation, 'description')]
      .filter((text) => typeof text === 'string')
      .filter((text) => text !== '')
      .map((text) => truncated(text, DESCRIPTION_MAX))
      .join('\n'),
    parameters: parameters.map(({ parameter }) => parameter),
    schemas: new Map(parameters.map((each) => [argumentOf(each), each.schema])),
    ...{ body: body?.body ?? null, bodySchema: body?.schema ?? null },
    output: readOutput(place, ownObject(operation, 'responses')),
  };
}

interface DescribedParameter {
  readonly parameter: HttpParameter;
  readonly schema: JsonObject;
}

const argumentOf = ({ parameter }: DescribedParameter): string => parameter.argument;

/**
 * Paths whose characters a URL parser keeps unchanged, without those that end a path or become
 * slashes.
 */
const PATH = /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/{}]{0,1023}$/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

function assertPath(path: string, parameters: readonly HttpParameter[]): void {
  const isWhole = !/[{}]/.test(path.replace(/\{[^{}/]{1,128}\}/g, ''));
  if (!PATH.test(path) || DOT_SEGMENT.test(path) || !isWhole)
    throw new OpenApiFault('The path has characters or dot segments that no path of a URL may have.');
  for (const [, name = ''] of path.matchAll(/\{([^{}]{1,128})\}/g))
    if (!parameters.some((each) => each.in === 'path' && each.name === name))
      throw new OpenApiFault(`The path parameter ${name} of ${path.slice(0, 128)} is not described.`);
}

function readParameters(place: OperationPlace, list: readonly unknown[]): readonly DescribedParameter[] {
  if (list.length > PARAMETERS_MAX)
    throw new OpenApiFault(`An operation has at most ${String(PARAMETERS_MAX)} parameters.`);
  const byKey = new Map<string, DescribedParameter>();
  const taken = new Set<string>();
  for (const each of list) {
    const described = resolved(place.document, each);
    const [where, name] = [own(described, 'in'), own(described, 'name')];
    if (typeof name !== 'string' || name === '' || !isPlace(where) || isWithheld(where, name)) continue;
    if (where === 'header' && !isHeaderName(name))
      throw new OpenApiFault(`The parameter ${name.slice(0, 128)} is not a name of a header.`);
    const key = `${where}/${where === 'header' ? name.toLowerCase() : name}`;
    // An operation's parameter replaces the one of its path.
    const replaced = byKey.get(key)?.parameter.argument;
    const argument = replaced ?? freeArgument(name, `${where}_${name}`, taken);
    taken.add(argument);
    byKey.set(key, readParameter(place, described, { where, name, argument }));
  }
  return [...byKey.values()];
}

const isPlace = (place: unknown): place is HttpParameter['in'] =>
  place === 'path' || place === 'query' || place === 'header';

/** Headers with which a request can override its HTTP method. */
const METHOD_HEADERS: ReadonlySet<string> = new Set([
  ...['x-http-method-override', 'x-http-method', 'x-method-override'],
]);

/**
 * Returns whether a header must not be an argument: credentials, headers that the gateway writes,
 * and headers that OpenAPI ignores.
 */
function isWithheld(place: HttpParameter['in'], name: string): boolean {
  const lower = name.toLowerCase();
  const isOfGateway = [GATEWAY_HEADER_PREFIX, PORTKEY_HEADER_PREFIX, 'proxy-', 'x-forwarded'].some((prefix) =>
    lower.startsWith(prefix),
  );
  return (
    place === 'header' &&
    (isOfGateway ||
      isReservedHeader(lower) ||
      isCredentialHeader(lower) ||
      isMetadataHeader(lower) ||
      METHOD_HEADERS.has(lower))
  );
}

function readParameter(
  { schemas }: OperationPlace,
  described: JsonObject,
  {
    where,
    name,
    argument,
  }: { readonly where: HttpParameter['in']; readonly name: string; readonly argument: string },
): DescribedParameter {
  const json = jsonMediaType(ownObject(described, 'content'));
  const style = styleOf(described, { where, name, isJson: json !== null });
  const explode = own(described, 'explode');
  const description = own(described, 'description');
  return {
    parameter: {
      ...{ in: where, name, argument, style },
      explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
      isRequired: where === 'path' || own(described, 'required') === true,
    },
    schema: {
      ...schemas.read(own(json ?? described, 'schema') ?? {}, 'input'),
      ...(typeof description === 'string' && { description: truncated(description, DESCRIPTION_MAX) }),
    },
  };
}

function styleOf(
  described: JsonObject,
  {
    where,
    name,
    isJson,
  }: { readonly where: HttpParameter['in']; readonly name: string; readonly isJson: boolean },
): ParameterStyle {
  if (isJson) return 'json';
  const shown = name.slice(0, 128);
  if (own(described, 'content') !== undefined)
    throw new OpenApiFault(`The content of the parameter ${shown} is not JSON.`);
  const style = own(described, 'style') ?? (where === 'query' ? 'form' : 'simple');
  const replaced = STYLES[where].find((each) => each === style);
  if (replaced === undefined) throw new OpenApiFault(`The style of the parameter ${shown} is not supported.`);
  return replaced;
}

function readOutput({ document, schemas }: OperationPlace, responses: JsonObject): JsonObject | null {
  const successes = Object.keys(responses).filter((status) => /^2(?:\d\d|XX)$/i.test(status));
  const found = successes.map((status) =>
    jsonMediaType(ownObject(resolved(document, responses[status]), 'content')),
  );
  const [first] = found;
  if (first === undefined || first === null) return null;
  const schema = own(first, 'schema');
  const isOne = found.every((each) => isSameSchema(own(each ?? {}, 'schema'), schema));
  return isOne && schema !== undefined ? schemas.read(schema, 'output') : null;
}

/** Returns whether two schemas are the same object or the same reference. */
function isSameSchema(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const reference = isObject(one) ? own(one, '$ref') : undefined;
  return typeof reference === 'string' && isObject(other) && own(other, '$ref') === reference;
}
