import { OrganisationDomainEntity } from '@gw/entities';
import { newKeyWithCertificate, type KeyWithCertificate } from '@gw/federation';
import { uuidv7 } from '@gw/kernel';
import { samlifyIdp, type Account, type Partner, type SamlifyIdp } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../../spec-support/admin-api';

export const CONNECTIONS = '/v1/admin/organisation/sso-connections';

export interface Begun {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>> | null;
  readonly login_binding: string;
}

export interface Returned {
  readonly code: string;
  readonly login_binding: string | null;
  readonly error: { readonly type: string; readonly param: string | null };
}

interface Sp {
  readonly entity_id: string;
  readonly acs_url: string;
  readonly slo_url: string;
  readonly certificate: string;
}

export interface Scene {
  readonly tenant: Tenant;
  readonly domain: string;
  readonly id: string;
  readonly sp: Sp;
  readonly idp: SamlifyIdp;
}

/** Organisations with SAML identity providers, which the samlify library simulates. */
export class SamlScenes {
  readonly api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  key!: KeyWithCertificate;
  private count = 0;

  constructor() {
    beforeAll(async () => {
      this.key = await newKeyWithCertificate('idp.example');
    });
  }

  /** Creates an organisation with a verified domain and a connection that serves the domain. */
  async scene(saml: object = {}, more: object = {}): Promise<Scene> {
    this.count += 1;
    const tenant = await this.api.tenant();
    const domain = `saml${String(this.count)}.example`;
    await this.api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId: tenant.organisationId, domain, token: 'x', verifiedAt: new Date() },
    });
    return { tenant, domain, ...(await this.connect(tenant, domain, saml, more)) };
  }

  async connect(
    tenant: Tenant,
    domain: string,
    saml: object,
    more: object,
  ): Promise<Pick<Scene, 'id' | 'sp' | 'idp'>> {
    this.count += 1;
    const idp = samlifyIdp(`https://idp${String(this.count)}.example`, this.key);
    const body = {
      ...{ name: idp.entityId, type: 'saml', domains: [domain] },
      saml: { metadata_xml: idp.metadata(), ...saml },
      ...more,
    };
    const made = await this.api.post<{ id: string }>(CONNECTIONS, { key: tenant.adminKey, body });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    const { id } = made.body;
    const { body: sp } = await this.api.get<Sp>(`${CONNECTIONS}/${id}/sp`, { key: tenant.adminKey });
    return { id, sp, idp };
  }

  async begin(email: string): Promise<Begun & { readonly requestId: string; readonly relayState: string }> {
    const { body } = await this.api.post<Begun>('/v2/auth/login', { body: { email } });
    const relayState = new URL(body.url).searchParams.get('RelayState') ?? '';
    return { ...body, requestId: `_${relayState}`, relayState };
  }

  async send(acsUrl: string, response: string, relayState = ''): Promise<GatewayResponse<Returned>> {
    const form = new URLSearchParams({ SAMLResponse: response, RelayState: relayState });
    return this.api.post<Returned>(new URL(acsUrl).pathname, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
  }

  exchange(code: string, login_binding: string): Promise<GatewayResponse<{ auth_token: string }>> {
    return this.api.post<{ auth_token: string }>('/v2/auth/sso/exchange', { body: { code, login_binding } });
  }

  /** Returns the token of a new session of the address. */
  async session({ idp, sp }: Scene, email: string, more: Partial<Account> = {}): Promise<string> {
    const begun = await this.begin(email);
    const response = await idp.respond(partner(sp), account(email, begun.requestId, more));
    const returned = await this.send(sp.acs_url, response, begun.relayState);
    return (await this.exchange(returned.body.code, begun.login_binding)).body.auth_token;
  }
}

export const account = (email: string, requestId: string | null, more: object = {}): Account => ({
  ...{ email, requestId, givenName: 'Ann' },
  ...more,
});

export const partner = (sp: Sp, encryptFor: string | null = null): Partner => ({
  ...{ acsUrl: sp.acs_url, entityId: sp.entity_id, encryptFor },
});
