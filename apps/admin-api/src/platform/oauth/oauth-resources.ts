import { isScope, scopesAllowedFor, SCOPES } from '@gw/auth-scopes';
import { PROOF_ALGORITHMS } from '@gw/trusts';
import { canonicalResource, resourceAt } from '@gw/oauth';

/** Something that tokens are for. */
export interface OauthResource {
  /** Canonical URL; the audience of tokens. */
  readonly url: string;
  readonly type: 'control_plane';
  readonly name: string;
  /** Scopes of requests that name none. */
  readonly defaultScopes: readonly string[];
}

/** `registered`: by an administrator, or built in. `document`: by the host of its id. `dynamic`: by itself. */
export type ClientKind = 'registered' | 'document' | 'dynamic';

export const OFFLINE = 'offline_access';

/** The resource of a URL, which must be exactly its own; null for an unknown one. */
export function resourceOf(url: string, publicUrl: string): OauthResource | null {
  const canonical = canonicalResource(url);
  if (canonical === undefined || resourceAt(canonical, publicUrl)?.kind !== 'control_plane') return null;
  return {
    url: canonical,
    type: 'control_plane',
    name: 'Tollgate API',
    defaultScopes: ['completions.write'],
  };
}

/** Scopes that a client may ask for: all of the catalogue for one of an administrator, those of a user key for others. */
export const scopesOfClient = (isRegistered: boolean): ReadonlySet<string> =>
  isRegistered ? new Set(SCOPES) : scopesAllowedFor('workspace-user');

/** The scopes that a request names and its client may ask for, and whether it asks for a refresh token by name. */
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

/** The document of RFC 9728. It is the same for resources that do not exist. */
export const protectedResource = (url: string, publicUrl: string): object => ({
  resource: url,
  authorization_servers: [publicUrl],
  scopes_supported: [...scopesOfClient(false)].sort(),
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  resource_name: 'Tollgate',
});

/** The type of a resource by its URL. */
export const resourceTypeOf = (url: string): string => (url.endsWith('/v1') ? 'control_plane' : 'unknown');
