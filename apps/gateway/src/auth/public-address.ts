import type { RequestContext } from '../core/request-context';

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Returns the origin of this gateway for clients. `publicUrl` is `PUBLIC_GATEWAY_URL`; when null,
 * the origin is derived from the request's Host header.
 */
export function publicOrigin(publicUrl: string | null, { req }: RequestContext): string {
  const host = req.headers.host ?? 'localhost';
  return publicUrl?.replace(/\/$/, '') ?? `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}`;
}

/**
 * Returns the URL of the metadata with which clients find the authorization server of a resource
 * (RFC 9728). `path` is the path of the resource.
 */
export const resourceMetadataUrl = (
  publicUrl: string | null,
  context: RequestContext,
  path: string,
): string => `${publicOrigin(publicUrl, context)}/.well-known/oauth-protected-resource${path}`;
