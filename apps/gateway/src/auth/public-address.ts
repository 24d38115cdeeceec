import type { RequestContext } from '../core/request-context';

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/;

/** The origin of this gateway for clients. `publicUrl` is `PUBLIC_GATEWAY_URL`; null: as the request names it. */
export function publicOrigin(publicUrl: string | null, { req }: RequestContext): string {
  const host = req.headers.host ?? 'localhost';
  return publicUrl?.replace(/\/$/, '') ?? `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}`;
}

/** Where clients find who gives tokens for a resource (RFC 9728). `path` is that of the resource. */
export const resourceMetadataUrl = (
  publicUrl: string | null,
  context: RequestContext,
  path: string,
): string => `${publicOrigin(publicUrl, context)}/.well-known/oauth-protected-resource${path}`;
