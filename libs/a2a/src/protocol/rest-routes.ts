import { A2aError } from './errors';
import type { Operation } from './operations';
import { requestedVersion, type A2aVersion, type VersionSignals } from './versions';

/** Address of an agent at this gateway: a slug in the caller's workspace, or in a named one. */
export interface AgentPlace {
  readonly workspace: string | null;
  readonly agent: string;
}

/** A request of the HTTP+JSON binding. */
export interface RestRoute {
  readonly operation: Operation;
  /** Task id of the path. */
  readonly taskId?: string;
  /** Id of a push notification config of the path. */
  readonly configId?: string;
  /** Version in the path; null when the header decides it, or 1.0 without a header. */
  readonly version: '0.3' | null;
  /** Tenant of the agent, which the first segment of a 1.0 path may name; null for none. */
  readonly tenant: string | null;
}

/** Route of a method and path below an agent. */
export type AgentRoute =
  | ({ readonly kind: 'rpc' } & AgentPlace)
  | ({ readonly kind: 'card' } & AgentPlace)
  | ({ readonly kind: 'rest' } & AgentPlace & RestRoute)
  | { readonly kind: 'refused'; readonly status: 404 }
  | { readonly kind: 'refused'; readonly status: 405; readonly allow: readonly string[] };

const NOT_FOUND: AgentRoute = { kind: 'refused', status: 404 };
const PATH_LENGTH_MAX = 4_096;
const SEGMENTS_MAX = 12;
const SLUG = /^[\w-]{1,255}$/;
/** Allowed ids in a path, after decoding. */
const PATH_ID = /^[\w.~:@+=-]{1,255}$/;
const WELL_KNOWN: ReadonlySet<string> = new Set(['.well-known/agent-card.json', '.well-known/agent.json']);
const RPC_METHODS: readonly string[] = ['POST'];
const CARD_METHODS: readonly string[] = ['GET', 'POST'];

/**
 * Methods and operations of a path pattern. `{id}` and `{configId}` stand for ids; `{id}:cancel` is
 * one segment with a verb.
 */
interface Pattern {
  readonly segments: readonly string[];
  readonly methods: Readonly<Record<string, Operation>>;
}

/** Paths of both versions; in 0.3 they are below `v1`. */
const COMMON: readonly Pattern[] = [
  { segments: ['message:send'], methods: { POST: 'sendMessage' } },
  { segments: ['message:stream'], methods: { POST: 'sendStreamingMessage' } },
  { segments: ['tasks'], methods: { GET: 'listTasks' } },
  { segments: ['tasks', '{id}:cancel'], methods: { POST: 'cancelTask' } },
  // The text of A2A 1.0 specifies POST, its protocol buffers specify GET.
  { segments: ['tasks', '{id}:subscribe'], methods: { POST: 'subscribeToTask', GET: 'subscribeToTask' } },
  { segments: ['tasks', '{id}'], methods: { GET: 'getTask' } },
  {
    segments: ['tasks', '{id}', 'pushNotificationConfigs'],
    methods: { POST: 'createPushConfig', GET: 'listPushConfigs' },
  },
  {
    segments: ['tasks', '{id}', 'pushNotificationConfigs', '{configId}'],
    methods: { GET: 'getPushConfig', DELETE: 'deletePushConfig' },
  },
];
const OF_03: readonly Pattern[] = [...COMMON, { segments: ['card'], methods: { GET: 'getExtendedCard' } }];
const OF_10: readonly Pattern[] = [
  ...COMMON,
  { segments: ['extendedAgentCard'], methods: { GET: 'getExtendedCard' } },
];

/**
 * Returns the route of a method and path: `/v1/agent/{slug}` or `/{workspace}/agents/{slug}`, and
 * below it JSON-RPC, the card, or a path of HTTP+JSON in both versions. `path` is as it was sent,
 * without its query. Refuses unknown paths, dot segments and encoded slashes with 404, other
 * methods with 405.
 */
