import { isOfUsers } from '@gw/contracts';
import { UpstreamError } from '@gw/mcp-client';
import type { Denied } from './denials';
import type { McpRequest } from './mcp-request';
import type { UpstreamConnections } from './upstream-connections';

const INSUFFICIENT_SCOPE = 'insufficient_scope';

/**
 * Whether a server refused the credential of the integration with status 401, so that a renewed one
 * may be accepted.
 */
export const isRefusedCredential = (error: unknown): boolean => isUnauthorized(error) && error.status === 401;

/** Whether a server refused the token of the user, so that a renewed one may be accepted. */
export const isRefusedToken = ({ view }: McpRequest, error: unknown): boolean =>
  isUnauthorized(error) && isOfUsers(view.document.authType);

const isUnauthorized = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  error.kind === 'unauthorized' &&
  error.challenge?.error !== INSUFFICIENT_SCOPE;

/**
 * Returns the denial of a call for which the server requires more scopes of the user, as
 * `UpstreamConnections.scopesDenial` does; null for other failures.
 */
export async function scopesDenial(
  connections: Pick<UpstreamConnections, 'scopesDenial'>,
  { view }: McpRequest,
  error: unknown,
): Promise<Denied | 'granted' | null> {
  const { document, caller } = view;
  if (!(error instanceof UpstreamError) || document.authType !== 'oauth_auto') return null;
  const { status, challenge } = error;
  if (status !== 403 || challenge?.error !== INSUFFICIENT_SCOPE) return null;
  const scopes = (challenge.scope ?? '').split(' ').filter((scope) => scope !== '');
  return connections.scopesDenial(document, caller.access.userId, scopes);
}
