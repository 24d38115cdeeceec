import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { formText } from '../common/form-text';
import { pageHeaders } from '../auth/account-pages';
import { factsOf } from '../auth/principals.service';
import { PasswordSessions } from '../logins/password-sessions.service';
import { factorPage, signInPage, type SignInForm } from './oauth-pages';
import { PageSessions } from './page-sessions';
import { PageSso, type PageExchange, type Place } from './page-sso';

/** Signs users in on the pages of the OAuth server. */
@Injectable()
export class PageSignIns {
  constructor(
    private readonly sessions: PasswordSessions,
    private readonly pages: PageSessions,
    private readonly sso: PageSso,
  ) {}

  /** Whether a submitted form is a sign-in form. */
  isSignIn(body: unknown): boolean {
    return ['sign_in', 'factor'].includes(formText(body, 'step'));
  }

  /** Handles a submitted sign-in form: redirects to `next`, or shows the form again. */
  async take(body: unknown, form: SignInForm, place: Place, at: PageExchange): Promise<void> {
    const { request, reply } = at;
    const challenge = formText(body, 'challenge');
    try {
      const facts = factsOf(request);
      const credentials = { email: formText(body, 'email'), password: formText(body, 'password') };
      if (challenge === '' && credentials.password === '') {
        if (await this.sso.begin(credentials.email, place, at)) return;
        throw invalid('password', 'Type your password: there is no single sign-on for this address.');
      }
      const login = await (challenge === ''
        ? this.sessions.login(credentials, facts)
        : this.sessions.loginByFactor({ challenge, code: formText(body, 'code') }, facts));
      if ('challenge' in login) {
        await reply.headers(pageHeaders()).send(factorPage(form, login.challenge, null));
        return;
      }
      const cookie = this.pages.cookie(place.path, login.auth_token);
      await reply.status(303).header('set-cookie', cookie).header('location', place.next).send();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const html =
        challenge === '' ? signInPage(form, error.message) : factorPage(form, challenge, error.message);
      await reply.status(error.status).headers(pageHeaders()).send(html);
    }
  }
}
