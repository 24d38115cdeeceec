/** A refused request to the registry API, whose error bodies are `{error}`. */
export class RegistryFault extends Error {
  constructor(
    readonly status: 400 | 404 | 501,
    message: string,
  ) {
    super(message);
    this.name = 'RegistryFault';
  }

  body(): { readonly error: string } {
    return { error: this.message };
  }
}

/** Query of `GET /v0.1/servers`. */
export interface RegistryQuery {
  /** Maximum number of servers on a page, 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  /** Search text in lower case; null for none. */
  readonly search: string | null;
  /** Milliseconds since 1970; null for no lower bound. */
  readonly updatedSince: number | null;
  /** Id or slug of a workspace; null for all. */
  readonly workspace: string | null;
}

export type RegistryRequest =
  | { readonly kind: 'list'; readonly query: RegistryQuery }
  | { readonly kind: 'versions'; readonly name: string }
  /** `version` may be `latest`. */
  | { readonly kind: 'version'; readonly name: string; readonly version: string };

const ROOT = '/v0.1/servers';
const TARGET_MAX = 8_192;
const LIMIT = { default: 50, max: 100 };
const SEARCH_MAX = 255;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Reads a request to the registry API (v0.1 of the MCP registry). Throws a `RegistryFault`: 400 for
 * an invalid query, 404 for an unknown path, 501 for methods that change servers.
 */
export function readRegistryRequest(method: string, target: string): RegistryRequest {
  if (target.length > TARGET_MAX) throw new RegistryFault(400, 'The URL is too long.');
  const [path = '', ...query] = target.split('?');
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw new RegistryFault(404, 'Not found.');
  if (method !== 'GET' && method !== 'HEAD')
    throw new RegistryFault(501, 'This registry is read-only; servers are published in the console.');
  const parameters = new URLSearchParams(query.join('?'));
  if (path === ROOT || path === `${ROOT}/`) return { kind: 'list', query: readQuery(parameters) };
  return readNamed(path.slice(ROOT.length + 1));
}

/** Reads `{name}/versions` and `{name}/versions/{version}`. */
function readNamed(path: string): RegistryRequest {
  const [name = '', versions, version = '', ...more] = path.split('/', 5);
  if (versions !== 'versions' || more.length > 0) throw new RegistryFault(404, 'Not found.');
  const decoded = decodedName(name);
  return version === ''
    ? { kind: 'versions', name: decoded }
    : { kind: 'version', name: decoded, version: decodedName(version) };
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RegistryFault(400, 'The name is not valid percent-encoding.');
  }
}

function readQuery(parameters: URLSearchParams): RegistryQuery {
  const workspace = single(parameters, 'workspace_id');
  return {
    limit: limitOf(single(parameters, 'limit')),
    cursor: single(parameters, 'cursor'),
    search: searchOf(single(parameters, 'search')),
    updatedSince: timeOf(single(parameters, 'updated_since')),
    workspace,
  };
}

/**
 * Returns a parameter that may occur once; null when it is absent or empty. Throws 400 for a
 * repeated one.
 */
function single(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new RegistryFault(400, `${name} may be sent once.`);
  return values[0] === undefined || values[0] === '' ? null : values[0];
}

function limitOf(text: string | null): number {
  if (text === null) return LIMIT.default;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT.max) return limit;
  throw new RegistryFault(400, `limit must be 1 to ${String(LIMIT.max)}.`);
}

function searchOf(text: string | null): string | null {
  if (text === null || text.length <= SEARCH_MAX) return text?.toLowerCase() ?? null;
  throw new RegistryFault(400, `search has at most ${String(SEARCH_MAX)} characters.`);
}

/** Returns whether a month has such a day; `Date.parse` reads February 30 as March 2. */
const isDay = (day: string): boolean => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);

function timeOf(text: string | null): number | null {
  if (text === null) return null;
  const time = RFC_3339.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time) || !isDay(text.slice(0, 10)))
    throw new RegistryFault(400, 'updated_since must be a time of RFC 3339.');
  return time;
}
