import { clientKeysOf, type ClientAuthMethod } from './client-keys';
import {
  rebuilt,
  resultOf,
  type Registration,
  type RegistrationFault,
  type RegistrationOptions,
} from './registration';

/** Whether clients authenticate with a secret that the OAuth server issues. */
export const hasClientSecret = (method: ClientAuthMethod): boolean => method.startsWith('client_secret');

/** Client metadata from an administrator (RFC 7591). */
export interface RegisteredClient {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly grant_types?: readonly string[] | undefined;
  readonly jwks?: object | undefined;
  readonly jwks_uri?: string | undefined;
}

/**
 * Checks the metadata of a client that an administrator registers, and returns the metadata to
 * store.
 */
export function checkRegisteredClient(
  { jwks, jwks_uri: keysUrl, ...body }: RegisteredClient,
  options: Pick<RegistrationOptions, 'privateUseRedirectUris'> = {},
): Registration | RegistrationFault {
  return resultOf(() => {
    const method = body.token_endpoint_auth_method;
    const keys = clientKeysOf(method, jwks, keysUrl);
    const grants = { deviceFlow: true, assertions: method !== 'none' };
    const { client, scope } = rebuilt({ ...body }, { ...options, isPreRegistered: true, ...grants });
    return { client: { ...client, token_endpoint_auth_method: method, ...keys }, scope };
  });
}
