import { newKeyWithCertificate } from '@gw/federation';
import { samlifyIdp, type Partner, type SamlifyIdp } from '@gw/testing';
import type { BrowserContext, Route } from 'playwright-core';

/** Its address, which only the browsers know that it is played in. */
const ENTITY = 'https://idp.example';

/**
 * An identity provider by SAML that browsers can visit, played by samlify. It logs in `email`
 * without a question.
 */
export class SamlProvider {
  /** Address of the user who logs in next. */
  email = '';
  /** Our service, as `GET …/sp` of the connection tells it. */
  partner: Omit<Partner, 'encryptFor'> = { acsUrl: '', entityId: '' };

  private constructor(private readonly idp: SamlifyIdp) {}

  static async create(): Promise<SamlProvider> {
    return new SamlProvider(samlifyIdp(ENTITY, await newKeyWithCertificate('idp.example')));
  }

  get metadata(): string {
    return this.idp.metadata();
  }

  /** Lets a browser reach it. */
  async serve(context: BrowserContext): Promise<void> {
    await context.route(`${ENTITY}/**`, (route) => this.respond(route));
  }

  /** The page of a provider that posts its response by itself. */
  private async respond(route: Route): Promise<void> {
    const { search, searchParams } = new URL(route.request().url());
    const { acsUrl, entityId } = this.partner;
    const requestId = await this.idp.idOfRedirect(search.slice(1), { entityId, certificate: null });
    const account = { email: this.email, requestId, givenName: 'Ann' };
    const response = await this.idp.respond({ acsUrl, entityId, encryptFor: null }, account);
    const relayState = searchParams.get('RelayState') ?? '';
    await route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${acsUrl}">
        <input type="hidden" name="SAMLResponse" value="${response}">
        <input type="hidden" name="RelayState" value="${relayState}">
      </form><script>document.forms[0].submit()</script>`,
    });
  }
}
