import { ALL_OPEN, ceilingOf } from '@gw/auth-scopes';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Socket } from 'node:net';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import type { AccessRule } from './access';
import { AccessTokens, type AuthenticatedGrant } from './access-tokens';
import { ApiKeyAuthenticator } from './api-key.authenticator';
import { bearerOf, presentedBy } from './credentials';
import { dispatchedCall } from './dispatched-calls';
import { assertEnabled, isEnabled } from './features';
import { credentialIdOf, type Identity } from './identity';
import type { Principal } from '../common/principal';
import { PrincipalsService } from './principals.service';
import { RequestThrottle } from './request-throttle';
import { assertAllowed } from './scope-checks';
import { CookieSessions } from './cookie-sessions.service';
import { TokenIdentities } from './token-identities';
import { TokenProofs } from './token-proofs';
import { SessionGuard, type AuthenticatedSession } from './session.strategy';

type AuthenticatedRule = Exclude<AccessRule, { kind: 'public' | 'service' }>;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Refuses callers that may not use a route before the body is read, because a body costs memory and
 * time, and parsing multiplies its size. Checks that need the body, such as the workspace that it
 * names, are left to `AccessGuard`.
 */
@Injectable()
export class AccessGate {
  private readonly serviceToken: Buffer;
  private readonly throttle: RequestThrottle;
  private readonly userThrottle: RequestThrottle;

