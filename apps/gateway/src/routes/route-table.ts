import { GEMINI_METHODS, geminiAddress, type ApiBase, type GeminiAddress } from './gemini-path';
import { handsOutAccess } from './access-path';
import { callOfPath, type PathCall } from './path-call';
import { ROUTE_ROWS } from './families';
import type { Dialect } from '@gw/providers';
import type { RouteRow } from './route-rows';

/** The properties of a request that follow from its method and path. */
export interface Route extends Omit<RouteRow, 'method' | 'path' | 'base' | 'document'> {
  /** Path below the provider's base URL, with its leading slash; ids are unchanged. */
  readonly upstreamPath: string;
  /** The model that the path calls, whatever the body names; null: the path names none. */
  readonly call: PathCall | null;
  /** The call of a Gemini client, on its built-in routes only. */
  readonly address: GeminiAddress | null;
  /** The response of this passthrough path gives the caller access to the provider. */
  readonly handsOutAccess: boolean;
}

interface Branch {
  readonly named: Map<string, Branch>;
  /** The branch behind an id; each place has at most one. */
  id: Branch | null;
  readonly routes: Map<string, RouteRow>;
}

const branch = (): Branch => ({ named: new Map(), id: null, routes: new Map() });

/** Routes without an id, by method and path. */
const PLAIN: ReadonlyMap<string, Route> = new Map(
  ROUTE_ROWS.filter(({ path, base }) => base === '/v1' && !path.includes('{')).map((row) => [
    `${row.method} ${row.path}`,
    routeAt(row, row.path),
  ]),
);

/** Routes with ids, segment by segment. */
const ROOT = tree(ROUTE_ROWS.filter(({ path, base }) => base === '/v1' && path.includes('{')));

/** Routes of Gemini clients by name. */
const OF_GEMINI: ReadonlyMap<string, RouteRow> = new Map(
  ROUTE_ROWS.filter(({ dialect }) => dialect === 'gemini').map((row) => [row.name, row]),
);

function tree(rows: readonly RouteRow[]): Branch {
  const root = branch();
  for (const row of rows) {
    let at = root;
    for (const segment of row.path.slice(1).split('/')) {
      if (segment.startsWith('{')) at = at.id ??= branch();
      else {
        const next = at.named.get(segment) ?? branch();
        at.named.set(segment, next);
        at = next;
      }
    }
    at.routes.set(row.method, row);
  }
  return root;
}

function routeAt({ method: _, path: __, base: ___, document: ____, ...row }: RouteRow, path: string): Route {
  const upstreamPath = row.followUp ? path.slice(0, path.lastIndexOf('/')) : path;
  return { ...row, upstreamPath, call: null, address: null, handsOutAccess: false };
}

/**
 * Returns the route of a path. `path` follows `base` and has no query. An id is any non-empty text;
 * nothing is decoded, so an id cannot become another path. Below the bases of Gemini clients, other
 * paths are passthrough too.
 */
export function routeOf(method: string, path: string, base: ApiBase = '/v1'): Route {
  if (base !== '/v1') return geminiRouteOf(method, path, base) ?? passthroughOf(method, path, 'gemini');
  const plain = PLAIN.get(`${method} ${path}`);
  if (plain) return plain;
  const row = withIds(method, path);
  if (row) return routeAt(row, path);
  return geminiRouteOf(method, path, base) ?? passthroughOf(method, path, 'openai');
}

/**
 * Finds the route of a Gemini client. A provider gets a path that is built from the model, never
 * the client's own path.
 */
function geminiRouteOf(method: string, path: string, base: ApiBase): Route | null {
  const address = geminiAddress(method, path, base);
  if (address === null) return null;
  const { model } = address;
  const name = address.method ?? (model === null ? 'models.list' : 'models.get');
  const row = OF_GEMINI.get(`gemini.${name}`);
  if (row === undefined) return null;
  const call =
    address.method === null || model === null ? null : { model, kind: GEMINI_METHODS[address.method] };
  return { ...routeAt(row, path), call, address };
}

function passthroughOf(method: string, path: string, dialect: Dialect): Route {
  const upstreamPath = path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path;
  const call = callOfPath(method, upstreamPath);
  return { ...PASSTHROUGH, dialect, upstreamPath, call, handsOutAccess: handsOutAccess(upstreamPath) };
}

/**
 * Finds a route with ids. A named segment precedes an id: `/threads/runs` is not the thread `runs`.
 */
function withIds(method: string, path: string): RouteRow | undefined {
  let at: Branch | null = ROOT;
  let from = 1;
  while (at && from <= path.length) {
    const slash = path.indexOf('/', from);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(from, end);
    at = at.named.get(segment) ?? (segment === '' ? null : at.id);
    from = end + 1;
    if (slash === -1) return at?.routes.get(method);
  }
  return undefined;
}

const PASSTHROUGH: Omit<Route, 'upstreamPath' | 'call' | 'dialect' | 'handsOutAccess'> = {
  kind: 'passthrough',
  name: 'passthrough',
  address: null,
  body: 'any',
  model: 'maybe',
  scopes: ['completions.write'],
  checkBody: null,
  checkQuery: null,
  followUp: null,
  prompt: null,
};
