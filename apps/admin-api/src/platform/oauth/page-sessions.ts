import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import { SessionGuard, type AuthenticatedSession } from '../auth/session.strategy';
import { cookiesOf } from '../common/cookies';
import { CookieKeys } from './cookie-keys';
import { isPageSignature, pageSignature } from './page-signatures';

const COOKIE = 'gw_consent';
const SECONDS = 900;
/** Cookie of a page that a browser has opened; it binds the page's forms to the browser. */
const OPENED = 'gw_page';
const OPENED_LENGTH = 32;
/** Cookie with the `login_binding` of a login at an identity provider. */
const SSO = 'gw_sso';
/** Signed cookie of the protocol engine that identifies the request which this browser began. */
const BEGAN = '_interaction';

/**
 * Sign-ins on the pages of the OAuth server: sessions whose token is in a cookie for one page only.
 */
@Injectable()
export class PageSessions {
  constructor(
    private readonly guard: SessionGuard,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /** Throws `validation_failed` in a browser that has not begun the request. */
  assertSameBrowser(request: Pick<FastifyRequest, 'headers'>, resumeState: string): void {
    const cookies = cookiesOf(request);
    const keys = new CookieKeys(this.secrets.oauthPageKey);
    const isOwn = keys.verify(`${BEGAN}=${resumeState}`, cookies.get(`${BEGAN}.sig`) ?? '');
    if (resumeState !== '' && cookies.get(BEGAN) === resumeState && isOwn) return;
    throw invalid('resume_state', 'This browser has not begun the request, or it has expired. Begin again.');
  }

  /**
   * Returns the user who has signed in for the page; null without one. Throws `mfa_required`
   * for a user who lacks the required second factor.
   */
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

  /**
   * Returns the `set-cookie` header of a sign-in for the page at `path`; a null token removes the
   * cookie.
   */
  cookie(path: string, token: string | null): string {
    return this.kept(COOKIE, path, token);
  }

  /**
   * Returns the `set-cookie` header of a login at an identity provider that the page at `path`
   * began; a null binding removes the cookie.
   */
  ssoCookie(path: string, binding: string | null): string {
    return this.kept(SSO, path, binding);
  }

  /**
   * Returns the binding of the login at an identity provider that this browser began; null when
   * there is none.
   */
  ssoBinding(request: Pick<FastifyRequest, 'headers'>): string | null {
    return cookiesOf(request).get(SSO)?.slice(0, 128) ?? null;
  }

  /**
   * Returns the values that bind the forms of a page to the browser: the hidden form value, and a
   * `set-cookie` header for a browser without the cookie.
   */
  opened(request: Pick<FastifyRequest, 'headers'>, path: string): { form: string; cookie: string | null } {
    const cookieValue = cookiesOf(request).get(OPENED);
    if (cookieValue !== undefined && cookieValue.length === OPENED_LENGTH)
      return { form: this.formOf(cookieValue), cookie: null };
    const newValue = randomBytes(24).toString('base64url');
    return { form: this.formOf(newValue), cookie: this.text(`${OPENED}=${newValue}`, path, SECONDS) };
  }

  /** Throws `forbidden` for a form whose page was not opened by this browser. */
  assertOpened(request: Pick<FastifyRequest, 'headers'>, form: string): void {
    const opened = cookiesOf(request).get(OPENED) ?? '';
    if (!isPageSignature(this.secrets.oauthPageKey, `page:${opened}`, form))
      throw new GatewayError('forbidden', {
        message: 'The form is not of this browser. Open the page again.',
      });
  }

  /** Returns a `set-cookie` header with the value; a null value removes the cookie. */
  private kept(name: string, path: string, value: string | null): string {
    return this.text(`${name}=${value ?? ''}`, path, value === null ? 0 : SECONDS);
  }

  private formOf(opened: string): string {
    return pageSignature(this.secrets.oauthPageKey, `page:${opened}`);
  }

  private text(pair: string, path: string, seconds: number): string {
    const isSecure = this.settings.PUBLIC_URL?.startsWith('https:') === true;
    const parts = [
      pair,
      ...[`Path=${path}`, `Max-Age=${String(seconds)}`, 'HttpOnly', 'SameSite=Lax'],
      ...(isSecure ? ['Secure'] : []),
    ];
    return parts.join('; ');
  }
}
