import { AuditLogEntity, OrganisationDomainEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../../spec-support/admin-api';
import { ScriptedProvider, type Script } from './scripted-provider';

export type Members = Readonly<Record<string, unknown>>;

export interface OidcCase {
  readonly id: string;
  readonly group: string;
  readonly input: Members;
  readonly expect: unknown;
  readonly reason: string;
}

export interface Begun {
  readonly url: string;
  readonly login_binding: string;
  readonly linked_sso: readonly { readonly sso_client_id: string }[];
}

/** An organisation with a verified domain and a connection to its own issuer. */
export interface Scene {
  readonly tenant: Tenant;
  readonly path: string;
  readonly domain: string;
  readonly connection: string;
}

interface Returned {
  readonly response: GatewayResponse;
  readonly binding: string;
}

export const CONNECTIONS = '/v1/admin/organisation/sso-connections';
export const CONSOLE = 'https://console.example';
export const SECRET = 'a secret of the provider, long enough';
const { base, cases } = readCases('oidc.json') as {
  readonly base: { readonly header: Members; readonly claims: Members };
  readonly cases: readonly OidcCase[];
};
export const inGroup = (group: string): readonly OidcCase[] => cases.filter((each) => each.group === group);

/** Logins at a scripted provider through an admin API. Create it at the top of a `describe`. */
export class OidcScenes {
  readonly api = new TestAdminApi({
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
    CONSOLE_URL: CONSOLE,
    SMTP_HOST: 'mail.example',
  });
  private started: ScriptedProvider | undefined;
  private scenes = 0;

  constructor() {
    beforeAll(async () => {
      this.started = await ScriptedProvider.start();
    });
    afterAll(() => this.started?.stop());
  }

  get provider(): ScriptedProvider {
    if (this.started === undefined) throw new Error('The provider is available from beforeAll on.');
    return this.started;
  }

  async scene(script: Script = {}, more: Members = {}, allowSubdomains = false): Promise<Scene> {
    this.scenes += 1;
    const path = `i${String(this.scenes)}`;
    const tenant = await this.api.tenant();
    const domain = `v${String(this.scenes)}.example`;
    const { organisationId } = tenant;
    await this.api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId, domain, token: 'x', verifiedAt: new Date(), allowSubdomains },
    });
    this.provider.play(path, script);
    const { status, body, text } = await this.connect({ tenant, path, domain }, more);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return { tenant, path, domain, connection: body.id };
  }

  /** Creates a connection of a scene's organisation to its issuer. */
  connect(
    { tenant, path, domain }: Omit<Scene, 'connection'>,
    more: Members,
  ): Promise<GatewayResponse<{ readonly id: string; readonly token_endpoint_auth_method: string }>> {
    const issuer = this.provider.issuer(path);
    const fields = { name: 'c1', issuer, client_id: 'tollgate', client_secret: SECRET, domains: [domain] };
    return this.api.post(CONNECTIONS, { key: tenant.adminKey, body: { ...fields, ...more } });
  }

  begin(body: object): Promise<GatewayResponse<Begun>> {
    return this.api.post<Begun>('/v2/auth/login', { body });
  }

  returnBy(query: URLSearchParams): Promise<GatewayResponse> {
    return this.api.get(`/v2/auth/callback?${query.toString()}`);
  }

  locationOf({ headers }: GatewayResponse): URL {
    return new URL(String(headers['location']));
  }

  async sessionOf({ response, binding }: Returned): Promise<string> {
    const code = this.locationOf(response).searchParams.get('code');
    const { body } = await this.api.post<{ auth_token: string }>('/v2/auth/sso/exchange', {
      body: { code, login_binding: binding },
    });
    return body.auth_token;
  }

  async emailOf(returned: Returned): Promise<unknown> {
    const token = await this.sessionOf(returned);
    return (await this.api.get('/v1/auth/self', { token })).body['email'];
  }

  /** Follows a login up to the callback, with the changes of a case. */
  async returned(at: Scene, change: Members): Promise<Returned> {
    const { body, status, text } = await this.begin({ sso_client_id: at.connection });
    expect([status, text]).toEqual([200, expect.any(String)]);
    this.sayToken(at, body.url, change);
    const state = new URL(body.url).searchParams.get('state') ?? '';
    const response = await this.returnBy(new URLSearchParams({ code: 'a', state }));
    return { response, binding: body.login_binding };
  }

  /** Expects a refusal with its audit record. */
  async refused({ tenant }: Scene, response: Pick<GatewayResponse, 'status' | 'text'>): Promise<void> {
    expect([response.status, response.text]).toEqual([403, expect.any(String)]);
    const { organisationId } = tenant;
    const { manager } = this.api.dataSource;
    const audits = await manager.findBy(AuditLogEntity, { organisationId, action: 'login' });
    expect(audits.map(({ responseStatusCode }) => responseStatusCode)).toContain(403);
  }

  /**
   * Sets the token of the next exchange at an issuer: the base of the cases with the changes of one
   * case.
   */
  sayToken({ path, domain }: Scene, url: string, change: Members): void {
    const header = { ...base.header, ...membersOf(change, 'header.') };
    const nonce = new URL(url).searchParams.get('nonce') ?? '';
    const claims = JSON.parse(
      JSON.stringify({ ...base.claims, ...membersOf(change, 'claims.') })
        .replaceAll('<ISS>', this.provider.issuer(path))
        .replaceAll('<CLIENT>', 'tollgate')
        .replaceAll('<NONCE>', nonce)
        .replaceAll(/example\.org/gi, domain)
        .replaceAll(/"now([+-]\d+)?"/g, (_, offset: string | undefined) =>
          String(Math.floor(Date.now() / 1_000) + Number(offset ?? 0)),
        ),
    ) as Members;
    const carried = 'jwk' in header ? { jwk: this.provider.publicKey('evil') } : {};
    const script = this.provider.script(path);
    script.token = {
      access_token: 'the access token',
      token_type: 'Bearer',
      id_token: this.provider.signed(claims, {
        header: { ...header, ...carried },
        key: keyOf(change, header),
      }),
    };
    script.userInfo = { sub: claims['sub'], ...membersOf(change, 'userinfo.') };
  }
}

/** Returns the members of a change with a prefix; null removes a member. */
const membersOf = (change: Members, prefix: string): Members =>
  Object.fromEntries(
    Object.entries(change)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value ?? undefined]),
  );

function keyOf(change: Members, { kid }: { readonly kid?: unknown }): string | Buffer | null {
  switch (change['sign']) {
    case 'none':
      return null;
    case 'client secret':
      return Buffer.from(SECRET);
    case 'evil':
      return 'evil';
    default:
      return kid === 'k2' ? 'k2' : 'k1';
  }
}
