import { clientKeysFault } from './client-keys';
import { invalidMetadata } from './metadata-fault';
import {
  rebuilt,
  resultOf,
  type Registration,
  type RegistrationFault,
  type RegistrationOptions,
} from './registration';

export const CLIENT_AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number];

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
  options: Pick<RegistrationOptions, 'privateAddresses'> = {},
): Registration | RegistrationFault {
  return resultOf(() => {
    const method = body.token_endpoint_auth_method;
    const fault = method === 'private_key_jwt' ? clientKeysFault(jwks, keysUrl) : undefined;
    if (fault !== undefined) throw invalidMetadata(fault);
    if (method !== 'private_key_jwt' && (jwks !== undefined || keysUrl !== undefined))
      throw invalidMetadata('jwks and jwks_uri are only for private_key_jwt; leave them out');
    const { client, scope } = rebuilt({ ...body }, { ...options, isPreRegistered: true, deviceFlow: true });
    const keys = keysUrl === undefined ? { jwks } : { jwks_uri: keysUrl };
    return {
      client: { ...client, token_endpoint_auth_method: method, ...(method === 'private_key_jwt' && keys) },
      scope,
    } as Registration;
  });
}
