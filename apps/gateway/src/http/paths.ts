import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from '@gw/providers';
import { agentDestination } from '../agents/agent-destination';
import type { ApiBase } from '../routes/gemini-path';
import { mcpPlaceOf, ssePlaceOf, type McpPlace, type SsePlace } from '@gw/oauth';
import { CONTROL_PLANE_SEGMENTS, HEADER, MCP_ADMIN_PATH, UNVERSIONED_SEGMENTS } from '@gw/contracts';

const CONTROL_PLANE: ReadonlySet<string> = new Set(CONTROL_PLANE_SEGMENTS);
const UNVERSIONED: ReadonlySet<string> = new Set(UNVERSIONED_SEGMENTS);

/** The data-plane calls on a saved prompt; all other prompt routes belong to the control plane. */
const PROMPT_CALL = /^\/v1\/prompts\/(?!partials\/)[^/]+\/(?:completions|render)$/;

/**
 * The view of a health route. `words`: state words for every caller. `live`: whether the process
 * runs. `ready`: whether it can serve. `parts`: every part in detail.
 */
export type HealthView = 'words' | 'live' | 'ready' | 'parts';

const HEALTH = new Map<string, HealthView>([
  ['/health', 'words'],
  ['/health/live', 'live'],
  ['/health/ready', 'ready'],
  ['/health/parts', 'parts'],
]);

/** Segments that both the control plane and a provider use: Anthropic's API has deployments. */
const SHARED: ReadonlySet<string> = new Set(['deployments']);
const NAMES_TARGET = [HEADER.provider, HEADER.config, HEADER.virtualKey] as const;

export type Destination =
  | { readonly plane: 'data'; readonly path: string; readonly base: ApiBase }
  | { readonly plane: 'control' }
  | { readonly plane: 'limits' }
  | { readonly plane: 'health'; readonly view: HealthView }
  | { readonly plane: 'openapi' }
  /** `sse` is set for a path of the HTTP+SSE transport. */
  | { readonly plane: 'mcp'; readonly place: McpPlace; readonly sse?: SsePlace['part'] }
  | { readonly plane: 'agents'; readonly to: NonNullable<ReturnType<typeof agentDestination>> }
  | { readonly plane: 'refused'; readonly rule: string }
  | { readonly plane: 'none' };

/**
 * Classifies a path exactly as it was sent. Nothing is decoded or normalised, so a spelling cannot
 * pass a check as one path and be routed as another. A path that a server behind the gateway could
 * read differently is refused.
 */
export function destinationOf(
  path: string,
  method = 'GET',
  headers: IncomingHttpHeaders = NO_HEADERS,
): Destination {
  return mcpDestinations.get(path) ?? readDestination(path, method, headers);
}

function readDestination(path: string, method: string, headers: IncomingHttpHeaders): Destination {
  const rule = brokenRule(path);
  if (rule !== null) return { plane: 'refused', rule };
  const view = healthViewOf(path);
  if (view !== undefined) return { plane: 'health', view };
  if (path.startsWith('/v1/')) return versionedDestination(path, method, headers);
  if (path.startsWith(OPENAI_PREFIX))
    return { plane: 'data', path: path.slice(OPENAI_PREFIX.length - 1), base: '/v1' };
  const base = GEMINI_BASES.find((one) => path.startsWith(`${one}/`));
  if (base !== undefined) return { plane: 'data', path: path.slice(base.length), base };
  if (isOfControlPlaneAlone(path)) return { plane: 'control' };
  if (path === '/openapi.json') return { plane: 'openapi' };
  const mcp = mcpDestination(path);
  if (mcp !== undefined) return mcp;
  const to = agentDestination(method, path);
  return to === undefined ? { plane: 'none' } : { plane: 'agents', to };
}

type McpDestination = Extract<Destination, { plane: 'mcp' }>;

/**
 * Parsed destinations by the paths of MCP servers. At the maximum, new paths are parsed each time.
 */
