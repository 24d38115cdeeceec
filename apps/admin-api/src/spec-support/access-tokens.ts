import { CALLBACK, OauthJourney, RESOURCE } from '../platform/oauth/spec-support/oauth-journey';
import type { TestAdminApi } from './admin-api';

export interface GrantedBy {
  readonly who: { readonly email: string };
  readonly scopes: readonly string[];
  /** Workspace of the token; empty for the whole organisation. */
  readonly workspaceId: string;
  readonly resource?: string;
  /** Name of the client. */
  readonly client?: string;
}

/**
 * Returns an access token of a new client that an administrator has registered, so that it may
 * request every scope.
 */
export async function accessToken(
  admin: TestAdminApi,
  { adminKey: key }: { readonly adminKey: string },
  { who, scopes, workspaceId, resource = RESOURCE, client: name = 'Client' }: GrantedBy,
): Promise<string> {
  const body = {
    ...{ name, redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
  };
  const client = await sent(
    admin.post<{ id: string }>('/v1/admin/organisation/oauth-clients', { key, body }),
  );
  const journey = new OauthJourney(admin);
  const more = { scope: scopes.join(' '), resource };
  const { begun, code } = await journey.code(client.id, who, workspaceId, more);
  return (await sent(journey.exchange(begun, code))).access_token;
}

/** Returns the body of a successful response. Throws for any other response. */
export async function sent<T>(
  call: Promise<{ readonly status: number; readonly body: T; readonly text: string }>,
): Promise<T> {
  const { status, body, text } = await call;
  if (status !== 200) throw new Error(`responded with ${String(status)}: ${text}`);
  return body;
}
