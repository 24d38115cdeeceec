import type { Json } from '../api-client';
import { put, type ReconcileContext } from '../kind';
import { plain, type Members } from '../members';
import { canonical, isFields } from '../values';

/**
 * Returns a document in the form in which files are compared: JSON without spaces, other texts
 * unchanged.
 */
export function documentText(spec: unknown): unknown {
  if (typeof spec !== 'string') return isFields(spec) ? JSON.stringify(spec) : spec;
  const value = jsonOf(spec);
  return value === undefined ? spec : JSON.stringify(value);
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Returns the value of a JSON text; undefined for other text, which the control plane reads as YAML
 * or refuses.
 */
export function jsonOf(text: string): unknown {
  const rest = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  if (!/^\s*[{[]/.test(rest.slice(0, 1_024))) return undefined;
  try {
    return JSON.parse(rest) as unknown;
  } catch {
    return undefined;
  }
}

const FILTER: Members = Object.fromEntries(
  // An empty list matches no operation, a missing list matches all.
  ['operation_ids', 'tags', 'methods', 'paths'].map((name) => [name, { keepsEmpty: true }]),
);

/**
 * The document of an HTTP service. It is a text and not a map of members, so that `{ env: … }` in
 * it does not name a variable.
 */
export const OPENAPI: Members = {
  spec: { normal: documentText },
  ...plain('spec_url', 'aliases', 'read_only'),
  include: { members: FILTER },
  exclude: { members: FILTER },
  output_schemas: { fallback: true },
};

/**
 * Reads the saved document of a service. For a service with `spec_url`, the control plane reads the
 * document, which is left out.
 */
export async function savedDocument({ api }: ReconcileContext, path: string): Promise<Json> {
  const saved = await api.call('GET', `${path}/openapi`);
  if (saved['spec_url'] !== null) return saved;
  const { document } = await api.call('GET', `${path}/openapi?document=true`);
  return { ...saved, spec: document };
}

/**
 * Returns the members that create a service with its document. Throws for members that an HTTP
 * service cannot have.
 */
export function serviceOf({ openapi, url, transport, ...rest }: Json): Json {
  assertSource(openapi);
  if (url === undefined)
    throw new Error('url is required: the base URL of the service, to which calls and credentials go.');
  if (transport !== undefined && transport !== 'http')
    throw new Error('transport must be http, because the item has openapi; leave it out.');
  return { ...rest, openapi, base_url: url };
}

/** Updates the document and the selection of a service if they differ. */
export async function changeDocument(
  context: ReconcileContext,
  path: string,
  item: unknown,
  before: unknown,
): Promise<void> {
  if ((item === undefined) !== (before === undefined))
    throw new Error(
      'an MCP server cannot become an HTTP service with openapi, nor the other way round; delete and create the item.',
    );
  if (canonical(item) === canonical(before)) return;
  assertSource(item);
  const [wanted, saved] = [item as Json, before as Json];
  const sources = ['spec', 'spec_url'].filter(
    (name) => wanted[name] !== undefined && wanted[name] !== saved[name],
  );
  await put(context, `${path}/openapi`, {
    ...Object.fromEntries(sources.map((name) => [name, wanted[name]])),
    include: wanted['include'] ?? null,
    exclude: wanted['exclude'] ?? null,
    aliases: wanted['aliases'] ?? {},
    read_only: wanted['read_only'] ?? [],
    output_schemas: wanted['output_schemas'],
  });
}

function assertSource(openapi: unknown): void {
  const isOne = isFields(openapi) && (openapi['spec'] === undefined) !== (openapi['spec_url'] === undefined);
  if (!isOne)
    throw new Error('openapi needs the document: spec_file, spec or spec_url, and only one of them.');
}
