import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../common/principal';
import { AccessGate } from './access.gate';
import { AccessTokens } from './access-tokens';
import { ApiKeyAuthenticator } from './api-key.authenticator';
import { presentedBy } from './credentials';
import { ownDataOnly } from './grants';
import type { Identity } from './identity';
import { SessionStrategy } from './session.strategy';
import { TokenIdentities } from './token-identities';

/**
 * Checks during a long-running response whether its caller could still open it, because the
 * credential may expire and the caller's rights may be removed in the meantime.
 */
@Injectable()
export class ContinuedAccess {
  constructor(
    private readonly gate: AccessGate,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly sessions: SessionStrategy,
    private readonly tokens: AccessTokens,
    private readonly tokenUsers: TokenIdentities,
  ) {}

  /**
   * Returns whether the credential of an admitted request is still valid, holds a scope of its
   * route and reads the same data as `caller`. Looks up a session in a cookie by its id, because
   * its secret is renewed. Rejects when the database cannot be read.
   */
  async holds(request: FastifyRequest, caller: Principal): Promise<boolean> {
    const { identity } = request;
    const rule = request.routeOptions.config.access;
    if (identity === undefined || rule?.kind !== 'scopes') return false;
    try {
      const current = await this.current(identity, request);
      if (current === null) return false;
      const now = await this.gate.callerOf(request, current);
      this.gate.assertMay(now, request, rule);
      return now.workspaceId === caller.workspaceId && ownDataOnly(now) === ownDataOnly(caller);
    } catch (error) {
      if (error instanceof GatewayError && error.status < 500) return false;
      throw error;
    }
  }

  private async current(identity: Identity, request: FastifyRequest): Promise<Identity | null> {
    const presented = presentedBy(request);
    switch (identity.kind) {
      case 'session': {
        const { id, userId } = identity.session;
        const session = await this.sessions.validate({ sid: id, sub: userId });
        return session === null || session.lacksFactor ? null : { kind: 'session', session };
      }
      case 'api_key': {
        if (presented.kind !== 'api_key') return null;
        return { kind: 'api_key', key: await this.apiKeys.authenticate(presented.secret) };
      }
      case 'grant': {
        const grant =
          presented.kind === 'api_key'
            ? await this.tokens.find(presented.secret)
            : presented.kind === 'session'
              ? await this.tokenUsers.find(presented.token, request.clientAddress)
              : null;
        return grant === null ? null : { kind: 'grant', grant };
      }
    }
  }
}
