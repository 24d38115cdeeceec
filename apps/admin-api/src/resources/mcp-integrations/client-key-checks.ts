import { CLIENT_KEY_ALGORITHMS, CLIENT_KEY_RULE, readClientKey } from '@gw/kernel';
import { shortenedFault } from '../../platform/credentials/shown-secret';
import { isSecure } from '../../platform/upstreams/configuration-checks';
import type { CheckedIntegration, Faults, Fields } from '../../platform/upstreams/configuration-faults';

/** Authentication method of a client that signs assertions (RFC 7523). */
export const PRIVATE_KEY_JWT = 'private_key_jwt';

/** Members of a client that only `private_key_jwt` uses. */
export const KEY_MEMBERS = ['private_key', 'key_id', 'signing_alg'] as const;

const KEY_ID_MAX = 256;

export const signsAssertions = (client: Fields): boolean => client['auth_method'] === PRIVATE_KEY_JWT;

/**
 * Checks that a client has either a secret or a key. A client with a key has no secret that it
 * could be tricked into sending, and names the authorization server for its assertions.
 */
export function checkClientKey(
  value: Fields,
  path: string,
  faults: Faults,
  { mapped }: Pick<CheckedIntegration, 'mapped'>,
): void {
  if (!signsAssertions(value)) {
    checkKeyless(value, path, faults, mapped);
    return;
  }
  const { client_secret: secret, issuer, key_id: keyId } = value;
  if (isGiven(secret))
    faults.add(`${path}.client_secret`, `is not used with auth_method ${PRIVATE_KEY_JWT}; send null`);
  if (mapped.has('client_secret'))
    faults.add(
      'secret_mappings',
      `client_secret is not used with auth_method ${PRIVATE_KEY_JWT}; map private_key`,
    );
  if (typeof issuer !== 'string' || !isSecure(issuer))
    faults.add(
      `${path}.issuer`,
      `must be the issuer of the authorization server, which begins with https://, with auth_method ${PRIVATE_KEY_JWT}`,
    );
  faults.optionalText(issuer, `${path}.issuer`, 2_048);
  faults.optionalText(keyId, `${path}.key_id`, KEY_ID_MAX);
  checkKey(value, path, faults, mapped.has('private_key'));
}

/**
 * Checks that a client whose token endpoint the administrator names has an issuer only if it signs
 * assertions.
 */
export function checkIssuer(value: Fields, path: string, faults: Faults): void {
  if (!signsAssertions(value) && isGiven(value['issuer']))
    faults.add(`${path}.issuer`, `is used with auth_method ${PRIVATE_KEY_JWT} only; send null`);
}

function checkKeyless(value: Fields, path: string, faults: Faults, mapped: ReadonlySet<string>): void {
  for (const name of KEY_MEMBERS)
    if (isGiven(value[name]))
      faults.add(`${path}.${name}`, `is used with auth_method ${PRIVATE_KEY_JWT} only; send null`);
  if (mapped.has('private_key'))
    faults.add('secret_mappings', `private_key is used with auth_method ${PRIVATE_KEY_JWT} only; remove it`);
}

/**
 * Checks the key of a client. A mapped key cannot be checked, because it is read only when it is
 * used.
 */
function checkKey(value: Fields, path: string, faults: Faults, isMapped: boolean): void {
  const { private_key: text, signing_alg: algorithm } = value;
  const key = typeof text === 'string' ? readClientKey(text) : null;
  const fault = shortenedFault(text);
  if (fault !== null) faults.add(`${path}.private_key`, fault);
  else if (isGiven(text) && key === null) faults.add(`${path}.private_key`, CLIENT_KEY_RULE);
  else if (!isGiven(text) && !isMapped)
    faults.add(`${path}.private_key`, 'is required; send it, or map private_key to a secret reference');
  const fitting = key?.algorithms ?? CLIENT_KEY_ALGORITHMS;
  if (isGiven(algorithm) && !fitting.some((each) => each === algorithm))
    faults.add(`${path}.signing_alg`, `must be one of ${fitting.join(', ')}`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
