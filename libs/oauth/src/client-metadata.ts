import { ASSERTION_GRANT, DEVICE_GRANT } from './cli-client';
import { cleanClientName } from './client-name';
import { invalidMetadata, invalidRedirectUri } from './metadata-fault';
import { isLoopbackRedirect, redirectUriFault, type RedirectUriOptions } from './redirect-uri';

type Body = Readonly<Record<string, unknown>>;

const REDIRECTS_MAX = 10;
const LIST_MAX = 20;
const SCOPE_LENGTH_MAX = 4_096;
const INFORMATIONAL = ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri'] as const;
/** Members that would make us fetch, trust or encrypt something on a client's request. */
const REFUSED: readonly string[] = [
  ...['software_statement', 'initiate_login_uri', 'request_uris', 'sector_identifier_uri'],
  ...['id_token', 'userinfo', 'authorization', 'introspection'].flatMap((what) =>
    ['alg', 'enc'].map((kind) => `${what}_encrypted_response_${kind}`),
  ),
  ...['request_object_encryption_alg', 'request_object_encryption_enc'],
];

/** Returns an own member; undefined when it is absent or null. */
export function propertyOf(body: Body, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
}

export function assertNoneRefused(body: Body): void {
  const refused = REFUSED.find((name) => propertyOf(body, name) !== undefined);
  if (refused !== undefined) throw invalidMetadata(refused, 'is not supported; leave it out');
}

/** Returns the distinct redirect URIs of a client. Throws `MetadataFault`. */
export function redirectUrisOf(body: Body, options: RedirectUriOptions): string[] {
  const list = propertyOf(body, 'redirect_uris');
  const isList = Array.isArray(list) && list.length > 0 && list.length <= REDIRECTS_MAX;
  if (!isList) {
    throw invalidRedirectUri(`must be a list of 1 to ${String(REDIRECTS_MAX)} addresses`);
  }
  for (const [index, uri] of list.entries()) {
    const fault = redirectUriFault(uri, options);
    if (fault !== undefined) throw invalidRedirectUri(fault, `redirect_uris[${String(index)}]`);
  }
  return [...new Set(list as string[])];
}

/**
 * Derives the application type from the redirect URIs, whatever the client claims. `native` allows
 * any port of a loopback URI.
 */
export const applicationTypeOf = (redirectUris: readonly string[]): 'native' | 'web' =>
  redirectUris.some((uri) => isLoopbackRedirect(uri) || !uri.startsWith('https:')) ? 'native' : 'web';

/**
 * Returns the cleaned name of a client; undefined when the body has none. Throws `MetadataFault`.
 */
export function clientNameOf(body: Body): string | undefined {
  const name = propertyOf(body, 'client_name');
  if (name === undefined) return undefined;
  const clean = typeof name === 'string' ? cleanClientName(name) : undefined;
  if (clean === undefined) throw invalidMetadata('client_name', 'must have 1 to 100 visible characters');
  return clean;
}

/** Returns the URLs that are shown to people and never fetched. Throws `MetadataFault`. */
export function informationalUris(body: Body): Partial<Record<(typeof INFORMATIONAL)[number], string>> {
  const found = INFORMATIONAL.flatMap((name) => {
    const uri = propertyOf(body, name);
    if (uri === undefined) return [];
    if (typeof uri !== 'string' || !uri.startsWith('https:'))
      throw invalidMetadata(name, 'must begin with https://');
    // These URLs may have a fragment, which the rules of redirect URIs forbid.
    const fault = redirectUriFault(uri.replace('#', '/'));
    if (fault !== undefined) throw invalidMetadata(name, fault);
    return [[name, uri] as const];
  });
  return Object.fromEntries(found);
}

/** Optional grants of a client, in addition to the authorization code and refresh token grants. */
export interface OptionalGrants {
  readonly deviceFlow: boolean;
  /** Whether clients that authenticate may use assertions of identity providers. */
  readonly assertions: boolean;
}

/**
 * Returns the grants of a client, without the device flow when it is disabled (RFC 7591 allows
 * that). Throws `MetadataFault`.
 */
export function grantTypesOf(body: Body, { deviceFlow, assertions }: OptionalGrants): string[] {
  const requested = listOf(body, 'grant_types') ?? ['authorization_code', 'refresh_token'];
  const known = ['authorization_code', 'refresh_token', DEVICE_GRANT];
  if (assertions) known.push(ASSERTION_GRANT);
  if (requested.some((each) => !known.includes(each)))
    throw invalidMetadata(
      'grant_types',
      `can be authorization_code, refresh_token and that of the device flow${assertions ? ' or of assertions' : ''}`,
    );
  const granted = [...new Set(requested)].filter((each) => deviceFlow || each !== DEVICE_GRANT);
  if (granted.every((each) => each === 'refresh_token'))
    throw invalidMetadata('grant_types', 'must include authorization_code');
  return granted;
}

/** Throws `MetadataFault` for a response type other than `code`. */
export function assertCodeFlow(body: Body): void {
  const requested = listOf(body, 'response_types');
  if (requested?.every((each) => each === 'code') === false)
    throw invalidMetadata('response_types', 'can only be code');
}

function listOf(body: Body, name: string): string[] | undefined {
  const list = propertyOf(body, name);
  if (list === undefined) return undefined;
  const isList =
    Array.isArray(list) &&
    list.length > 0 &&
    list.length <= LIST_MAX &&
    list.every((each) => typeof each === 'string');
  if (!isList) throw invalidMetadata(name, `must be a list of 1 to ${String(LIST_MAX)} texts`);
  return list;
}

/**
 * Returns the distinct registrable scopes that a client names, separated by spaces. Also reads a
 * list `scopes`.
 */
export function scopeOf(body: Body, isRegistrable: (scope: string) => boolean): string {
  const scopes = propertyOf(body, 'scopes');
  const text = propertyOf(body, 'scope') ?? (Array.isArray(scopes) ? scopes.slice(0, 200).join(' ') : scopes);
  if (text === undefined) return '';
  if (typeof text !== 'string' || text.length > SCOPE_LENGTH_MAX)
    throw invalidMetadata('scope', `must be a text of at most ${String(SCOPE_LENGTH_MAX)} characters`);
  return [...new Set(text.split(' '))].filter((scope) => scope !== '' && isRegistrable(scope)).join(' ');
}
