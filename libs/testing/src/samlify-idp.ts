import { createRequire } from 'node:module';

/** A private key with its certificate, both PEM. */
interface Key {
  readonly privateKey: string;
  readonly certificate: string;
}

interface FilledTemplate {
  readonly id: string;
  readonly context: string;
}

interface ParsedLogout {
  readonly extract: {
    readonly nameID?: string;
    readonly sessionIndex?: string;
    readonly response?: { readonly inResponseTo: string };
  };
}

interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
  readonly SamlLib: {
    readonly defaultLoginResponseTemplate: { readonly context: string };
    replaceTagsByValue(template: string, values: Record<string, string>): string;
  };
  IdentityProvider(settings: object): {
    createLoginResponse(
      sp: object,
      request: object,
      binding: 'post',
      user: object,
      more: { customTagReplacement(template: string): { id: string; context: string } },
    ): Promise<{ readonly context: string }>;
    parseLoginRequest(
      sp: object,
      binding: 'redirect' | 'post',
      request: { readonly query?: object; readonly body?: object; readonly octetString?: string },
    ): Promise<{ readonly extract: { readonly request: { readonly id: string } } }>;
    getMetadata(): string;
    createLogoutRequest(
      sp: object,
      binding: 'redirect' | 'post',
      user: { readonly logoutNameID: string; readonly sessionIndex: string },
      more: { readonly relayState: string; customTagReplacement(template: string): FilledTemplate },
    ): { readonly context: string };
    parseLogoutRequest(sp: object, binding: 'redirect', request: object): Promise<ParsedLogout>;
    parseLogoutResponse(sp: object, binding: 'redirect' | 'post', request: object): Promise<ParsedLogout>;
  };
  ServiceProvider(settings: object): {
    readonly entityMeta: { getSingleLogoutService(binding: 'redirect' | 'post'): string };
  };
}

// Importing its types would add browser globals to this code.
const load = createRequire(__filename);

/** Loads the package on first use, because all tests import this library. */
function loadSamlify(): Samlify {
  const samlify = load('samlify') as Samlify;
  samlify.setSchemaValidator({ validate: () => Promise.resolve('valid') });
  return samlify;
}

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** The service provider, in the identity provider's view. */
export interface Partner {
  readonly acsUrl: string;
  readonly entityId: string;
  readonly encryptFor: string | null;
}

export interface Account {
  readonly requestId: string | null;
  readonly email: string;
  readonly givenName: string;
  readonly groups?: readonly string[];
  /** End of the session at the provider. */
  readonly sessionEndsAt?: Date;
  /** Index of the session at the provider; `_s` when absent. */
  readonly sessionIndex?: string;
}

/** The account that has logged out at the provider. */
export interface EndedAccount {
  readonly email: string;
  readonly sessionIndex: string | null;
  /** Id of the request; a new one when absent. */
  readonly id?: string;
}

export interface LogoutDelivery {
  readonly binding: 'redirect' | 'post';
  readonly relayState?: string;
  readonly isSigned?: boolean;
}

/**
 * Returns an identity provider built with samlify, an implementation that is independent of ours.
 */
export function samlifyIdp(entityId: string, key: Key): SamlifyIdp {
  return new SamlifyIdp(entityId, key);
}

export class SamlifyIdp {
  private readonly samlify = loadSamlify();

  constructor(
    readonly entityId: string,
    private readonly key: Key,
  ) {}

  /** Returns the metadata of the identity provider. */
  metadata(): string {
    return this.idp(false).getMetadata();
  }

  /** Returns a SAMLResponse in base64 that a browser would post. */
  async respond({ acsUrl, entityId, encryptFor }: Partner, account: Account): Promise<string> {
    const sp = this.samlify.ServiceProvider({
      entityID: entityId,
      wantAssertionsSigned: true,
      assertionConsumerService: [{ Binding: POST, Location: acsUrl }],
      ...(encryptFor === null ? {} : { encryptCert: encryptFor }),
    });
    const request = { extract: { request: { id: account.requestId ?? '' } } };
    const values = this.values({ acsUrl, entityId }, account);
    const { context } = await this.idp(encryptFor !== null).createLoginResponse(
      sp,
      request,
      'post',
      { email: account.email },
      {
        customTagReplacement: (template) => ({
          id: values['ID'] ?? '',
          context: this.samlify.SamlLib.replaceTagsByValue(statements(template, account), values),
        }),
      },
    );
    return context;
  }

  /**
   * Returns the id of a login request of ours from the query of a redirect; rejects if its
   * signature is wrong.
   */
  async idOfRedirect(query: string, sp: { entityId: string; certificate: string | null }): Promise<string> {
    const { extract } = await this.idp(false, sp.certificate !== null).parseLoginRequest(
      this.partner(sp),
      'redirect',
      redirectOf(query),
    );
    return extract.request.id;
  }

  /**
   * Returns the id of a login request of ours that was posted; rejects if its signature is wrong.
   */
  async idOfPost(body: object, sp: { entityId: string; certificate: string | null }): Promise<string> {
    const { extract } = await this.idp(false, sp.certificate !== null).parseLoginRequest(
      this.partner(sp),
      'post',
      { body },
    );
    return extract.request.id;
  }

