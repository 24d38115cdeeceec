import { digestOf, type Keyring } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { openToken, sealToken } from '../sealed/sealed-token';
import { RegistryFault, type RegistryQuery, type RegistryRequest } from './registry-request';

/** A version of a server that the caller may use. Times are milliseconds since 1970. */
export interface RegistryEntry {
  /** `<namespace>.<workspace slug>/<server slug>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Number of the approved snapshot; clients see version `1.<n>.0`. */
  readonly snapshot: number;
  readonly isLatest: boolean;
  readonly publishedAt: number;
  readonly updatedAt: number;
  /** URL of the gateway's endpoint. */
  readonly url: string;
  readonly workspaceId: string;
  readonly workspaceSlug: string;
}

export interface RegistryContext {
  readonly ring: Keyring;
  /** `principalBinding` of the caller; a constant for public lists. */
  readonly principal: string;
}

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const PREFIX = 'gwrc1.';
const CURSOR_MAX = 1_024;
const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/**
 * Returns the body of a response of the registry API. `entries` holds everything that the caller
 * may see. Throws a `RegistryFault`: 400 for a cursor of another list or caller, 404 for an unknown
 * workspace, server or version.
 */
export function registryResponse(
  request: RegistryRequest,
  entries: readonly RegistryEntry[],
  context: RegistryContext & {
    /** Ids and slugs of workspaces that the caller may name. */
    readonly workspaces: ReadonlySet<string>;
  },
): JsonObject {
  if (request.kind === 'list') return listOf(request.query, entries, context);
  const versions = entries.filter(({ name }) => name === request.name).sort(newestFirst);
  if (versions.length === 0) throw new RegistryFault(404, 'Server not found.');
  if (request.kind === 'versions')
    return { servers: versions.map(written), metadata: { count: versions.length } };
  const { version } = request;
  const found = versions.find((each) => (version === 'latest' ? each.isLatest : versionOf(each) === version));
  if (found === undefined) throw new RegistryFault(404, 'Version not found.');
  return written(found);
}

function listOf(
  query: RegistryQuery,
  entries: readonly RegistryEntry[],
  context: RegistryContext & { readonly workspaces: ReadonlySet<string> },
): JsonObject {
  const { limit, workspace, search, updatedSince, cursor } = query;
  if (workspace !== null && !context.workspaces.has(workspace))
    throw new RegistryFault(404, 'Workspace not found.');
  const start = cursor === null ? null : opened(cursor, query, context);
  const matching = entries
    .filter((each) => each.isLatest)
    .filter(
      (each) => workspace === null || each.workspaceId === workspace || each.workspaceSlug === workspace,
    )
    .filter(
      (each) =>
        search === null || [each.name, each.title].some((text) => text.toLowerCase().includes(search)),
    )
    .filter((each) => updatedSince === null || each.updatedAt >= updatedSince)
    .sort(newestFirst)
    .filter((each) => start === null || newestFirst(start, each) < 0);
  const page = matching.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = last !== undefined && matching.length > limit ? sealed(last, query, context) : undefined;
  return {
    servers: page.map(written),
    metadata: { count: page.length, ...(nextCursor !== undefined && { nextCursor }) },
  };
}

/** Members that determine the position of an entry in lists. */
type Place = Pick<RegistryEntry, 'publishedAt' | 'name' | 'snapshot'>;

const newestFirst = (one: Place, other: Place): number =>
  other.publishedAt - one.publishedAt ||
  (one.name === other.name ? other.snapshot - one.snapshot : one.name < other.name ? -1 : 1);

const binding = (
  { search, updatedSince, workspace }: RegistryQuery,
  { principal }: RegistryContext,
): string =>
  digestOf('mcp/registry', [
    principal,
    search,
    updatedSince === null ? null : String(updatedSince),
    workspace,
  ]);

const sealed = (
  { publishedAt, name, snapshot }: Place,
  query: RegistryQuery,
  context: RegistryContext,
): string => sealToken(context.ring, PREFIX, [publishedAt, name, snapshot], binding(query, context));

function opened(cursor: string, query: RegistryQuery, context: RegistryContext): Place {
  const options = { prefix: PREFIX, boundTo: binding(query, context), lengthMax: CURSOR_MAX };
  const place = openToken(context.ring, cursor, options) as readonly [number, string, number] | null;
  if (place === null) throw new RegistryFault(400, 'The cursor is not valid.');
  const [publishedAt, name, snapshot] = place;
  return { publishedAt, name, snapshot };
}

const versionOf = ({ snapshot }: RegistryEntry): string => `1.${String(snapshot)}.0`;
const timeText = (time: number): string => new Date(time).toISOString();

const written = (entry: RegistryEntry): JsonObject => ({
  server: {
    $schema: SCHEMA,
    name: entry.name,
    title: entry.title,
    description: entry.description,
    version: versionOf(entry),
    remotes: [{ type: 'streamable-http', url: entry.url }],
  },
  _meta: {
    [OFFICIAL]: {
      status: 'active',
      publishedAt: timeText(entry.publishedAt),
      updatedAt: timeText(entry.updatedAt),
      isLatest: entry.isLatest,
    },
  },
});
