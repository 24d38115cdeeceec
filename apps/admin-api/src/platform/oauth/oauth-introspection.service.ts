import { OauthArtifactEntity } from '@gw/entities';
import { isObject } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { DataSource, MoreThan } from 'typeorm';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import { ApiKeyAuthenticator } from '../auth/api-key.authenticator';
import { bearerOf, presentedBy } from '../auth/credentials';
import { OauthArtifacts } from './oauth-artifacts';
import { OauthFault } from './oauth-body';
import { scopesHeld, seatOf } from './oauth-seats';

const INACTIVE = { active: false };
/** Scope with which an API key introspects tokens of its organisation. */
const SCOPE = 'organisation_settings.read';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Introspects tokens (RFC 7662). */
@Injectable()
export class OauthIntrospection {
  constructor(
    private readonly dataSource: DataSource,
    private readonly artifacts: OauthArtifacts,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Returns the response to one of Tollgate's own processes or to an API key; null for a client of
   * the OAuth server, which the protocol engine authenticates. Throws 401 for a caller without a
   * credential.
   */
  async forService(request: FastifyRequest, body: unknown): Promise<object | null> {
    const parameters = isObject(body) ? body : {};
    const presented = presentedBy(request);
    if (presented.kind === 'none') {
      if (request.headers.authorization !== undefined) return null;
      if ('client_secret' in parameters || 'client_assertion' in parameters) return null;
      throw new OauthFault(401, 'invalid_client', 'introspection needs a credential', {
        'www-authenticate': 'Bearer',
      });
    }
    const organisationId = await this.organisationOf(request);
    const { token } = parameters;
    if (typeof token !== 'string') throw new OauthFault(400, 'invalid_request', 'token is missing');
    const answer = await this.complete(await this.described(token));
    const isForeign =
      organisationId !== null && !('organisation_id' in answer && answer.organisation_id === organisationId);
    return isForeign ? INACTIVE : answer;
  }

  /** Adds the token's user to a response, and removes scopes that the user has lost since. */
  async complete(body: unknown): Promise<object> {
    if (!isObject(body) || body['active'] !== true)
      return isObject(body) && 'error' in body ? body : INACTIVE;
    const { jti: _jti, sid: _sid, ...open } = body;
    const { manager } = this.dataSource;
    const place = {
      userId: String(body['sub']),
      organisationId: String(body['organisation_id']),
      workspaceId: typeof body['workspace_id'] === 'string' ? body['workspace_id'] : null,
    };
    const seat = await seatOf(manager, place);
    if (seat === null) return INACTIVE;
    const held = await scopesHeld(manager, place, seat);
    const scopes = (typeof body['scope'] === 'string' ? body['scope'] : '').split(' ');
    return {
      ...open,
      scope: scopes.filter((scope) => held.has(scope)).join(' '),
      email: seat.email,
      username: seat.email,
      display_name: seat.displayName,
      organisation_name: seat.organisationName,
      organisation_details: { id: place.organisationId, name: seat.organisationName },
      workspace_name: seat.workspaceName,
      workspace_slug: seat.workspaceSlug,
    };
  }

  /** Returns the organisation whose tokens the caller may see; null for all. Throws 401 and 403. */
  private async organisationOf(request: FastifyRequest): Promise<string | null> {
    const bearer = bearerOf(request);
    if (bearer !== null && timingSafeEqual(digest(bearer), digest(this.secrets.serviceToken))) return null;
    const presented = presentedBy(request);
    const key = presented.kind === 'api_key' ? await this.apiKeys.authenticate(presented.secret) : null;
    if (key === null)
      throw new OauthFault(401, 'invalid_client', 'introspection needs an API key or a client');
    if (!key.scopes.includes(SCOPE))
      throw new OauthFault(403, 'insufficient_scope', `introspection needs the scope ${SCOPE}`);
    return key.organisationId;
  }

  private async described(token: string): Promise<object> {
    const row = await this.dataSource.manager.findOneBy(OauthArtifactEntity, {
      idHash: this.artifacts.hash('AccessToken', token),
      expiresAt: MoreThan(new Date()),
    });
    if (row === null) return INACTIVE;
    const { extra, scope, aud, exp, iat, jkt } = row.payload as AdapterPayload;
    return {
      ...(isObject(extra) ? extra : {}),
      ...{ active: true, sub: row.userId, client_id: row.clientId, scope, aud, exp, iat },
      iss: this.settings.PUBLIC_URL,
      ...(typeof jkt === 'string' ? { token_type: 'DPoP', cnf: { jkt } } : { token_type: 'Bearer' }),
    };
  }
}
