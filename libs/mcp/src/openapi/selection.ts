import { truncated } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import { OpenApiFault, resolved } from './document';
import { METHODS, type HttpMethod } from './http-operation';

/**
 * Criteria for operations. An operation matches if it fits every present member; path patterns may
 * only have a final `*`.
 */
export interface OperationFilter {
  readonly operationIds?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly HttpMethod[];
  readonly paths?: readonly string[];
}

/**
 * Selection of a document's operations by an administrator. `aliases` and `readOnly` identify
 * operations by id or by `method path`.
 */
export interface OpenApiSelection {
  /** Operations that become tools; all GET operations if absent. */
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  /** Tool names by operation. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Operations that change nothing, regardless of their HTTP method. */
  readonly readOnly?: ReadonlySet<string>;
  /** Whether tools have output schemas. Default: true. */
  readonly hasOutputSchemas?: boolean;
}

/** Where an operation is in its document, and the members that selections refer to. */
export interface ListedOperation {
  readonly path: string;
  readonly method: HttpMethod;
  readonly operationId: string | null;
  readonly tags: readonly string[];
}

const OPERATIONS_MAX = 10_000;
/** Maximum number of tags of one operation, because many operations may refer to the same list. */
const TAGS_MAX = 50;
/** Maximum number of characters of an operation's key in a message. */
const KEY_SHOWN_MAX = 128;

/** Names an operation within its document, such as `get /pets`. */
export const operationKey = ({ method, path }: Pick<ListedOperation, 'method' | 'path'>): string =>
  `${method} ${path}`;

/**
 * Returns all operations in the order of the document. Throws an `OpenApiFault` for more than
 * 10,000 operations, and for an operation with more than 50 tags: without the others it could pass
 * an exclusion.
 */
export function listedOperations(document: JsonObject): readonly ListedOperation[] {
  const found: ListedOperation[] = [];
  for (const [path, each] of Object.entries(ownObject(document, 'paths'))) {
    const item = path.startsWith('/') ? itemOf(document, each) : null;
    if (item === null) continue;
    for (const method of METHODS) {
      if (own(item, method) === undefined) continue;
      const operation = ownObject(item, method);
      const operationId = own(operation, 'operationId');
      found.push({
        ...{ path, method },
        operationId: typeof operationId === 'string' ? operationId : null,
        tags: tagsOf(operation, operationKey({ path, method })),
      });
    }
    if (found.length > OPERATIONS_MAX)
      throw new OpenApiFault(`The document has more than ${String(OPERATIONS_MAX)} operations.`);
  }
  return found;
}

function tagsOf(operation: JsonObject, key: string): readonly string[] {
  const tags = ownList(operation, 'tags');
  if (tags.length > TAGS_MAX)
    throw new OpenApiFault(
      `The operation ${truncated(key, KEY_SHOWN_MAX)} has more than ${String(TAGS_MAX)} tags.`,
    );
  return tags.filter((tag) => typeof tag === 'string');
}

/**
 * Returns the path item of a path; null when it is not an object, or its reference does not
 * resolve.
 */
function itemOf(document: JsonObject, item: unknown): JsonObject | null {
  try {
    return resolved(document, item);
  } catch (error) {
    if (error instanceof OpenApiFault) return null;
    throw error;
  }
}

export function isSelected(operation: ListedOperation, { include, exclude }: OpenApiSelection): boolean {
  const isIncluded = include === undefined ? operation.method === 'get' : fits(operation, include);
  return isIncluded && !(exclude !== undefined && fits(operation, exclude));
}

function fits(
  { operationId, path, method, tags: tagged }: ListedOperation,
  filter: OperationFilter,
): boolean {
  const { operationIds, tags, methods, paths } = filter;
  const wanted = tags && new Set(tags);
  const isOfPath = (glob: string): boolean =>
    glob.endsWith('*') ? path.startsWith(glob.slice(0, -1)) : path === glob;
  return (
    (operationIds === undefined || operationIds.some((id) => id === operationId)) &&
    (wanted === undefined || tagged.some((tag) => wanted.has(tag))) &&
    (methods === undefined || methods.includes(method)) &&
    (paths === undefined || paths.some(isOfPath))
  );
}
