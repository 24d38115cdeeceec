import { MCP_ADMIN_PATH, UNVERSIONED_SEGMENTS } from '@gw/contracts';
import { canonicalResource } from './resource-url';

/**
 * The resource that a URL names. `workspace` is a slug or an id; null: the user chooses it at
 * consent.
 */
export type ResourcePlace =
  | { readonly kind: 'control_plane' }
  /** The control plane as an MCP server. */
  | { readonly kind: 'control_plane_mcp' }
  /** `server` is null for all servers at once. */
  | { readonly kind: 'mcp'; readonly workspace: string | null; readonly server: string | null }
  | { readonly kind: 'agent'; readonly workspace: string | null; readonly server: string };

export type McpPlace = Extract<ResourcePlace, { kind: 'mcp' }>;

const SEGMENT = /^[\w-]{1,255}$/;
/** First segments that name neither a workspace nor a server: the gateway has other routes there. */
const RESERVED: ReadonlySet<string> = new Set([
  ...UNVERSIONED_SEGMENTS,
  ...['v1', 'v1beta', 'v1beta1', 'v2', 'mcp', 'health', 'openapi', 'scim'],
]);
/** Segments that never name a server. */
const NO_SERVERS: ReadonlySet<string> = new Set(['-', 'all', 'mcp', 'sse', 'messages']);

const isWorkspace = (segment: string): boolean =>
  SEGMENT.test(segment) && segment !== '-' && !RESERVED.has(segment);
const isServer = (segment: string): boolean => SEGMENT.test(segment) && !NO_SERVERS.has(segment);

/**
 * Parses the URL of a resource of this installation; undefined when it names none. `publicUrl` is
 * the origin of the installation. Does not check that such a server exists.
 */
export function resourceAt(url: string, publicUrl: string): ResourcePlace | undefined {
  const [canonical, origin] = [canonicalResource(url), canonicalResource(publicUrl)];
  if (canonical === undefined || origin === undefined || !canonical.startsWith(`${origin}/`))
    return undefined;
  const path = canonical.slice(origin.length + 1);
  if (path === 'v1') return { kind: 'control_plane' };
  if (`/${path}` === MCP_ADMIN_PATH) return { kind: 'control_plane_mcp' };
  const segments = path.split('/', 5);
  return segments.at(-1) === 'mcp' ? serverAt(segments.slice(0, -1)) : agentAt(segments);
}

function serverAt(segments: readonly string[]): ResourcePlace | undefined {
  const [first, second] = segments;
  if (first === undefined) return { kind: 'mcp', workspace: null, server: null };
  if (segments.length === 1)
    return isServer(first) && !RESERVED.has(first)
      ? { kind: 'mcp', workspace: null, server: first }
      : undefined;
  if (segments.length !== 2 || second === undefined || !isWorkspace(first)) return undefined;
  if (second === '-') return { kind: 'mcp', workspace: first, server: null };
  return isServer(second) ? { kind: 'mcp', workspace: first, server: second } : undefined;
}

function agentAt(segments: readonly string[]): ResourcePlace | undefined {
  const [first = '', second, server] = segments;
  if (segments.length !== 3 || server === undefined || !SEGMENT.test(server)) return undefined;
  if (first === 'v1') return second === 'agent' ? { kind: 'agent', workspace: null, server } : undefined;
  return second === 'agents' && isWorkspace(first) ? { kind: 'agent', workspace: first, server } : undefined;
}

/**
 * Returns the server or servers that a path of the MCP gateway names; undefined for another path.
 */
export function mcpPlaceOf(path: string): McpPlace | undefined {
  if (!path.endsWith('/mcp')) return undefined;
  const place = serverAt(path.split('/', 5).slice(1, -1));
  return place?.kind === 'mcp' ? place : undefined;
}

/**
 * Returns the path of the resource that a path of an MCP server or agent belongs to. Agents have
 * several paths, such as that of their card; an MCP server has others for HTTP+SSE.
 */
export function resourcePathOf(path: string): string {
  if (mcpPlaceOf(path) !== undefined) return path;
  const sse = ssePlaceOf(path);
  if (sse !== undefined) return sse.resource;
  const segments = path.split('/', 5).slice(1, 4);
  return agentAt(segments) === undefined ? path : `/${segments.join('/')}`;
}

/**
 * Returns the path of the MCP server that an authorization path names:
 * `/oauth/{workspace}/{server}/authorize` or `/oauth/{server}/authorize`. Undefined for another
 * path.
 */
export function resourcePathOfAuthorize(path: string): string | undefined {
  const segments = path.split('/', 6);
  const [root, oauth, ...named] = segments;
  if (root !== '' || oauth !== 'oauth' || named.pop() !== 'authorize' || named.length === 0) return undefined;
  return serverAt(named) === undefined ? undefined : `/${named.join('/')}/mcp`;
}

/**
 * A path of the HTTP+SSE transport (MCP 2024-11-05): `…/sse` streams to a client, `…/messages`
 * accepts its messages.
 */
export interface SsePlace {
  readonly place: McpPlace;
  readonly part: 'sse' | 'messages';
  /** The path of the same server for streamable HTTP, to which tokens belong. */
  readonly resource: string;
}

/**
 * Parses a path of the HTTP+SSE transport; undefined for another path. The path of all servers
 * needs a workspace here.
 */
export function ssePlaceOf(path: string): SsePlace | undefined {
  const [root, ...segments] = path.split('/', 5);
  const part = segments.pop();
  if (root !== '' || segments.length === 0 || (part !== 'sse' && part !== 'messages')) return undefined;
  const place = serverAt(segments);
  return place?.kind === 'mcp' ? { place, part, resource: `/${segments.join('/')}/mcp` } : undefined;
}
