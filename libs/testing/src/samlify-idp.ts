import { createRequire } from 'node:module';

/** A private key with its certificate, both PEM. */
interface Key {
  readonly privateKey: string;
  readonly certificate: string;
}

interface Made {
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
      more: { readonly relayState: string; customTagReplacement(template: string): Made },
    ): { readonly context: string };
    parseLogoutRequest(sp: object, binding: 'redirect', request: object): Promise<ParsedLogout>;
    parseLogoutResponse(sp: object, binding: 'redirect' | 'post', request: object): Promise<ParsedLogout>;
  };
  ServiceProvider(settings: object): {
    readonly entityMeta: { getSingleLogoutService(binding: 'redirect' | 'post'): string };
  };
}

// Its types would bring the globals of browsers into our code.
const load = createRequire(__filename);

/** Loaded at first use: all specs import this library. */
function samlifyNow(): Samlify {
  const samlify = load('samlify') as Samlify;
  samlify.setSchemaValidator({ validate: () => Promise.resolve('valid') });
  return samlify;
}

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** The service provider, as its partner knows it. */
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
  /** When the session at the provider ends. */
  readonly sessionEndsAt?: Date;
  /** Absent: `_s`. */
  readonly sessionIndex?: string;
}

/** Who has logged out at the provider. */
export interface EndedAccount {
  readonly email: string;
  readonly sessionIndex: string | null;
  /** Of the request; absent: a new one. */
  readonly id?: string;
}

export interface LogoutDelivery {
  readonly binding: 'redirect' | 'post';
  readonly relayState?: string;
  readonly isSigned?: boolean;
}

/** An identity provider by samlify, which reads our requests and makes responses on its own. */
export function samlifyIdp(entityId: string, key: Key): SamlifyIdp {
  return new SamlifyIdp(entityId, key);
}

export class SamlifyIdp {
  private readonly samlify = samlifyNow();

  constructor(
    readonly entityId: string,
    private readonly key: Key,
  ) {}

  /** Its metadata. */
  metadata(): string {
    return this.idp(false).getMetadata();
  }

  /** A SAMLResponse in base64, as a browser would post it. */
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
   * The id of a request of ours that came with the query of a redirect; rejects when its signature
   * is wrong.
   */
  async idOfRedirect(query: string, sp: { entityId: string; certificate: string | null }): Promise<string> {
    const { extract } = await this.idp(false, sp.certificate !== null).parseLoginRequest(
      this.partner(sp),
      'redirect',
      redirectOf(query),
    );
    return extract.request.id;
  }

  /** The id of a request of ours that was posted. */
  async idOfPost(body: object, sp: { entityId: string; certificate: string | null }): Promise<string> {
    const { extract } = await this.idp(false, sp.certificate !== null).parseLoginRequest(
      this.partner(sp),
      'post',
      { body },
    );
    return extract.request.id;
  }

  /**
   * A signed LogoutRequest for who published `metadata`: the query of a redirect with its URL, or
   * the base64 of a form. `isSigned` false: without the signature.
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

  /** The id of the request that an answer of ours names; rejects when its signature is wrong. */
  async answeredLogout(metadata: string, sent: { query: string } | { body: object }): Promise<string> {
    const sp = this.samlify.ServiceProvider({ metadata });
    const idp = this.idp(false, false, { wantLogoutResponseSigned: true });
    const parsed =
      'query' in sent
        ? await idp.parseLogoutResponse(sp, 'redirect', redirectOf(sent.query))
        : await idp.parseLogoutResponse(sp, 'post', { body: sent.body });
    return parsed.extract.response?.inResponseTo ?? '';
  }

  /** The account and session that a request of ours names; rejects when its signature is wrong. */
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

/** What samlify leaves to its users: the time of the login, and attributes. */
function statements(
  template: string,
  { requestId, email, givenName, groups = [], sessionEndsAt, sessionIndex = '_s' }: Account,
): string {
  const end = sessionEndsAt === undefined ? '' : ` SessionNotOnOrAfter="${sessionEndsAt.toISOString()}"`;
  const attribute = (name: string, value: string): string =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</saml:AttributeValue></saml:Attribute>`;
  const own = template
    .replace(
      '{AuthnStatement}',
      `<saml:AuthnStatement AuthnInstant="${new Date().toISOString()}" SessionIndex="${sessionIndex}"${end}><saml:AuthnContext>` +
        `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    )
    .replace(
      '{AttributeStatement}',
      `<saml:AttributeStatement>${attribute('email', email)}${attribute('givenName', givenName)}${groups.map((each) => attribute('groups', each)).join('')}</saml:AttributeStatement>`,
    );
  return requestId === null ? own.replaceAll(' InResponseTo="{InResponseTo}"', '') : own;
}

const redirectOf = (query: string): { readonly query: object; readonly octetString: string } => ({
  query: Object.fromEntries(new URLSearchParams(query)),
  octetString: query.replace(/&Signature=.*$/, ''),
});
