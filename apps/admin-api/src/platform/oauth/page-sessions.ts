import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import { SessionGuard, type AuthenticatedSession } from '../auth/session.strategy';
import { CookieKeys } from './cookie-keys';

const COOKIE = 'gw_consent';
const PATH = '/oauth/consent';
const SECONDS = 900;
/** Cookie of the protocol engine, which names the request that this browser began, with its signature. */
const BEGAN = '_interaction';

/** Sign-ins of the consent page: a session whose token only this page gets, in a cookie. */
@Injectable()
export class PageSessions {
  constructor(
    private readonly guard: SessionGuard,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /** Throws `validation_failed` in a browser that has not begun the request. */
  assertBegan(request: Pick<FastifyRequest, 'headers'>, resumeState: string): void {
    const cookies = cookiesOf(request);
    const keys = new CookieKeys(this.secrets.oauthPageKey);
    const isOwn = keys.verify(`${BEGAN}=${resumeState}`, cookies.get(`${BEGAN}.sig`) ?? '');
    if (resumeState !== '' && cookies.get(BEGAN) === resumeState && isOwn) return;
    throw invalid('resume_state', 'This browser has not begun the request, or it has expired. Begin again.');
  }

  /** The user who has signed in for the page; null for none. Throws `mfa_required` for one who lacks the required second factor. */
  async sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedSession | null> {
    const session = await this.bearer(request, reply);
    if (session?.lacksFactor === true) throw new GatewayError('mfa_required');
    return session;
  }

  private async bearer(request: FastifyRequest, reply: FastifyReply): Promise<AuthenticatedSession | null> {
    const token = cookiesOf(request).get(COOKIE);
    if (token === undefined) return null;
    const asBearer: { headers: object; user?: AuthenticatedSession } = {
      headers: { authorization: `Bearer ${token}` },
    };
    try {
      await this.guard.canActivate(new ExecutionContextHost([asBearer, reply]));
      return asBearer.user ?? null;
    } catch (error) {
      if (error instanceof GatewayError && error.status === 401) return null;
      throw error;
    }
  }

  /** `set-cookie` of a sign-in; with null, of its end. */
  cookie(token: string | null): string {
    const isSecure = this.settings.PUBLIC_URL?.startsWith('https:') === true;
    const parts = [
      `${COOKIE}=${token ?? ''}`,
      ...[`Path=${PATH}`, `Max-Age=${String(token === null ? 0 : SECONDS)}`, 'HttpOnly', 'SameSite=Lax'],
      ...(isSecure ? ['Secure'] : []),
    ];
    return parts.join('; ');
  }
}

function cookiesOf({ headers }: Pick<FastifyRequest, 'headers'>): ReadonlyMap<string, string> {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}
