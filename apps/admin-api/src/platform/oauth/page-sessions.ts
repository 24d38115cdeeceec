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
/** Cookie of a page that a browser has opened, to which its forms are bound. */
const OPENED = 'gw_page';
const OPENED_LENGTH = 32;
/** Cookie of a login at an identity provider: its `login_binding`. */
const SSO = 'gw_sso';
/** Cookie of the protocol engine, which names the request that this browser began, with its signature. */
const BEGAN = '_interaction';

/** Sign-ins of the pages of the OAuth server: a session whose token only one page gets, in a cookie. */
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

  /** `set-cookie` of a sign-in for the page at `path`; with null, of its end. */
  cookie(path: string, token: string | null): string {
    return this.kept(COOKIE, path, token);
  }

  /** `set-cookie` of a login at an identity provider that the page at `path` has begun; with null, of its end. */
  ssoCookie(path: string, binding: string | null): string {
    return this.kept(SSO, path, binding);
  }

  /** The login at an identity provider that this browser has begun; null for none. */
  ssoBinding(request: Pick<FastifyRequest, 'headers'>): string | null {
    return cookiesOf(request).get(SSO)?.slice(0, 128) ?? null;
  }

  /**
   * Values that bind the forms of a page to the browser that opened it: the hidden value, and `set-
   * cookie` for a browser that has none.
   */
  opened(request: Pick<FastifyRequest, 'headers'>, path: string): { form: string; cookie: string | null } {
    const known = cookiesOf(request).get(OPENED);
    if (known !== undefined && known.length === OPENED_LENGTH)
      return { form: this.formOf(known), cookie: null };
    const made = randomBytes(24).toString('base64url');
    return { form: this.formOf(made), cookie: this.text(`${OPENED}=${made}`, path, SECONDS) };
  }

  /** Throws `forbidden` for a form that is not of a page which this browser has opened. */
  assertOpened(request: Pick<FastifyRequest, 'headers'>, form: string): void {
    const opened = cookiesOf(request).get(OPENED) ?? '';
    if (!isPageSignature(this.secrets.oauthPageKey, `page:${opened}`, form))
      throw new GatewayError('forbidden', {
        message: 'The form is not of this browser. Open the page again.',
      });
  }

  /** `set-cookie` with a value; with null, without one. */
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
