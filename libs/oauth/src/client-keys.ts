import { createAddressPolicy, isObject } from '@gw/kernel';
import { invalidMetadata, type MetadataFault } from './metadata-fault';

/** Methods by which clients authenticate at the token endpoint (RFC 7591). */
export const CLIENT_AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

const PUBLIC_ONLY = createAddressPolicy({ trustedHosts: [] });
const KEYS_MAX = 20;
/** Members of private and symmetric keys (RFC 7518). */
const SECRET_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Returns the keys of a client for its authentication method. Throws `MetadataFault` for
 * `private_key_jwt` without exactly one of `jwks` and `jwks_uri`, and for keys with another method.
 */
export function clientKeysOf(
  method: unknown,
  jwks: unknown,
  url: unknown,
): { readonly jwks?: object; readonly jwks_uri?: string } {
  if (method === 'private_key_jwt') {
    const fault = clientKeysFault(jwks, url);
    if (fault !== undefined) throw fault;
    return url === undefined ? { jwks: jwks as object } : { jwks_uri: url as string };
  }
  if (jwks !== undefined || url !== undefined)
    throw invalidMetadata(
      jwks === undefined ? 'jwks_uri' : 'jwks',
      'are only for private_key_jwt; leave them out',
      'jwks and jwks_uri',
    );
  return {};
}

/**
 * Returns the fault of a client's `jwks` or `jwks_uri`; undefined when exactly one is present and
 * valid.
 */
function clientKeysFault(keys: unknown, url: unknown): MetadataFault | undefined {
  if ((keys === undefined) === (url === undefined))
    return invalidMetadata('jwks', 'needs exactly one of jwks and jwks_uri', 'private_key_jwt');
  return url === undefined ? keySetFault(keys) : keysUrlFault(url);
}

function keysUrlFault(url: unknown): MetadataFault | undefined {
  const verdict = PUBLIC_ONLY.checkUrl(url);
  if (!verdict.ok) return invalidMetadata('jwks_uri', `cannot be read. ${verdict.rule}`);
  return verdict.url.protocol === 'https:'
    ? undefined
    : invalidMetadata('jwks_uri', 'must begin with https://');
}

function keySetFault(set: unknown): MetadataFault | undefined {
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX)
    return invalidMetadata('jwks', `must have a list keys of 1 to ${String(KEYS_MAX)} keys`);
  if (!keys.every((key) => isObject(key) && typeof key['kty'] === 'string'))
    return invalidMetadata('jwks', 'must hold JSON Web Keys', 'jwks.keys');
  const isSecret = keys.some((key) => SECRET_MEMBERS.some((name) => Object.hasOwn(key as object, name)));
  return isSecret
    ? invalidMetadata('jwks', 'must hold public keys only; replace the keys, since they are known now')
    : undefined;
}
