import { shortenedFault } from '../../platform/credentials/shown-secret';
import {
  checkAuthMethod,
  checkClient,
  checkTokenEndpoint,
  CLIENT_MEMBERS,
  isSecure,
} from '../../platform/upstreams/configuration-checks';
import type { CheckedIntegration, Faults, Fields } from '../../platform/upstreams/configuration-faults';
import { checkClientKey, checkIssuer, KEY_MEMBERS, PRIVATE_KEY_JWT } from './client-key-checks';

/**
 * Checks a client at a token endpoint whose address the administrator names. `methods` are
 * additional authentication methods.
 */
function checkExchangeClient(
  value: Fields,
  path: string,
  faults: Faults,
  methods: readonly string[] = [],
): void {
  checkClient(value, path, faults);
  checkTokenEndpoint(value, path, faults);
  checkAuthMethod(value['auth_method'], `${path}.auth_method`, faults, methods);
}

/** Checks the configuration `token_exchange`. */
export function checkTokenExchange(
  value: unknown,
  path: string,
  faults: Faults,
  { mapped }: CheckedIntegration,
): void {
  const members = [...CLIENT_MEMBERS, 'audience', 'resource', 'issuer', ...KEY_MEMBERS];
  if (!faults.object(value, path, members)) return;
  checkExchangeClient(value, path, faults, [PRIVATE_KEY_JWT]);
  checkClientKey(value, path, faults, { mapped });
  checkIssuer(value, path, faults);
  for (const name of ['audience', 'resource']) faults.optionalText(value[name], `${path}.${name}`, 2_048);
}

/** Checks the configuration `id_jag`. */
export function checkIdJag(value: unknown, path: string, faults: Faults): void {
  const server = ['issuer', 'server_client_id', 'server_client_secret', 'server_auth_method'];
  if (!faults.object(value, path, [...CLIENT_MEMBERS, ...server, 'allow_unannounced'])) return;
  checkExchangeClient(value, path, faults);
  const {
    issuer,
    server_client_secret: secret,
    server_auth_method: method,
    allow_unannounced: forced,
  } = value;
  if (typeof issuer !== 'string' || !isSecure(issuer))
    faults.add(
      `${path}.issuer`,
      'must be the issuer of the authorization server, which begins with https://',
    );
  faults.text(value['server_client_id'], `${path}.server_client_id`, 1_024);
  faults.optionalText(secret, `${path}.server_client_secret`, 8_192);
  faults.add(`${path}.server_client_secret`, shortenedFault(secret));
  checkAuthMethod(method, `${path}.server_auth_method`, faults);
  if (forced !== undefined && typeof forced !== 'boolean')
    faults.add(`${path}.allow_unannounced`, 'must be true or false');
}