export function agentRoute(method: string, path: string): AgentRoute {
  if (path.length > PATH_LENGTH_MAX) return NOT_FOUND;
  const [root, first = '', second = '', slug = '', ...rest] = path.split('/', SEGMENTS_MAX);
  if (root !== '' || !SLUG.test(slug)) return NOT_FOUND;
  if (first === 'v1')
    return second === 'agent' ? below({ workspace: null, agent: slug }, method, rest) : NOT_FOUND;
  return second === 'agents' && SLUG.test(first)
    ? below({ workspace: first, agent: slug }, method, rest)
    : NOT_FOUND;
}

function below(place: AgentPlace, method: string, rest: readonly string[]): AgentRoute {
  const [first = ''] = rest;
  if (rest.length === 0)
    return RPC_METHODS.includes(method) ? { kind: 'rpc', ...place } : refusedMethod(RPC_METHODS);
  if (WELL_KNOWN.has(rest.join('/')))
    return CARD_METHODS.includes(method) ? { kind: 'card', ...place } : refusedMethod(CARD_METHODS);
  if (first === 'v1') return matched(place, method, { patterns: OF_03, rest: rest.slice(1), version: '0.3' });
  const own = matched(place, method, { patterns: OF_10, rest, version: null });
  if (own !== NOT_FOUND || !SLUG.test(first)) return own;
  return matched(place, method, { patterns: OF_10, rest: rest.slice(1), version: null, tenant: first });
}

const refusedMethod = (allow: readonly string[]): AgentRoute => ({ kind: 'refused', status: 405, allow });

interface Candidate {
  readonly patterns: readonly Pattern[];
  readonly rest: readonly string[];
  readonly version: '0.3' | null;
  readonly tenant?: string;
}

function matched(
  place: AgentPlace,
  method: string,
  { patterns, rest, version, tenant }: Candidate,
): AgentRoute {
  for (const { segments, methods } of patterns) {
    const ids = idsOf(segments, rest);
    if (ids === null) continue;
    const operation = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (operation === undefined) return refusedMethod(Object.keys(methods));
    return {
      kind: 'rest',
      ...place,
      ...ids,
      version,
      operation,
      tenant: tenant ?? null,
    };
  }
  return NOT_FOUND;
}

/** Returns the ids of a path that has the form of a pattern; null for another form. */
function idsOf(
  segments: readonly string[],
  rest: readonly string[],
): Pick<RestRoute, 'taskId' | 'configId'> | null {
  if (segments.length !== rest.length) return null;
  const ids: { taskId?: string; configId?: string } = {};
  for (const [index, segment] of segments.entries()) {
    const text = rest[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== text) return null;
      continue;
    }
    const [name = '', verb = ''] = segment.split('}');
    const id = text.endsWith(verb) ? idOf(text.slice(0, text.length - verb.length)) : null;
    if (id === null) return null;
    ids[name === '{id' ? 'taskId' : 'configId'] = id;
  }
  return ids;
}

/**
 * Returns the decoded id of a segment; null for an id that could change the path, or that is not
 * encoded correctly.
 */
function idOf(segment: string): string | null {
  // An unencoded colon begins a verb.
  if (segment.includes(':')) return null;
  let id: string;
  try {
    id = decodeURIComponent(segment);
  } catch {
    return null;
  }
  return PATH_ID.test(id) && !/^\.{1,2}$/.test(id) ? id : null;
}

/**
 * Returns the version of a request of HTTP+JSON: that of its path, else the requested one, else
 * 1.0. Throws `A2aError` `versionNotSupported`, also when path and header disagree.
 */
export function restVersion({ version }: Pick<RestRoute, 'version'>, signals: VersionSignals): A2aVersion {
  const requested = requestedVersion(signals);
  if (version !== null && requested !== null && requested !== version)
    throw new A2aError('versionNotSupported', `The path belongs to A2A ${version}, not ${requested}.`);
  return version ?? requested ?? '1.0';
}