  /**
   * Returns a LogoutRequest to the service provider with this metadata: the URL of a redirect with
   * its query, or the base64 content of a form. It is signed unless `isSigned` is false.
   */
  logoutRequest(
    metadata: string,
    { email, sessionIndex, id = `_${crypto.randomUUID()}` }: EndedAccount,
    { binding, relayState = '', isSigned = true }: LogoutDelivery,
  ): string {
    const sp = this.samlify.ServiceProvider({ metadata, wantLogoutRequestSigned: isSigned });
    return this.idp(false).createLogoutRequest(
      sp,
      binding,
      { logoutNameID: email, sessionIndex: sessionIndex ?? '' },
      {
        relayState,
        customTagReplacement: (template) => ({
          id,
          context: this.samlify.SamlLib.replaceTagsByValue(
            sessionIndex === null
              ? template.replace(/<samlp:SessionIndex>.*<.samlp:SessionIndex>/, '')
              : template,
            {
              ...{ ID: id, NameID: email, NameIDFormat: EMAIL, SessionIndex: sessionIndex ?? '' },
              ...{ Issuer: this.entityId, IssueInstant: new Date().toISOString() },
              Destination: sp.entityMeta.getSingleLogoutService(binding),
            },
          ),
        }),
      },
    ).context;
  }

  /**
   * Returns the id of the request that a logout response of ours names; rejects if its signature is
   * wrong.
   */
  async answeredLogout(metadata: string, sent: { query: string } | { body: object }): Promise<string> {
    const sp = this.samlify.ServiceProvider({ metadata });
    const idp = this.idp(false, false, { wantLogoutResponseSigned: true });
    const parsed =
      'query' in sent
        ? await idp.parseLogoutResponse(sp, 'redirect', redirectOf(sent.query))
        : await idp.parseLogoutResponse(sp, 'post', { body: sent.body });
    return parsed.extract.response?.inResponseTo ?? '';
  }

  /**
   * Returns the account and session that a logout request of ours names; rejects if its signature
   * is wrong.
   */
  async endedBy(metadata: string, query: string): Promise<readonly (string | undefined)[]> {
    const sp = this.samlify.ServiceProvider({ metadata });
    const idp = this.idp(false, false, { wantLogoutRequestSigned: true });
    const { extract } = await idp.parseLogoutRequest(sp, 'redirect', redirectOf(query));
    return [extract.nameID, extract.sessionIndex];
  }

  private partner({ entityId, certificate }: { entityId: string; certificate: string | null }): object {
    return this.samlify.ServiceProvider({
      entityID: entityId,
      authnRequestsSigned: certificate !== null,
      assertionConsumerService: [{ Binding: POST, Location: entityId }],
      ...(certificate === null ? {} : { signingCert: certificate }),
    });
  }

  private idp(
    isAssertionEncrypted: boolean,
    wantAuthnRequestsSigned = false,
    more: object = {},
  ): ReturnType<Samlify['IdentityProvider']> {
    return this.samlify.IdentityProvider({
      entityID: this.entityId,
      privateKey: this.key.privateKey,
      signingCert: this.key.certificate,
      isAssertionEncrypted,
      wantAuthnRequestsSigned,
      dataEncryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
      nameIDFormat: [EMAIL],
      singleLogoutService: [{ Binding: REDIRECT, Location: `${this.entityId}/slo` }],
      singleSignOnService: [
        { Binding: REDIRECT, Location: `${this.entityId}/sso` },
        { Binding: POST, Location: `${this.entityId}/sso` },
      ],
      ...more,
    });
  }

  private values(
    { acsUrl, entityId }: Pick<Partner, 'acsUrl' | 'entityId'>,
    { requestId, email }: Account,
  ): Record<string, string> {
    const now = new Date();
    const later = new Date(now.getTime() + 300_000).toISOString();
    const id = (): string => `_${crypto.randomUUID()}`;
    return {
      ID: id(),
      AssertionID: id(),
      Destination: acsUrl,
      Audience: entityId,
      SubjectRecipient: acsUrl,
      Issuer: this.entityId,
      IssueInstant: now.toISOString(),
      StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      ConditionsNotBefore: now.toISOString(),
      ConditionsNotOnOrAfter: later,
      SubjectConfirmationDataNotOnOrAfter: later,
      NameIDFormat: EMAIL,
      NameID: email,
      InResponseTo: requestId ?? '',
    };
  }
}

/** Fills in what samlify leaves to its users: the time of the login, and attributes. */
function statements(
  template: string,
  { requestId, email, givenName, groups = [], sessionEndsAt, sessionIndex = '_s' }: Account,
): string {
  const end = sessionEndsAt === undefined ? '' : ` SessionNotOnOrAfter="${sessionEndsAt.toISOString()}"`;
  const attribute = (name: string, value: string): string =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</saml:AttributeValue></saml:Attribute>`;
  const filled = template
    .replace(
      '{AuthnStatement}',
      `<saml:AuthnStatement AuthnInstant="${new Date().toISOString()}" SessionIndex="${sessionIndex}"${end}><saml:AuthnContext>` +
        `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    )
    .replace(
      '{AttributeStatement}',
      `<saml:AttributeStatement>${attribute('email', email)}${attribute('givenName', givenName)}${groups.map((each) => attribute('groups', each)).join('')}</saml:AttributeStatement>`,
    );
  return requestId === null ? filled.replaceAll(' InResponseTo="{InResponseTo}"', '') : filled;
}

const redirectOf = (query: string): { readonly query: object; readonly octetString: string } => ({
  query: Object.fromEntries(new URLSearchParams(query)),
  octetString: query.replace(/&Signature=.*$/, ''),
});
