import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** A list in a request. */
export interface RequestList {
  /** Path to the list; `0` stands for any item of an outer list. */
  readonly at: readonly string[];
  readonly source: 'body' | 'query';
  /** `maxItems` in the document. */
  readonly max: number | undefined;
  /** True when the list is one of several alternatives. */
  readonly isChoice: boolean;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly scopes: readonly string[];
  /** Top-level members of the body. */
  readonly members: readonly string[];
  readonly lists: readonly RequestList[];
}

interface RawOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly parameters?: readonly { readonly name: string; readonly schema?: Schema }[];
  readonly [extension: string]: unknown;
}

/** Returns the documented operations under `/v1`, with the members and lists of their requests. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, item]) =>
      Object.entries(item as Readonly<Record<string, RawOperation>>).map(([method, operation]) => {
        const body = operation.requestBody?.content['application/json']?.schema;
        return {
          method: method.toUpperCase(),
          path,
          access: String(operation['x-gw-access']),
          scopes: (operation['x-gw-scopes'] ?? []) as string[],
          members: membersOf(body, resolved),
          lists: [
            ...listsOf(body, 'body', resolved),
            ...(operation.parameters ?? []).flatMap(({ name, schema }) =>
              listsOf(schema, 'query', resolved, [name]),
            ),
          ],
        };
      }),
    );
}

type Resolve = (schema: Schema) => Schema;

function membersOf(schema: Schema | undefined, resolved: Resolve): string[] {
  if (schema === undefined) return [];
  const { properties = {}, allOf = [] } = resolved(schema);
  return [...Object.keys(properties), ...allOf.flatMap((part) => membersOf(part, resolved))];
}

const DEPTH_MAX = 12;

/** Returns all lists in a schema, at any depth. */
function listsOf(
  schema: Schema | undefined,
  source: RequestList['source'],
  resolved: Resolve,
  at: readonly string[] = [],
  isChoice = false,
): RequestList[] {
  if (schema === undefined || at.length > DEPTH_MAX) return [];
  const { type, items, maxItems, properties = {}, allOf = [], oneOf = [], anyOf = [] } = resolved(schema);
  const into = (inner: Schema | undefined, name: readonly string[], choice: boolean): RequestList[] =>
    listsOf(inner, source, resolved, [...at, ...name], choice);
  return [
    ...(type === 'array' ? [{ at, source, max: maxItems, isChoice }, ...into(items, ['0'], isChoice)] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => into(inner, [name], isChoice)),
    ...allOf.flatMap((part) => into(part, [], isChoice)),
    ...[...oneOf, ...anyOf].flatMap((part) => into(part, [], true)),
  ];
}
