import type { KeyObject } from 'node:crypto';
import { documentKey, type AccessTokenDocument, type ApiKeyDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { readDocument, type Documents } from './documents';
import type { TokenKey } from './token-callers';

/** Resolves access tokens that Tollgate's own OAuth server has issued to clients of users. */
export class AccessTokenCallers {
  constructor(
    private readonly documents: Pick<Documents, 'get' | 'load'>,
    private readonly pepper: KeyObject,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Resolves a token to its caller. Rejects with `api_key_invalid` for a token that is unknown or
   * has ended. `AuthenticateStage` checks the resource.
   */
  async resolve(token: string): Promise<TokenKey> {
    const hash = accessTokenHash(this.pepper, token);
    if (hash === undefined) throw tokenRefused();
    const at = documentKey.accessToken(hash);
    const source = await readDocument(this.documents, at);
    if (source?.kind !== 'access_token') throw tokenRefused();
    const endsAtMs = Date.parse(source.expiresAt);
    const isCurrent = (): boolean => this.now() < endsAtMs;
    if (!isCurrent()) throw tokenRefused();
    const { resourcePath: path, targetId, boundTo = null } = source;
    const resource = { path, targetId };
    return { at, source, key: asKey(source), isCurrent, oneTime: null, boundTo, resource };
  }
}

/**
 * Represents the grant of a token as a key of its user; all tokens of one grant share its limits.
 */
const asKey = (token: AccessTokenDocument): ApiKeyDocument => ({
  kind: 'api_key',
  version: token.version,
  id: token.grantId,
  name: token.clientName,
  type: 'workspace-user',
  organisationId: token.organisationId,
  workspaceId: token.workspaceId,
  userId: token.userId,
  scopes: token.scopes,
  status: 'active',
  expiresAt: token.expiresAt,
  rateLimits: [],
  usageLimits: [],
  defaults: {
    metadata: { ...token.metadata, _user: token.userId, _client: token.clientId.slice(0, 128) },
    config: null,
    allowConfigOverride: true,
  },
});

/**
 * Returns the refusal of a token by RFC 6750, after which OAuth clients use their refresh token.
 */
export const tokenRefused = (): GatewayError =>
  new GatewayError('api_key_invalid', {
    message: 'The access token is unknown, has expired or was revoked, or is for another resource.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
