import { clientKeysOf, type ClientAuthMethod } from './client-keys';
import {
  rebuilt,
  resultOf,
  type Registration,
  type RegistrationFault,
  type RegistrationOptions,
} from './registration';

/** Whether clients prove themselves by a secret that we give them. */
export const hasClientSecret = (method: ClientAuthMethod): boolean => method.startsWith('client_secret');

/** Metadata of a client as an administrator names them (RFC 7591). */
export interface RegisteredClient {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly grant_types?: readonly string[] | undefined;
  readonly jwks?: object | undefined;
  readonly jwks_uri?: string | undefined;
}

/** Checks the metadata of a client that an administrator registers, and makes those that are kept. */
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
