import { isObject } from '@gw/kernel';
import { mapNames } from '../names/name-map';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import { checkOpenApi, OpenApiFault } from './document';
import { METHODS, readOperation, type HttpMethod, type HttpOperation } from './operation';

/** Which operations become tools. Every member that is there must fit; path globs end in `*` at most. */
export interface OperationFilter {
  readonly operationIds?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly HttpMethod[];
  readonly paths?: readonly string[];
}

export interface OpenApiSelection {
  /** Without it, all GET operations. */
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  /** Tool name by operationId, or by `method path`. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** A tool with the HTTP operation that a call of it makes. */
export interface OpenApiTool {
  readonly name: string;
  /** As `tools/list` shows it. */
  readonly definition: JsonObject;
  readonly operation: HttpOperation;
}

export interface OpenApiTools {
  readonly tools: readonly OpenApiTool[];
  /** Operations that were selected and cannot be tools, with the reason. */
  readonly refused: readonly { readonly operation: string; readonly reason: string }[];
}

const TOOLS_MAX = 100;
const OPERATIONS_MAX = 10_000;
const DESCRIPTION_MAX = 1_024;

/**
 * Makes tools of the operations of an OpenAPI 3.0 or 3.1 document. Throws an `OpenApiFault` for other
 * documents, and when more than 100 operations are selected.
 */
export function openApiTools(value: unknown, selection: OpenApiSelection = {}): OpenApiTools {
  const document = checkOpenApi(value);
  const operations: HttpOperation[] = [];
  const refused: { readonly operation: string; readonly reason: string }[] = [];
  const selected = listed(document).filter((each) => isSelected(each, selection));
  if (selected.length > TOOLS_MAX)
    throw new OpenApiFault(`More than ${String(TOOLS_MAX)} operations are selected; select fewer.`);
  for (const { path, method } of selected) {
    try {
      operations.push(readOperation(document, path, method));
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      refused.push({ operation: `${method} ${path}`, reason: error.message });
    }
  }
  return { tools: named(operations, selection), refused };
}

/** Where an operation is, and what selections name it by. */
interface Listed {
  readonly path: string;
  readonly method: HttpMethod;
  readonly operationId: unknown;
  readonly tags: readonly unknown[];
}

function listed(document: JsonObject): readonly Listed[] {
  const found: Listed[] = [];
  for (const [path, item] of Object.entries(ownObject(document, 'paths'))) {
    if (!path.startsWith('/') || !isObject(item)) continue;
    for (const method of METHODS) {
      const operation = own(item, method);
      if (!isObject(operation)) continue;
      found.push({
        path,
        method,
        operationId: own(operation, 'operationId'),
        tags: ownList(operation, 'tags'),
      });
    }
    if (found.length > OPERATIONS_MAX)
      throw new OpenApiFault(`The document has more than ${String(OPERATIONS_MAX)} operations.`);
  }
  return found;
}

function isSelected(operation: Listed, { include, exclude }: OpenApiSelection): boolean {
  const isIncluded = include === undefined ? operation.method === 'get' : fits(operation, include);
  return isIncluded && !(exclude !== undefined && fits(operation, exclude));
}

function fits({ operationId, path, method, tags: tagged }: Listed, filter: OperationFilter): boolean {
  const { operationIds, tags, methods, paths } = filter;
  const isOfPath = (glob: string): boolean =>
    glob.endsWith('*') ? path.startsWith(glob.slice(0, -1)) : path === glob;
  return (
    (operationIds === undefined || operationIds.some((id) => id === operationId)) &&
    (tags === undefined || tags.some((tag) => tagged.includes(tag))) &&
    (methods === undefined || methods.includes(method)) &&
    (paths === undefined || paths.some(isOfPath))
  );
}

/** Two operations of one name stay two tools: the operations are members of a map of names. */
function named(operations: readonly HttpOperation[], { aliases }: OpenApiSelection): readonly OpenApiTool[] {
  const members = operations.map((operation, index) => {
    const name = nameOf(operation, aliases);
    return { server: String(index), names: [name], aliases: new Map([[name, name]]) };
  });
  return mapNames(members).names.flatMap(({ shown, server }) => {
    const operation = operations[Number(server)];
    return operation === undefined ? [] : [toolOf(shown, operation)];
  });
}

function nameOf({ operationId, method, path }: HttpOperation, aliases: OpenApiSelection['aliases']): string {
  const alias = aliases?.get(operationId ?? '') ?? aliases?.get(`${method} ${path}`);
  const words = path.split(/[^A-Za-z0-9]/).filter((word) => word !== '');
  return alias ?? operationId ?? [method, ...words].join('_');
}

function toolOf(name: string, operation: HttpOperation): OpenApiTool {
  const { method, path, summary, output } = operation;
  const text = summary === '' ? `${method.toUpperCase()} ${path}` : summary;
  return {
    name,
    operation,
    definition: {
      name,
      description: text.slice(0, DESCRIPTION_MAX),
      inputSchema: inputSchema(operation),
      ...(output !== null && { outputSchema: output }),
      annotations: annotationsOf(method),
    },
  };
}

function inputSchema({ parameters, body }: HttpOperation): JsonObject {
  const fields: (readonly [string, unknown])[] = parameters.map(({ argument, schema }) => [argument, schema]);
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  if (body !== null && body.members === null) {
    fields.push([bodyArgument(parameters), body.schema]);
    if (body.isRequired) required.push(bodyArgument(parameters));
  } else if (body !== null) {
    fields.push(...Object.entries(ownObject(body.schema, 'properties')));
    const members = body.isRequired ? body.schema['required'] : [];
    if (Array.isArray(members)) required.push(...members.filter((each) => typeof each === 'string'));
  }
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Name of the argument that is the whole body. */
export const bodyArgument = (parameters: HttpOperation['parameters']): string =>
  parameters.some(({ argument }) => argument === 'body') ? 'request_body' : 'body';

/** Hints by method (RFC 9110, section 9.2). */
const annotationsOf = (method: HttpMethod): JsonObject => {
  const isSafe = method === 'get' || method === 'head' || method === 'options';
  const isIdempotent = isSafe || method === 'put' || method === 'delete';
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe && method !== 'put',
    idempotentHint: isIdempotent,
    openWorldHint: true,
  };
};
