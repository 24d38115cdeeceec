import { ASSERTION_GRANT, DEVICE_GRANT } from './cli-client';
import { cleanClientName } from './client-name';
import { invalidMetadata, invalidRedirectUri } from './metadata-fault';
import { isLoopbackRedirect, redirectUriFault, type RedirectUriOptions } from './redirect-uri';

type Body = Readonly<Record<string, unknown>>;

const REDIRECTS_MAX = 10;
const LIST_MAX = 20;
const SCOPE_LENGTH_MAX = 4_096;
const INFORMATIONAL = ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri'] as const;
/** Members that would make us fetch, trust or encrypt more than a client may ask for. */
const REFUSED: readonly string[] = [
  ...['software_statement', 'initiate_login_uri', 'request_uris', 'sector_identifier_uri'],
  ...['id_token', 'userinfo', 'authorization', 'introspection'].flatMap((what) =>
    ['alg', 'enc'].map((kind) => `${what}_encrypted_response_${kind}`),
  ),
  ...['request_object_encryption_alg', 'request_object_encryption_enc'],
];

/** A member that is absent and one that is null are the same. */
export function propertyOf(body: Body, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
}

export function assertNoneRefused(body: Body): void {
  const refused = REFUSED.find((name) => propertyOf(body, name) !== undefined);
  if (refused !== undefined) throw invalidMetadata(refused, 'is not supported; leave it out');
}

/** The redirect addresses of a client, each once. */
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

/** `native` lets the port of a loopback address differ; what the client says of itself does not count. */
export const applicationTypeOf = (redirectUris: readonly string[]): 'native' | 'web' =>
  redirectUris.some((uri) => isLoopbackRedirect(uri) || !uri.startsWith('https:')) ? 'native' : 'web';

/** The cleaned name of a client; undefined when the body has none. */
export function clientNameOf(body: Body): string | undefined {
  const name = propertyOf(body, 'client_name');
  if (name === undefined) return undefined;
  const clean = typeof name === 'string' ? cleanClientName(name) : undefined;
  if (clean === undefined) throw invalidMetadata('client_name', 'must have 1 to 100 visible characters');
  return clean;
}

/** Addresses that are shown and never fetched. */
export function informationalUris(body: Body): Partial<Record<(typeof INFORMATIONAL)[number], string>> {
  const found = INFORMATIONAL.flatMap((name) => {
    const uri = propertyOf(body, name);
    if (uri === undefined) return [];
    if (typeof uri !== 'string' || !uri.startsWith('https:'))
      throw invalidMetadata(name, 'must begin with https://');
    // They may have a fragment, which the rules of redirect addresses forbid.
    const fault = redirectUriFault(uri.replace('#', '/'));
    if (fault !== undefined) throw invalidMetadata(name, fault);
    return [[name, uri] as const];
  });
  return Object.fromEntries(found);
}

/** Grants that only some clients may have, besides those of codes. */
export interface OptionalGrants {
  readonly deviceFlow: boolean;
  /** True: of clients that prove themselves, for assertions of identity providers. */
  readonly assertions: boolean;
}

/** The grants of a client. The device flow is dropped where it is off, as RFC 7591 allows. */
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

/** The code flow is the only one. */
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

/** The scopes that a client names and may have, each once, separated by spaces. Also reads the list `scopes`. */
export function scopeOf(body: Body, isRegistrable: (scope: string) => boolean): string {
  const scopes = propertyOf(body, 'scopes');
  const text = propertyOf(body, 'scope') ?? (Array.isArray(scopes) ? scopes.slice(0, 200).join(' ') : scopes);
  if (text === undefined) return '';
  if (typeof text !== 'string' || text.length > SCOPE_LENGTH_MAX)
    throw invalidMetadata('scope', `must be a text of at most ${String(SCOPE_LENGTH_MAX)} characters`);
  return [...new Set(text.split(' '))].filter((scope) => scope !== '' && isRegistrable(scope)).join(' ');
}
