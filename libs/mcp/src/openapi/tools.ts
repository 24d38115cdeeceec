import { isObject, truncated } from '@gw/kernel';
import { OPERATION_META } from '../capabilities/capability';
import { mapNames } from '../names/name-map';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { checkOpenApi, OpenApiFault } from './document';
import type { HttpMethod, HttpOperation } from './http-operation';
import { DESCRIPTION_MAX, readOperation, type DescribedOperation } from './operation';
import { SchemaReader } from './schema';
import { isSelected, listedOperations, operationKey, type OpenApiSelection } from './selection';

/** A tool with the HTTP operation that a call of it makes. */
export interface OpenApiTool {
  readonly name: string;
  /** Definition as `tools/list` shows it. */
  readonly definition: JsonObject;
  readonly operation: HttpOperation;
}

export interface OpenApiTools {
  readonly tools: readonly OpenApiTool[];
  /** Selected operations that cannot become tools, with the reason. */
  readonly refused: readonly { readonly operation: string; readonly reason: string }[];
}

const TOOLS_MAX = 100;
/** Maximum number of characters of a definition as JSON, as for tools of MCP servers. */
const DEFINITION_MAX = 262_144;

/**
 * Creates tools for the selected operations of an OpenAPI 3.0 or 3.1 document. Throws an
 * `OpenApiFault` for other documents, and when more than 100 operations are selected.
 */
export function openApiTools(value: unknown, selection: OpenApiSelection = {}): OpenApiTools {
  const document = checkOpenApi(value);
  const operations: DescribedOperation[] = [];
  const refused: { readonly operation: string; readonly reason: string }[] = [];
  const selected = listedOperations(document).filter((each) => isSelected(each, selection));
  if (selected.length > TOOLS_MAX)
    throw new OpenApiFault(
      `${String(selected.length)} operations are selected; select at most ${String(TOOLS_MAX)}.`,
    );
  const schemas = new SchemaReader(document);
  for (const { path, method } of selected) {
    try {
      const operation = readOperation({ document, schemas, path, method });
      assertSize(definitionOf('', operation, selection));
      operations.push(operation);
    } catch (error) {
      if (!(error instanceof OpenApiFault)) throw error;
      refused.push({ operation: operationKey({ path, method }), reason: error.message });
    }
  }
  return { tools: namedTools(operations, selection), refused };
}

function assertSize(definition: JsonObject): void {
  if (JSON.stringify(definition).length > DEFINITION_MAX)
    throw new OpenApiFault('The schemas of the operation are too large.');
}

/**
 * Gives each operation a distinct tool name. The names do not depend on the order of the document.
 */
function namedTools(
  operations: readonly DescribedOperation[],
  selection: OpenApiSelection,
): readonly OpenApiTool[] {
  const members = operations.map((operation) => {
    const name = nameOf(operation, selection.aliases);
    return { server: operationKey(operation), names: [name], aliases: new Map([[name, name]]) };
  });
  const { names } = mapNames(members.toSorted((one, other) => (one.server < other.server ? -1 : 1)));
  const shownByKey = new Map(names.map(({ server, shown }) => [server, shown]));
  return operations.flatMap((operation) => {
    const shown = shownByKey.get(operationKey(operation));
    return shown === undefined ? [] : [toolOf(shown, operation, selection)];
  });
}

function nameOf(operation: DescribedOperation, aliases: OpenApiSelection['aliases']): string {
  const { operationId, method, path } = operation;
  const alias = aliases?.get(operationId ?? '') ?? aliases?.get(operationKey(operation));
  const words = path.split(/[^A-Za-z0-9]/).filter((word) => word !== '');
  return alias ?? operationId ?? [method, ...words].join('_');
}

function toolOf(name: string, operation: DescribedOperation, selection: OpenApiSelection): OpenApiTool {
  const { method, path, parameters, body } = operation;
  return {
    name,
    operation: { method, path, parameters, body },
    definition: definitionOf(name, operation, selection),
  };
}

function definitionOf(
  name: string,
  operation: DescribedOperation,
  { readOnly, hasOutputSchemas = true }: OpenApiSelection,
): JsonObject {
  const { method, path, summary, output, operationId } = operation;
  const text = summary === '' ? `${method.toUpperCase()} ${path}` : summary;
  const isReadOnly = [operationId ?? '', operationKey(operation)].some((key) => readOnly?.has(key) === true);
  return {
    name,
    description: truncated(text, DESCRIPTION_MAX),
    inputSchema: inputSchema(operation),
    ...(output !== null && hasOutputSchemas && { outputSchema: output }),
    annotations: annotationsOf(isReadOnly ? 'get' : method),
  };
}

function inputSchema({ parameters, schemas, body, bodySchema }: DescribedOperation): JsonObject {
  const fields: (readonly [string, unknown])[] = [...schemas];
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  if (body !== null && body.members === null) {
    fields.push([body.argument, bodySchema ?? {}]);
    if (body.isRequired) required.push(body.argument);
  } else if (body !== null) {
    fields.push(...Object.entries(ownObject(bodySchema ?? {}, 'properties')));
    const members = body.isRequired ? own(bodySchema ?? {}, 'required') : [];
    if (Array.isArray(members)) required.push(...members.filter((each) => typeof each === 'string'));
  }
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Returns the hints for an HTTP method (RFC 9110, section 9.2). */
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

/**
 * Returns the stored form of a definition, which includes its operation so that both are approved
 * together.
 */
export const withOperation = ({ definition, operation }: OpenApiTool): JsonObject => ({
  ...definition,
  _meta: { [OPERATION_META]: operation },
});

/** Separates a stored definition from its operation; null for a definition without an operation. */
export function splitOperation(stored: JsonObject): {
  readonly definition: JsonObject;
  readonly operation: HttpOperation | null;
} {
  const { _meta: meta, ...definition } = stored;
  const operation = isObject(meta) ? own(meta, OPERATION_META) : undefined;
  return { definition, operation: isObject(operation) ? (operation as unknown as HttpOperation) : null };
}
