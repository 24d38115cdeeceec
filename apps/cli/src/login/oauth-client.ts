import { isLoopbackUrl, isSecureUrl } from '@gw/kernel';
import { CLI_CLIENT } from '@gw/oauth';
import * as client from 'openid-client';
import type { Login } from './login-store';

/** Time limit of a request to the OAuth server in seconds. */
const TIMEOUT_S = 30;

/**
 * Reads the metadata of a control plane's OAuth server. Throws if `url` is not its public address,
 * because a token must be sent only to the address for which it was issued.
 */
export async function discover(url: string): Promise<client.Configuration> {
  if (!isSecureUrl(url)) throw new Error(`A login needs https; ${url} is not on this machine.`);
  try {
    return await client.discovery(new URL(url), CLI_CLIENT.id, undefined, client.None(), {
      algorithm: 'oauth2',
      timeout: TIMEOUT_S,
      ...(isLoopbackUrl(url) ? { execute: [client.allowInsecureRequests] } : {}),
    });
  } catch (error) {
    throw new Error(`${url} has no login: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the resource for which tokens are requested. */
export const resourceOf = (config: client.Configuration): string => `${config.serverMetadata().issuer}/v1`;

export const loginOf = (tokens: client.TokenEndpointResponse, before: Login | null): Login => ({
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
  expiresAt: Date.now() + (tokens.expires_in ?? 0) * 1_000,
});

/** Returns the reason for a failure, in the words of the OAuth server. */
export function reasonOf(error: unknown): string {
  if (error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError)
    return error.error_description ?? error.error;
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Response) return `status ${String(cause.status)}`;
  const isIssuer = cause !== null && typeof cause === 'object' && 'attribute' in cause;
  if (isIssuer && cause.attribute === 'issuer')
    return 'its public address is another one; name that one with --url';
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
