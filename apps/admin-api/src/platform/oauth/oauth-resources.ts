import { isScope, scopesAllowedFor, SCOPES } from '@gw/auth-scopes';
import { MCP_ADMIN_PATH } from '@gw/contracts';
import { PROOF_ALGORITHMS } from '@gw/trusts';
import { canonicalResource, resourceAt } from '@gw/oauth';

/** A resource for which tokens are issued. */
export interface OauthResource {
  /** Canonical URL and audience of tokens. */
  readonly url: string;
  readonly type: 'control_plane' | 'mcp' | 'agent';
  readonly name: string;
  /**
   * Slug or id of the only workspace in which tokens for the resource act; null when the user
   * chooses.
   */
  readonly workspace: string | null;
  /**
   * Slug or id of the only server, toolset or agent; null for the API and for all MCP servers of a
   * workspace.
   */
  readonly server: string | null;
  /**
   * Scopes that tokens for the resource can have; null for all scopes that the client may request.
   */
  readonly scopes: readonly string[] | null;
  /** Scopes of requests that name none. */
  readonly defaultScopes: readonly string[];
}

/**
 * How a client became known. `registered`: by an administrator, or built in. `document`: by a
 * document at its id. `dynamic`: by registering itself.
 */
export type ClientKind = 'registered' | 'document' | 'dynamic';

export const OFFLINE = 'offline_access';

/**
 * Returns the resource of a URL, which must be the exact canonical URL; null for an unknown one.
 */
export function resourceOf(url: string, publicUrl: string): OauthResource | null {
  const [canonical, place] = [canonicalResource(url), resourceAt(url, publicUrl)];
  if (canonical === undefined || place === undefined) return null;
  if (place.kind === 'control_plane')
    return {
      ...{ url: canonical, type: 'control_plane', name: 'Tollgate API', workspace: null, server: null },
      scopes: null,
      defaultScopes: ['completions.write'],
    };
  if (place.kind === 'control_plane_mcp')
    return {
      ...{ url: canonical, type: 'control_plane', name: 'Tollgate administration (MCP)', workspace: null },
      ...{ server: null, scopes: null, defaultScopes: READING_SCOPES },
    };
  const { kind: type, server, workspace } = place;
  if (server === null && type === 'agent') return null;
  const { name: kind, scopes } = CALLED[type];
  const name = server === null ? 'All MCP servers' : `${kind} ${server}`;
  return {
    ...{ url: canonical, type, name, workspace, server },
    ...{ scopes, defaultScopes: scopes },
  };
}

/** Names and scopes of the resources that a token for one server or agent calls. */
const CALLED = {
  mcp: { name: 'MCP server', scopes: ['mcp.invoke'] },
  agent: { name: 'Agent', scopes: ['agents.invoke'] },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly scopes: readonly string[] }>>;

/** Read-only scopes of user keys: the default of clients of the control plane's MCP server. */
export const READING_SCOPES: readonly string[] = [...scopesOfClient(false)].filter((scope) =>
  /\.(?:list|read|view)$/.test(scope),
);

/** Returns the scopes that tokens for a resource can have when a client requests them. */
export function scopesAt({ scopes }: OauthResource, isRegistered: boolean): ReadonlySet<string> {
  const all = scopesOfClient(isRegistered);
  return scopes === null ? all : new Set(scopes.filter((scope) => all.has(scope)));
}

/**
 * Returns the scopes that a client may request: the whole catalogue for a registered client, the
 * scopes of a user key for others.
 */
export function scopesOfClient(isRegistered: boolean): ReadonlySet<string> {
  return isRegistered ? new Set(SCOPES) : scopesAllowedFor('workspace-user');
}

/**
 * Returns the scopes that a request names and its client may request, and whether it names
 * `offline_access` to get a refresh token.
 */
export function scopesRequested(
  params: Readonly<Record<string, unknown>>,
  client: { readonly kind: ClientKind },
): { readonly scopes: readonly string[]; readonly offline: boolean } {
  const named = String(params['scope']).split(' ');
  const allowed = scopesOfClient(client.kind === 'registered');
  return { scopes: named.filter((scope) => allowed.has(scope)), offline: named.includes(OFFLINE) };
}

/** Whether a client that registers itself may name a scope. */
export const isRegistrable = (scope: string): boolean =>
  scope === OFFLINE || (isScope(scope) && scopesOfClient(false).has(scope));

/**
 * Returns the protected resource metadata (RFC 9728). It does not reveal whether a server exists.
 */
export const protectedResource = (url: string, publicUrl: string): object => ({
  resource: url,
  authorization_servers: [publicUrl],
  scopes_supported: [...supportedScopes(url, publicUrl)].sort(),
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  resource_name: 'Tollgate',
});

function supportedScopes(url: string, publicUrl: string): ReadonlySet<string> {
  const resource = resourceOf(url, publicUrl);
  return resource === null ? scopesOfClient(false) : scopesAt(resource, false);
}

/** Returns the type of a resource by its URL. */
export function resourceTypeOf(url: string): string {
  if (url.endsWith('/v1') || url.endsWith(MCP_ADMIN_PATH)) return 'control_plane';
  if (url.endsWith('/mcp')) return 'mcp';
  return AGENT_URL.test(url) ? 'agent' : 'unknown';
}

const AGENT_URL = /\/(?:v1\/agent|[\w-]+\/agents)\/[\w-]+$/;
