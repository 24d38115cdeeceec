import type { TestAdminApi } from './admin-api';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
  };
}

interface Schema {
  readonly properties?: object;
}

/**
 * A handler of the live document, with the members of its body. Path aliases count as one handler.
 */
export interface Handler {
  readonly name: string;
  readonly method: string;
  /** One of its paths under /v1. */
  readonly path: string;
  readonly members: ReadonlySet<string>;
}

export function handlersOf(admin: TestAdminApi): readonly Handler[] {
  const { paths, components } = admin.api.document;
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const handlers = new Map<string, Handler>();
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const name = operation.operationId.split('__', 1)[0] ?? '';
      const schema = schemas[schemaOf(operation)];
      if (!path.startsWith('/v1/')) continue;
      handlers.set(name, { name, method, path, members: new Set(Object.keys(schema?.properties ?? {})) });
    }
  return [...handlers.values()];
}

/** Returns the schema name of a JSON body; empty without a body. */
function schemaOf({ requestBody }: Operation): string {
  const reference = requestBody?.content?.['application/json']?.schema?.$ref ?? '';
  return reference.slice(reference.lastIndexOf('/') + 1);
}
