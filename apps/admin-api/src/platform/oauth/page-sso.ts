import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SSO_CODE } from '../logins/login-ends';
import { SsoLogins } from '../logins/sso-login.service';
import { pageHeaders } from '../auth/account-pages';
import { factsOf } from '../auth/principals.service';
import { continuePage, postPage } from './oauth-pages';
import { PageSessions } from './page-sessions';

/** Path of a page, for its cookies, and the URL to which the browser goes after a sign-in. */
export interface Place {
  readonly path: string;
  readonly next: string;
}

/** Returns the place of a page that is opened with one query parameter. */
export const placeAt = (path: string, name: string, value: string): Place => ({
  path,
  next: `${path}?${name}=${encodeURIComponent(value)}`,
});

export interface PageExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Signs users in on the pages of the OAuth server through their identity provider. */
@Injectable()
export class PageSso {
  constructor(
    private readonly logins: SsoLogins,
    private readonly pages: PageSessions,
  ) {}

  /**
   * Sends the browser to the identity provider of an address. Returns false when the address has
   * none.
   */
  async begin(email: string, { path, next }: Place, { request, reply }: PageExchange): Promise<boolean> {
    const started = await this.logins.begin({ email }, factsOf(request), { page: next });
    if (started === null) return false;
    const { url, fields, login_binding: binding } = started;
    const html = fields === null ? continuePage(url) : postPage(url, fields);
    // Only the browser with this cookie can finish the login.
    const cookie = this.pages.ssoCookie(path, binding);
    await reply
      .headers(pageHeaders(fields === null ? undefined : url))
      .header('set-cookie', cookie)
      .send(html);
    return true;
  }

  /**
   * Finishes a login with which an identity provider has returned the browser, and redirects to the
   * page. Returns false when the request is not such a return. Throws `unauthenticated` for a login
   * of another browser.
   */
  async resume({ path, next }: Place, { request, reply }: PageExchange): Promise<boolean> {
    const code: unknown = Reflect.get(Object(request.query) as object, SSO_CODE);
    if (typeof code !== 'string') return false;
    const binding = this.pages.ssoBinding(request);
    if (binding === null)
      throw new GatewayError('unauthenticated', {
        message: 'This browser has not begun the login. Begin again.',
      });
    const session = await this.logins.exchange(code.slice(0, 128), binding, factsOf(request));
    await reply
      .status(303)
      .header('set-cookie', [this.pages.cookie(path, session.auth_token), this.pages.ssoCookie(path, null)])
      .header('location', next)
      .send();
    return true;
  }
}
