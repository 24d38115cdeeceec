import { CREDENTIAL_HEADERS, FRAMING_HEADERS, HOP_BY_HOP_HEADERS, isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import { inlineSchema, OpenApiFault, resolved } from './document';

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;
export type HttpMethod = (typeof METHODS)[number];

export type ParameterStyle = 'simple' | 'form' | 'deepObject' | 'spaceDelimited' | 'pipeDelimited';

export interface HttpParameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  /** Name of the tool's argument; differs from `name` when two parameters share it. */
  readonly argument: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

/** The JSON body of an operation. */
export interface HttpBody {
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** Arguments that are the members of the body; null: the body is the argument `body`. */
  readonly members: readonly string[] | null;
}

export interface HttpOperation {
  readonly method: HttpMethod;
  /** Path template, such as `/pets/{id}`. */
  readonly path: string;
  readonly operationId: string | null;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly HttpParameter[];
  readonly body: HttpBody | null;
  /** Schema of the first JSON response with status 2xx; null without one. */
  readonly output: JsonObject | null;
}

const PARAMETERS_MAX = 100;
const STYLES: Readonly<Record<HttpParameter['in'], readonly ParameterStyle[]>> = {
  path: ['simple'],
  query: ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'],
  header: ['simple'],
};

/** Reads one operation. Throws an `OpenApiFault` for what calls cannot express, such as matrix styles. */
export function readOperation(document: JsonObject, path: string, method: HttpMethod): HttpOperation {
  const item = resolved(document, ownObject(ownObject(document, 'paths'), path));
  const operation = ownObject(item, method);
  const parameters = readParameters(document, [
    ...ownList(item, 'parameters'),
    ...ownList(operation, 'parameters'),
  ]);
  for (const [, name = ''] of path.matchAll(/\{([^{}]{1,128})\}/g))
    if (!parameters.some((each) => each.in === 'path' && each.name === name))
      throw new OpenApiFault(`The path parameter ${name} of ${path.slice(0, 128)} is not described.`);
  const operationId = own(operation, 'operationId');
  return {
    method,
    path,
    operationId: typeof operationId === 'string' ? operationId : null,
    tags: ownList(operation, 'tags').filter((tag) => typeof tag === 'string'),
    summary: [own(operation, 'summary'), own(operation, 'description')]
      .filter((text) => typeof text === 'string' && text !== '')
      .join('\n'),
    parameters,
    body: readBody(document, own(operation, 'requestBody'), parameters),
    output: readOutput(document, ownObject(operation, 'responses')),
  };
}

function readParameters(document: JsonObject, list: readonly unknown[]): readonly HttpParameter[] {
  if (list.length > PARAMETERS_MAX)
    throw new OpenApiFault(`An operation has at most ${String(PARAMETERS_MAX)} parameters.`);
  const byKey = new Map<string, HttpParameter>();
  const taken = new Set<string>();
  for (const each of list) {
    const parameter = resolved(document, each);
    const [place, name] = [own(parameter, 'in'), own(parameter, 'name')];
    if (typeof name !== 'string' || name === '' || !isPlace(place) || isReserved(place, name)) continue;
    const key = `${place}/${name}`;
    // An operation's parameter replaces that of its path.
    const argument = byKey.get(key)?.argument ?? (taken.has(name) ? `${place}_${name}` : name);
    taken.add(argument);
    byKey.set(key, readParameter(document, parameter, { place, name, argument }));
  }
  return [...byKey.values()];
}

const isPlace = (place: unknown): place is HttpParameter['in'] =>
  place === 'path' || place === 'query' || place === 'header';

/** Headers that the gateway writes, and those that OpenAPI ignores. */
function isReserved(place: HttpParameter['in'], name: string): boolean {
  const lower = name.toLowerCase();
  const isOurs = [CREDENTIAL_HEADERS, FRAMING_HEADERS, HOP_BY_HOP_HEADERS].some((names) => names.has(lower));
  return place === 'header' && (isOurs || lower === 'accept' || lower === 'content-type');
}

function readParameter(
  document: JsonObject,
  parameter: JsonObject,
  {
    place,
    name,
    argument,
  }: { readonly place: HttpParameter['in']; readonly name: string; readonly argument: string },
): HttpParameter {
  const style = own(parameter, 'style') ?? (place === 'query' ? 'form' : 'simple');
  const known = STYLES[place].find((each) => each === style);
  if (known === undefined)
    throw new OpenApiFault(`The style of the parameter ${name.slice(0, 128)} is not supported.`);
  const explode = own(parameter, 'explode');
  const description = own(parameter, 'description');
  return {
    in: place,
    name,
    argument,
    style: known,
    explode: typeof explode === 'boolean' ? explode : known === 'form' || known === 'deepObject',
    isRequired: place === 'path' || own(parameter, 'required') === true,
    schema: {
      ...inlineSchema(document, own(parameter, 'schema') ?? {}),
      ...(typeof description === 'string' && { description: description.slice(0, 1_024) }),
    },
  };
}

const COMPOSED = ['oneOf', 'anyOf', 'allOf', 'additionalProperties', 'patternProperties'];

function readBody(
  document: JsonObject,
  value: unknown,
  parameters: readonly HttpParameter[],
): HttpBody | null {
  if (value === undefined) return null;
  const body = resolved(document, value);
  const schema = jsonSchemaOf(document, ownObject(body, 'content'));
  if (schema === null) throw new OpenApiFault('Only JSON bodies are supported.');
  const names = Object.keys(ownObject(schema, 'properties'));
  const isFlat =
    own(schema, 'type') === 'object' &&
    names.length > 0 &&
    !COMPOSED.some((keyword) => own(schema, keyword) !== undefined) &&
    !names.some((name) => parameters.some(({ argument }) => argument === name));
  return { isRequired: own(body, 'required') === true, schema, members: isFlat ? names : null };
}

/** The schema of the first JSON media type; null without one. */
function jsonSchemaOf(document: JsonObject, content: JsonObject): JsonObject | null {
  const json = Object.entries(content).find(([type]) => isJsonType(type));
  return json !== undefined && isObject(json[1])
    ? inlineSchema(document, own(json[1], 'schema') ?? {})
    : null;
}

/** Whether a media type is JSON, such as `application/json; charset=utf-8` or `application/problem+json`. */
export const isJsonType = (type: string): boolean => {
  const [name = ''] = type.slice(0, 256).toLowerCase().split(';');
  return name.trim() === 'application/json' || name.trim().endsWith('+json');
};

function readOutput(document: JsonObject, responses: JsonObject): JsonObject | null {
  const success = Object.keys(responses).find((status) => /^2(?:\d\d|XX)$/i.test(status));
  if (success === undefined) return null;
  return jsonSchemaOf(document, ownObject(resolved(document, responses[success]), 'content'));
}
