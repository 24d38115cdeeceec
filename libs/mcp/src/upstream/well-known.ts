/**
 * Callers fetch each address with at most 256 KB, 5 s and 3 redirects, through the operator's
 * address policy.
 */
const withPath = (origin: string, name: string, path: string): string =>
  `${origin}/.well-known/${name}${path}`;

const pathOf = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);

/**
 * Returns the addresses of the resource metadata of a server in the order of attempts (RFC 9728,
 * section 3.1).
 */
export function resourceMetadataUrls(serverUrl: URL): readonly string[] {
  const path = pathOf(serverUrl);
  const root = withPath(serverUrl.origin, RESOURCE, '');
  return path === '' ? [root] : [withPath(serverUrl.origin, RESOURCE, path), root];
}

/**
 * Returns the addresses of the metadata of an authorization server in the order of attempts (MCP
 * 2025-11-25; RFC 8414).
 */
export function serverMetadataUrls(issuer: URL): readonly string[] {
  const { origin } = issuer;
  const path = pathOf(issuer);
  const inserted = [withPath(origin, OAUTH, path), withPath(origin, OPENID, path)];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/${OPENID}`];
}

const RESOURCE = 'oauth-protected-resource';
const OAUTH = 'oauth-authorization-server';
const OPENID = 'openid-configuration';

/**
 * Contents of an upstream's `WWW-Authenticate` with `Bearer` or `DPoP`. Absent parameters are null.
 */
export interface BearerChallenge {
  /** Present when the upstream accepts only tokens that are bound to a key (RFC 9449). */
  readonly demandsProof?: true;
  readonly resourceMetadata: string | null;
  readonly scope: string | null;
  readonly error: string | null;
}

const CHALLENGE_MAX = 4_096;

/**
 * Reads the first Bearer challenge of a `WWW-Authenticate` header (RFC 9110, RFC 6750), or else its
 * first DPoP challenge (RFC 9449); null without either.
 */
export function readChallenge(header: string): BearerChallenge | null {
  const text = header.slice(0, CHALLENGE_MAX);
  const bearer = /(?:^|,)[ \t]{0,8}bearer(?:[ \t,]|$)/i.exec(text);
  const start = bearer ?? /(?:^|,)[ \t]{0,8}dpop(?:[ \t,]|$)/i.exec(text);
  if (start === null) return null;
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token] of text.slice(start.index).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
  }
  const of = (name: string): string | null => parameters.get(name) ?? null;
  return {
    ...{ resourceMetadata: of('resource_metadata'), scope: of('scope'), error: of('error') },
    ...(bearer === null && { demandsProof: true as const }),
  };
}

const PARAMETER = /\b([a-z_]{1,32})=(?:"((?:[^"\\]|\\.){0,2048})"|([^\s",]{1,2048}))/gi;

/**
 * Returns whether the metadata address of a challenge may be fetched: it must be on the origin of
 * the server, or be one that the integration names.
 */
export const isMetadataUrlAllowed = (url: string, serverUrl: URL, named: readonly string[]): boolean =>
  named.includes(url) || (URL.canParse(url) && new URL(url).origin === serverUrl.origin);
