import { isSecureUrl } from '@gw/kernel';
import { shortenedFault } from '../credentials/shown-secret';
import type { CheckedIntegration, ConfigurationCheck, Faults, Fields } from './configuration-faults';

/** Checks that a member is true or false. */
export const checkSwitch: ConfigurationCheck = (value, path, faults) => {
  if (typeof value !== 'boolean') faults.add(path, 'must be true or false');
};

const CLAIMS = ['sub', 'organisation_id', 'workspace_id', 'api_key_id'];

/** Checks the scheme and the claims with which `user_identity_forwarding` names the caller. */
export function checkClaims(
  { include_claims: claims }: Fields,
  path: string,
  faults: Faults,
  { url }: Pick<CheckedIntegration, 'url'>,
): void {
  if (!/^https:/i.test(url)) faults.add(path, 'is sent over https only; change the scheme of url');
  const isKnown = (claim: unknown): boolean => CLAIMS.some((name) => name === claim);
  const isValid = Array.isArray(claims) && claims.length <= CLAIMS.length && claims.every(isKnown);
  if (claims !== undefined && !isValid)
    faults.add(`${path}.include_claims`, `must be a list of ${CLAIMS.join(', ')}`);
}

/** Members of a client that authenticates with a secret at a token endpoint. */
export const CLIENT_MEMBERS = ['token_endpoint', 'client_id', 'client_secret', 'auth_method', 'scope'];

/** Checks a client whose secret may be absent. */
export function checkClient(value: Fields, path: string, faults: Faults): void {
  faults.text(value['client_id'], `${path}.client_id`, 1_024);
  faults.optionalText(value['client_secret'], `${path}.client_secret`, 8_192);
  faults.add(`${path}.client_secret`, shortenedFault(value['client_secret']));
  faults.optionalText(value['scope'], `${path}.scope`, 2_048);
}

/** Checks that the secret of a client is sent or mapped. */
export function checkSecretGiven(
  { client_secret: secret }: Fields,
  path: string,
  faults: Faults,
  { mapped }: Pick<CheckedIntegration, 'mapped'>,
): void {
  if (!mapped.has('client_secret') && (secret === undefined || secret === null))
    faults.add(`${path}.client_secret`, 'is required; send it, or map client_secret to a secret reference');
}

/** Checks the address to which a client sends its secret. */
export function checkTokenEndpoint({ token_endpoint: endpoint }: Fields, path: string, faults: Faults): void {
  if (typeof endpoint !== 'string' || !isSecure(endpoint))
    faults.add(`${path}.token_endpoint`, 'must be a URL that begins with https://');
}

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post'];

/** Checks how a client authenticates at a token endpoint; absent means HTTP Basic. */
export function checkAuthMethod(
  method: unknown,
  path: string,
  faults: Pick<Faults, 'add'>,
  more: readonly string[] = [],
): void {
  const knownMethods = [...AUTH_METHODS, ...more];
  if (method !== undefined && !knownMethods.some((each) => each === method))
    faults.add(path, `must be one of ${knownMethods.join(', ')}`);
}

/**
 * Whether an address is secure, as `isSecureUrl` decides; also accepts `HTTPS:` in upper case,
 * because people write it.
 */
export const isSecure = (url: string): boolean => isSecureUrl(url.replace(/^https:/i, 'https:'));
