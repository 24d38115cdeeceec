import { createAddressPolicy, isObject } from '@gw/kernel';

const PUBLIC_ONLY = createAddressPolicy({ trustedHosts: [] });
const KEYS_MAX = 20;
/** Members of private and symmetric keys (RFC 7518). */
const SECRET_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Why members cannot say where the keys of a client are; undefined when they can. Exactly one of the two is a key set. */
export function clientKeysFault(keys: unknown, url: unknown): string | undefined {
  if ((keys === undefined) === (url === undefined))
    return 'private_key_jwt needs exactly one of jwks and jwks_uri';
  return url === undefined ? keySetFault(keys) : keysUrlFault(url);
}

function keysUrlFault(url: unknown): string | undefined {
  const verdict = PUBLIC_ONLY.checkUrl(url);
  if (!verdict.ok) return `jwks_uri cannot be read. ${verdict.rule}`;
  return verdict.url.protocol === 'https:' ? undefined : 'jwks_uri must begin with https://';
}

function keySetFault(set: unknown): string | undefined {
  const keys = isObject(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX)
    return `jwks must have a list keys of 1 to ${String(KEYS_MAX)} keys`;
  if (!keys.every((key) => isObject(key) && typeof key['kty'] === 'string'))
    return 'jwks.keys must hold JSON Web Keys';
  const isSecret = keys.some((key) => SECRET_MEMBERS.some((name) => Object.hasOwn(key as object, name)));
  return isSecret ? 'jwks must hold public keys only; replace the keys, since they are known now' : undefined;
}
