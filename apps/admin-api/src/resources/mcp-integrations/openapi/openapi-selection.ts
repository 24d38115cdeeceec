import type { StoredOpenApiSelection, StoredOperationFilter } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import {
  listedOperations,
  operationKey,
  type HttpMethod,
  type JsonObject,
  type OpenApiSelection,
  type OperationFilter,
} from '@gw/mcp';
import type { OpenApiSelectionFields } from './openapi.dto';

const NOTHING_CHOSEN: StoredOpenApiSelection = {
  ...{ include: null, exclude: null, aliases: {}, read_only: [], output_schemas: true },
};

/** Returns the saved selection with the members of an update; an absent member stays. */
export const mergedSelection = (
  { include, exclude, aliases, read_only: readOnly, output_schemas: outputs }: OpenApiSelectionFields,
  saved: StoredOpenApiSelection = NOTHING_CHOSEN,
): StoredOpenApiSelection => ({
  include: include === undefined ? saved.include : filterOf(include),
  exclude: exclude === undefined ? saved.exclude : filterOf(exclude),
  aliases: aliases ?? saved.aliases,
  read_only: readOnly ?? saved.read_only,
  output_schemas: outputs ?? saved.output_schemas,
});

/**
 * Returns a filter without its absent members; null for a filter without any, which would match
 * every operation.
 */
function filterOf(filter: OpenApiSelectionFields['include']): StoredOperationFilter | null {
  const members = Object.entries(filter ?? {}).filter(([, each]) => each !== undefined);
  return members.length === 0 ? null : (Object.fromEntries(members) as StoredOperationFilter);
}

/** Returns the selection in the form that the document rules use. */
export const selectionOf = (stored: StoredOpenApiSelection): OpenApiSelection => ({
  ...(stored.include && { include: operationFilter(stored.include) }),
  ...(stored.exclude && { exclude: operationFilter(stored.exclude) }),
  aliases: new Map(Object.entries(stored.aliases)),
  readOnly: new Set(stored.read_only),
  hasOutputSchemas: stored.output_schemas,
});

const operationFilter = ({
  operation_ids: operationIds,
  tags,
  methods,
  paths,
}: StoredOperationFilter): OperationFilter => ({
  ...(operationIds && { operationIds }),
  ...(tags && { tags }),
  ...(methods && { methods: methods as readonly HttpMethod[] }),
  ...(paths && { paths }),
});

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Returns the faults of a selection that depend on the document: operations that it does not
 * contain, and invalid tool names.
 */
export function selectionFaults(
  { include, exclude, aliases, read_only: readOnly }: StoredOpenApiSelection,
  document: JsonObject,
): readonly ErrorDetail[] {
  const operations = listedOperations(document);
  const ids = new Set(operations.map(({ operationId }) => operationId));
  const knownKeys = new Set<string | null>([...ids, ...operations.map(operationKey)]);
  const unknownIds = Object.entries({ include, exclude }).flatMap(([filter, of]) =>
    (of?.operation_ids ?? []).flatMap((id, at) =>
      ids.has(id) ? [] : [{ path: `${filter}.operation_ids.${String(at)}`, message: UNKNOWN_ID }],
    ),
  );
  const named = [
    ...Object.keys(aliases).map((name) => [`aliases.${name.slice(0, 64)}`, knownKeys.has(name)] as const),
    ...readOnly.map((name, at) => [`read_only.${String(at)}`, knownKeys.has(name)] as const),
  ];
  const unknown = named.filter(([, isKnown]) => !isKnown).map(([path]) => ({ path, message: UNKNOWN }));
  return [...unknownIds, ...unknown, ...aliasFaults(aliases)];
}

const UNKNOWN_ID =
  'is no operationId of the document; select an operation without an operationId by methods and paths';
const UNKNOWN =
  'is no operation of the document; name one by its operationId, or by method and path as in `get /pets`';

function aliasFaults(aliases: Readonly<Record<string, string>>): readonly ErrorDetail[] {
  const seen = new Set<string>();
  return Object.entries(aliases).flatMap(([operation, name]) => {
    const path = `aliases.${operation.slice(0, 64)}`;
    if (!TOOL_NAME.test(name))
      return [{ path, message: 'must have 1 to 64 letters, digits, `_`, `-` and `.`' }];
    if (seen.has(name))
      return [{ path, message: 'is the name of another operation too; choose another one' }];
    seen.add(name);
    return [];
  });
}
