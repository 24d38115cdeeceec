import { handsOutAccess } from './access-path';
import { callOfPath, type PathCall } from './path-call';
import { ROUTE_ROWS } from './families';
import type { RouteRow } from './route-rows';

/** The properties of a request that follow from its method and path. */
export interface Route extends Omit<RouteRow, 'method' | 'path' | 'document'> {
  /** Path below the provider's base URL, with its leading slash; ids are unchanged. */
  readonly upstreamPath: string;
  /** The model that a passthrough path calls, whatever the body names; null: the path names none. */
  readonly call: PathCall | null;
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
  ROUTE_ROWS.filter(({ path }) => !path.includes('{')).map((row) => [
    `${row.method} ${row.path}`,
    routeAt(row, row.path),
  ]),
);

/** Routes with ids, segment by segment. */
const ROOT = tree(ROUTE_ROWS.filter(({ path }) => path.includes('{')));

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

function routeAt({ method: _, path: __, document: ___, ...row }: RouteRow, path: string): Route {
  const upstreamPath = row.followUp ? path.slice(0, path.lastIndexOf('/')) : path;
  return { ...row, upstreamPath, call: null, handsOutAccess: false };
}

/**
 * Returns the route of a path. `path` follows `/v1` and has no query. An id is any non-empty text; nothing is
 * decoded, so an id cannot become another path.
 */
export function routeOf(method: string, path: string): Route {
  const plain = PLAIN.get(`${method} ${path}`);
  if (plain) return plain;
  const row = withIds(method, path);
  if (row) return routeAt(row, path);
  const upstreamPath = path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path;
  const call = callOfPath(method, upstreamPath);
  return { ...PASSTHROUGH, upstreamPath, call, handsOutAccess: handsOutAccess(upstreamPath) };
}

/** Finds a route with ids. A named segment precedes an id: `/threads/runs` is not the thread `runs`. */
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

const PASSTHROUGH: Omit<Route, 'upstreamPath' | 'call' | 'handsOutAccess'> = {
  kind: 'passthrough',
  name: 'passthrough',
  dialect: 'openai',
  body: 'any',
  model: 'maybe',
  scopes: ['completions.write'],
  checkBody: null,
  checkQuery: null,
  followUp: null,
  prompt: null,
};
