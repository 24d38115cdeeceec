import type { Dialect, RouteKind } from '@gw/providers';

/** What the path of a request says about it. */
export interface Route {
  readonly kind: RouteKind;
  /** Name in the log: `chat.completions`, `passthrough`. */
  readonly name: string;
  /** Decides error bodies and stream ends for this client. */
  readonly dialect: Dialect;
  /** Path below the provider's base URL, with its leading slash. */
  readonly upstreamPath: string;
  /** Scopes of which the key needs one. */
  readonly scopes: readonly string[];
}

interface BuiltInRoute {
  readonly method: string;
  readonly path: string;
  readonly kind: RouteKind;
  readonly dialect: Dialect;
  readonly scopes: readonly string[];
}

const COMPLETIONS = ['completions.write'] as const;

/** One line a built-in route. Everything else below `/v1` is passthrough. */
const BUILT_IN: readonly BuiltInRoute[] = [
  {
    method: 'POST',
    path: '/chat/completions',
    kind: 'chat.completions',
    dialect: 'openai',
    scopes: COMPLETIONS,
  },
  { method: 'POST', path: '/completions', kind: 'completions', dialect: 'openai', scopes: COMPLETIONS },
  { method: 'POST', path: '/embeddings', kind: 'embeddings', dialect: 'openai', scopes: COMPLETIONS },
  { method: 'POST', path: '/moderations', kind: 'moderations', dialect: 'openai', scopes: COMPLETIONS },
  {
    method: 'GET',
    path: '/models',
    kind: 'models',
    dialect: 'openai',
    scopes: ['completions.write', 'virtual_keys.list'],
  },
  { method: 'POST', path: '/messages', kind: 'messages', dialect: 'anthropic', scopes: COMPLETIONS },
  {
    method: 'POST',
    path: '/messages/count_tokens',
    kind: 'messages.count_tokens',
    dialect: 'anthropic',
    scopes: COMPLETIONS,
  },
];

const TABLE: ReadonlyMap<string, Route> = new Map(
  BUILT_IN.map(({ method, path, kind, dialect, scopes }) => [
    `${method} ${path}`,
    { kind, name: kind, dialect, upstreamPath: path, scopes },
  ]),
);

/** `path` is what follows `/v1`, without the query. */
export function routeOf(method: string, path: string): Route {
  const builtIn = TABLE.get(`${method} ${path}`);
  if (builtIn) return builtIn;
  const upstreamPath = path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path;
  return { kind: 'passthrough', name: 'passthrough', dialect: 'openai', upstreamPath, scopes: COMPLETIONS };
}
