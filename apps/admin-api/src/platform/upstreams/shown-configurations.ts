import type { UpstreamIntegration } from '@gw/entities';
import { isObject } from '@gw/kernel';

/** Names of the configurations that contain a `client_secret`. */
export const CLIENTS = ['oauth_client_credentials', 'oauth_metadata'] as const;

/** Returns the configurations of an integration as a response shows them, with masked secrets. */
export function shownConfigurations({
  configurations,
  maskedAuth,
}: Pick<UpstreamIntegration, 'configurations' | 'maskedAuth'>): Record<string, unknown> {
  const { headers, client_secret: secret } = maskedAuth;
  return withClientSecret({ ...configurations, ...(headers ? { headers } : {}) }, secret);
}

/** Adds the client secret to the configurations of clients; does nothing when it is undefined. */
export function withClientSecret(values: Record<string, unknown>, secret: unknown): Record<string, unknown> {
  if (secret === undefined) return values;
  for (const name of CLIENTS) {
    const client = values[name];
    if (isObject(client)) values[name] = { ...client, client_secret: secret };
  }
  return values;
}