  constructor(
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly sessions: SessionGuard,
    private readonly principals: PrincipalsService,
    private readonly tokens: AccessTokens,
    private readonly proofs: TokenProofs,
    private readonly tokenUsers: TokenIdentities,
    private readonly cookies: CookieSessions,
    secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {
    this.serviceToken = digest(secrets.serviceToken);
    this.throttle = new RequestThrottle(settings.CONTROL_PLANE_RATE_LIMIT, 'credential');
    this.userThrottle = new RequestThrottle(settings.CONSOLE_RATE_LIMIT, 'user');
  }

  /** Runs in the `onRequest` hook. Does nothing on public routes and on paths without a route. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const rule = request.routeOptions.config.access;
    switch (rule?.kind) {
      case undefined:
      case 'public':
        return;
      case 'service':
        this.assertService(request);
        return;
      case 'session':
      case 'api_key':
      case 'caller':
      case 'scopes': {
        const identity =
          this.dispatchedIdentity(request, rule) ?? (await this.identityOf(request, reply, rule));
        request.identity = identity;
        if (mayBeAllowed(identity, rule)) return;
        this.assertMay(await this.callerOf(request, identity), request, rule);
      }
    }
  }

  /**
   * Returns the user of a public route that shows more to logged-in users; null when the request
   * has no session or the session has ended.
   */
  async visitorOf(request: FastifyRequest, reply: FastifyReply): Promise<Principal | null> {
    if (this.cookies.secretOf(request) === null && presentedBy(request).kind !== 'session') return null;
    try {
      const identity = await this.identityOf(request, reply, { kind: 'session', tokens: false });
      return await this.callerOf(request, identity);
    } catch (error) {
      if (error instanceof GatewayError && error.type === 'unauthenticated') return null;
      throw error;
    }
  }

  /**
   * Returns the caller of an admitted request, limited to the workspace named in its path, body or
   * query.
   */
  callerOf(request: FastifyRequest, identity: Identity): Promise<Principal> {
    switch (identity.kind) {
      case 'api_key':
        return this.principals.ofKey(identity.key, request);
      case 'session':
        return this.principals.ofSession(identity.session, request);
      case 'grant':
        return this.principals.ofGrant(identity.grant, request);
    }
  }

  /** Sets `request.principal` before the checks, so that a refusal is recorded with its caller. */
  assertMay(caller: Principal, request: FastifyRequest, rule: AuthenticatedRule): void {
    request.principal = caller;
    assertEnabled(request.routeOptions.url ?? request.url, this.settings);
    if (rule.kind === 'scopes') assertAllowed(caller, rule.anyOf);
  }

  /** Whether a caller might use a route in the workspace of its request or in another one. */
  mightUse(
    { caller, identity }: { readonly caller: Principal; readonly identity: Identity },
    { url, rule }: { readonly url: string; readonly rule: AccessRule | undefined },
  ): boolean {
    if (!isEnabled(url, this.settings)) return false;
    switch (rule?.kind) {
      case 'scopes':
        if (rule.anyOf.some((scope) => caller.scopes.has(scope))) return true;
        return caller.workspaceId === null && mayBeAllowed(identity, rule);
      case 'api_key':
      case 'session':
        return identity.kind === rule.kind;
      case 'public':
        return true;
      case undefined:
      case 'service':
      case 'caller':
        return false;
    }
  }

  /**
   * Returns the caller of a request that another route dispatches within this process; null for a
   * request from the network.
   */
  private dispatchedIdentity(request: FastifyRequest, rule: AuthenticatedRule): Identity | null {
    const call = dispatchedCall();
    if (call === undefined || request.raw.socket instanceof Socket) return null;
    const { identity } = call;
    // The request of the dispatching route already counted the first dispatched request.
    call.requests += 1;
    if (call.requests > 1) this.count(identity, null);
    if (rule.kind === 'api_key' && identity.kind !== 'api_key') throw needsKey();
    if (rule.kind === 'session' && identity.kind !== 'session') throw needsSession();
    return identity;
  }

  private async identityOf(
    request: FastifyRequest,
    reply: FastifyReply,
    rule: AuthenticatedRule,
  ): Promise<Identity> {
    const presented = presentedBy(request);
    const secret = this.cookies.secretOf(request);
    if (secret !== null) return this.identityOfCookie(secret, request, reply, rule);
    if (presented.kind === 'session') return this.identityOfJwt(presented.token, request, reply, rule);
    if (rule.kind === 'session') throw needsSession();
    if (presented.kind === 'none') throw new GatewayError('api_key_missing');
    const grant = await this.grantOf(presented.secret, rule);
    if (grant !== null) this.count({ kind: 'grant', grant }, reply);
    await this.proofs.assertProofOfPossession(grant?.boundTo ?? null, request);
    if (grant !== null) {
      return { kind: 'grant', grant };
    }
    const key = await this.apiKeys.authenticate(presented.secret);
    this.count({ kind: 'api_key', key }, reply);
    if (!this.settings.API_ACCESS_ENABLED) throw new GatewayError('feature_disabled');
    return { kind: 'api_key', key };
  }

  /** Returns the grant of an access token for this route's resource; null when there is none. */
  private async grantOf(secret: string, rule: AuthenticatedRule): Promise<AuthenticatedGrant | null> {
    if (rule.kind === 'api_key') return null;
    return this.tokens.find(secret, rule.kind === 'caller' ? rule.resource : undefined);
  }

  /** Returns the identity of a JWT: a session, or the user of a signed token of a trust. */
  private async identityOfJwt(
    token: string,
    request: FastifyRequest & { user?: AuthenticatedSession },
    reply: FastifyReply,
    rule: AuthenticatedRule,
  ): Promise<Identity> {
    if (rule.kind === 'api_key') throw needsKey();
    // JWTs are never bound to a key.
    await this.proofs.assertProofOfPossession(null, request);
    const takesTokens = rule.kind !== 'session' || rule.tokens;
    const grant = takesTokens ? await this.tokenUsers.find(token, request.clientAddress) : null;
    if (grant !== null) {
      this.count({ kind: 'grant', grant }, reply);
      return { kind: 'grant', grant };
    }
    await this.sessions.canActivate(new ExecutionContextHost([request, reply]));
    if (!request.user) throw new GatewayError('unauthenticated');
    return this.admitted(request.user, request, reply);
  }

  private async identityOfCookie(
    secret: string,
    request: FastifyRequest,
    reply: FastifyReply,
    rule: AuthenticatedRule,
  ): Promise<Identity> {
    if (presentedBy(request).kind !== 'none') throw twoCredentials();
    if (rule.kind === 'api_key') throw needsKey();
    return this.admitted(await this.cookies.find(secret, reply), request, reply);
  }

  private admitted(session: AuthenticatedSession, request: FastifyRequest, reply: FastifyReply): Identity {
    const identity = { kind: 'session', session } as const;
    this.count(identity, reply);
    assertHasFactor(session, request.routeOptions.url);
    return identity;
  }

  /**
   * Counts a request of an authenticated caller; unknown secrets create no counter. Requests of a
   * user are counted apart from those of the user's keys and tokens, so that a tool cannot use up
   * the limit of the user's console.
   */
  private count(identity: Identity, reply: FastifyReply | null): void {
    const throttle = identity.kind === 'session' ? this.userThrottle : this.throttle;
    const id = identity.kind === 'session' ? identity.session.userId : credentialIdOf(identity);
    const left = throttle.admit(id);
    if (left !== null) void reply?.header('ratelimit', left);
  }

  /** Compares digests, which have equal length, in constant time. */
  private assertService(request: FastifyRequest): void {
    const token = bearerOf(request);
    if (token === null || !timingSafeEqual(digest(token), this.serviceToken)) {
      throw new GatewayError('unauthenticated');
    }
  }
}

const twoCredentials = (): GatewayError =>
  new GatewayError('validation_failed', {
    param: 'authorization',
    message: 'The request has a session in a cookie and another credential. Send one of them.',
  });

const needsKey = (): GatewayError =>
  new GatewayError('unauthenticated', { message: 'This route needs an API key.' });

const needsSession = (): GatewayError =>
  new GatewayError('unauthenticated', { message: 'This route needs the access token of a logged-in user.' });

/**
 * Routes open to a session that lacks a second factor: those that add a factor, show the session's
 * user, change to another organisation, which may not require a factor, or end the session.
 */
const WITHOUT_FACTOR =
  /^\/v[12]\/(?:auth\/(?:mfa(?:\/|$)|self$|organisation$|logout$|refresh$)|console\/bootstrap$)/;

function assertHasFactor({ lacksFactor }: AuthenticatedSession, route = ''): void {
  if (lacksFactor && !WITHOUT_FACTOR.test(route)) throw new GatewayError('mfa_required');
}

/**
 * Returns false when no workspace could give the caller a scope of the rule. A session's scopes
 * depend on the workspace; a key's do not.
 */
function mayBeAllowed(identity: Identity, rule: AuthenticatedRule): boolean {
  if (rule.kind !== 'scopes') return true;
  return rule.anyOf.some((scope) => mightHold(identity, scope));
}

function mightHold(identity: Identity, scope: string): boolean {
  switch (identity.kind) {
    case 'api_key':
      return identity.key.scopes.includes(scope);
    case 'session':
      return mayHold(identity.session, scope);
    case 'grant':
      return identity.grant.scopes.has(scope) && mayHold(identity.grant, scope);
  }
}

/** Whether any of the user's workspace roles gives the scope when every security setting is on. */
const mayHold = ({ role, memberships }: AuthenticatedSession, scope: string): boolean =>
  [null, ...new Set(memberships.values())].some((inWorkspace) =>
    ceilingOf(role, inWorkspace, ALL_OPEN).has(scope),
  );
