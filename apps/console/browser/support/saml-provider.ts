import { newKeyWithCertificate } from '@gw/federation';
import { samlifyIdp, type Partner, type SamlifyIdp } from '@gw/testing';
import type { BrowserContext, Route } from 'playwright-core';

/** Address of the provider, which is served by request interception in the browser only. */
const ENTITY = 'https://idp.example';

/**
 * SAML identity provider, implemented with samlify, that browsers can visit. It logs in `email`
 * without asking.
 */
export class SamlProvider {
  /** Address of the user who logs in next. */
  email = '';
  /** Tollgate's service provider data, as `GET …/sp` of the connection returns it. */
  partner: Omit<Partner, 'encryptFor'> = { acsUrl: '', entityId: '' };

  private constructor(private readonly idp: SamlifyIdp) {}

  static async create(): Promise<SamlProvider> {
    return new SamlProvider(samlifyIdp(ENTITY, await newKeyWithCertificate('idp.example')));
  }

  get metadata(): string {
    return this.idp.metadata();
  }

  /** Makes the provider reachable for a browser. */
  async serve(context: BrowserContext): Promise<void> {
    await context.route(`${ENTITY}/**`, (route) => this.respond(route));
  }

  /** Responds with a page that posts the SAML response automatically. */
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
