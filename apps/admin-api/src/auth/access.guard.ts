import { capabilitiesOf } from '@gw/auth-scopes';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Secrets, SETTINGS, type AdminSettings } from '../settings';
import { ACCESS_RULE, type AccessRule } from './access';
import { ApiKeyAuthenticator } from './api-key.authenticator';
import { bearerOf, presentedBy } from './credentials';
import type { Principal } from './principal';
import { assertEnabled } from './features';
import { PrincipalsService } from './principals.service';
import { RequestThrottle } from './request-throttle';
import { SessionGuard, type AuthenticatedSession } from './session.strategy';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Enforces the one access rule of every route. A route without a rule answers nobody. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly serviceToken: Buffer;
  private readonly throttle: RequestThrottle;

  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly sessions: SessionGuard,
    private readonly principals: PrincipalsService,
    secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {
    this.serviceToken = digest(secrets.serviceToken);
    this.throttle = new RequestThrottle(settings.CONTROL_PLANE_RATE_LIMIT);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS_RULE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    switch (rule?.kind) {
      case undefined:
        throw new Error(`No access rule on ${context.getClass().name}.${context.getHandler().name}.`);
      case 'public':
        return true;
      case 'service':
        this.assertService(request);
        return true;
      case 'session':
      case 'api_key':
      case 'scopes': {
        const caller = await this.callerOf(context, request, rule.kind);
        request.principal = caller;
        assertEnabled(request.routeOptions.url ?? request.url, this.settings);
        if (rule.kind === 'scopes') assertAllowed(caller, rule.anyOf);
        return true;
      }
    }
  }

  private async callerOf(
    context: ExecutionContext,
    request: FastifyRequest & { user?: AuthenticatedSession },
    rule: 'session' | 'api_key' | 'scopes',
  ): Promise<Principal> {
    const presented = presentedBy(request);
    if (presented.kind === 'session') {
      if (rule === 'api_key') {
        throw new GatewayError('unauthenticated', { message: 'This needs an API key.' });
      }
      await this.sessions.canActivate(context);
      if (!request.user) throw new GatewayError('unauthenticated');
      this.throttle.admit(request.user.id);
      return this.principals.ofSession(request.user, request);
    }
    if (rule === 'session') {
      throw new GatewayError('unauthenticated', { message: 'This needs the token of a logged-in user.' });
    }
    if (presented.kind === 'none') throw new GatewayError('api_key_missing');
    const key = await this.apiKeys.authenticate(presented.secret);
    // By the key's id: strangers then take no counter, and the two secrets of a rotation share one.
    this.throttle.admit(key.id);
    if (!this.settings.API_ACCESS_ENABLED) throw new GatewayError('feature_disabled');
    return this.principals.ofKey(key, request);
  }

  /** Compared as digests: of equal length, in constant time. */
  private assertService(request: FastifyRequest): void {
    const token = bearerOf(request);
    if (token === null || !timingSafeEqual(digest(token), this.serviceToken)) {
      throw new GatewayError('unauthenticated');
    }
  }
}

/** A closed setting is said first: its scopes are taken away with it, and only its name tells whom to ask. */
function assertAllowed(caller: Principal, anyOf: readonly string[]): void {
  const closed = capabilitiesOf(anyOf).filter((capability) => caller.closed.has(capability));
  if (closed.length > 0 && caller.standing !== null) {
    const settings = closed.map((capability) => `${caller.standing ?? ''}${capability}`);
    throw new GatewayError('forbidden', {
      message: `The security settings do not allow this: ${settings.join(', ')} is off.`,
      extra: { security_settings: settings },
    });
  }
  assertScope(caller, anyOf);
}

export function assertScope(caller: Principal, anyOf: readonly string[]): void {
  if (anyOf.some((scope) => caller.scopes.has(scope))) return;
  throw new GatewayError('scope_missing', {
    message: `The credential lacks the scope ${anyOf.join(' or ')}.`,
    extra: { required_scopes: anyOf },
  });
}