const mcpDestinations = new Map<string, McpDestination>();
const [MCP_DESTINATIONS_MAX, MCP_PATH_LENGTH_MAX] = [1_000, 256];

function mcpDestination(path: string): McpDestination | undefined {
  const found = readMcpDestination(path);
  if (
    found !== undefined &&
    mcpDestinations.size < MCP_DESTINATIONS_MAX &&
    path.length <= MCP_PATH_LENGTH_MAX
  )
    mcpDestinations.set(path, found);
  return found;
}

function readMcpDestination(path: string): McpDestination | undefined {
  const place = mcpPlaceOf(path);
  if (place !== undefined) return { plane: 'mcp', place };
  const sse = ssePlaceOf(path);
  return sse && { plane: 'mcp', place: sse.place, sse: sse.part };
}

const isOfControlPlaneAlone = (path: string): boolean =>
  path.startsWith('/v2/') || path === MCP_ADMIN_PATH || UNVERSIONED.has(firstSegment(path, 1));

function versionedDestination(path: string, method: string, headers: IncomingHttpHeaders): Destination {
  if (path === '/v1/me/limits') return { plane: 'limits' };
  if (path === '/v1/openapi.json') return { plane: 'openapi' };
  const to = agentDestination(method, path);
  if (to !== undefined) return { plane: 'agents', to };
  return isOfControlPlane(path, method, headers)
    ? { plane: 'control' }
    : { plane: 'data', path: path.slice(3), base: '/v1' };
}

/** Prefix that some SDKs, such as Groq's, add after the base URL. It leads to model routes only. */
const OPENAI_PREFIX = '/openai/v1/';
/**
 * Returns the dialect that the beginning of a path indicates, for errors of requests without a
 * route.
 */
export function dialectOf(path: string): Dialect {
  if (path.startsWith('/v1beta')) return 'gemini';
  return path.startsWith('/v1/messages') ? 'anthropic' : 'openai';
}

/** Versions in the paths of Gemini clients. */
const GEMINI_BASES = ['/v1beta', '/v1beta1'] as const satisfies readonly ApiBase[];
const NO_HEADERS: IncomingHttpHeaders = {};

/** Returns the segment that starts at `start`. */
function firstSegment(path: string, start: number): string {
  const end = path.indexOf('/', start);
  return end === -1 ? path.slice(start) : path.slice(start, end);
}

/** Health routes exist below `/v1` and without it. Other paths cost a comparison and no lookup. */
function healthViewOf(path: string): HealthView | undefined {
  const start = path.startsWith('/v1/') ? 3 : 0;
  return path.startsWith('/health', start) ? HEALTH.get(path.slice(start)) : undefined;
}

/**
 * Whether a path below `/v1/` belongs to the control plane. A shared path belongs to the data plane
 * if the request names a provider, a config or a virtual key. The data plane requires a workspace
 * key there and the control plane an organisation key, so a call meant for one plane cannot take
 * effect on the other.
 */
function isOfControlPlane(path: string, method: string, headers: IncomingHttpHeaders): boolean {
  const segment = firstSegment(path, 4);
  if (!CONTROL_PLANE.has(segment)) return false;
  if (SHARED.has(segment)) return NAMES_TARGET.every((name) => headers[name] === undefined);
  return segment !== 'prompts' || method !== 'POST' || !PROMPT_CALL.test(path);
}

// One pass with a plain character class: most paths contain none of these characters.

const SUSPICIOUS = /[\\\x00-\x20\x7f#]|\/\/|%(?:00|0a|0d|2e|5c)|(?:\/|%2f)\.{1,2}(?:\/|%2f|$)/i;

function brokenRule(path: string): string | null {
  if (!path.startsWith('/')) return 'must start with a slash';
  if (!SUSPICIOUS.test(path)) return null;
  return 'must have no empty or dot segment, no backslash, control character, fragment or encoded dot, backslash, NUL or line break';
}
