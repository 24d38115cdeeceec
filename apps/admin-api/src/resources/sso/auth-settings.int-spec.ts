import { OrganisationDomainEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { samlMetadata } from '../../spec-support/sso-connections';

const URL = '/v1/admin/organisation/auth-settings';
const CONNECTIONS = '/v1/admin/organisation/sso-connections';
const OIDC = { issuer: 'https://idp.example.org', client_id: 'tollgate', client_secret: 'a secret of it' };

interface Settings {
  readonly sso_type: string;
  readonly sso_client_id: string | null;
  readonly etag: string;
  readonly error: { readonly param: string };
}

describe('login settings without a named connection', () => {
  const api = new TestAdminApi();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await api.tenant();
  });

  const read = async (): Promise<Settings> => (await api.get<Settings>(URL, { key: tenant.adminKey })).body;
  const write = (body: object, headers = {}): Promise<GatewayResponse<Settings>> =>
    api.put<Settings>(URL, { key: tenant.adminKey, body, headers });

  it('create the first connection, show it, disable and enable it, and keep absent members', async () => {
    expect(await read()).toMatchObject({ sso_type: 'no-auth', sso_client_id: null, etag: '"0"' });
    const { organisationId } = tenant;
    const domain = `${uuidv7()}.example`;
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId, domain, token: 'x', verifiedAt: new Date() },
    });
    const made = await write({ sso_type: 'oidc', ...OIDC, scopes: ['groups'], allowed_domains: [domain] });
    expect([made.status, made.text]).toEqual([200, '{}']);
    const shown = await read();
    expect(shown).toMatchObject({
      ...{ sso_type: 'oidc', issuer: OIDC.issuer, client_id: 'tollgate', has_client_secret: true },
      ...{ scopes: ['groups'], allowed_domains: [domain], disable_auto_provision_user: false },
    });
    const { body: connection } = await api.get(`${CONNECTIONS}/${String(shown.sso_client_id)}`, {
      key: tenant.adminKey,
    });
    expect(connection).toMatchObject({ name: 'Default', status: 'active', domains: [domain] });

    expect((await write({ sso_type: 'no-auth' })).status).toBe(200);
    expect(await read()).toMatchObject({ sso_type: 'no-auth', sso_client_id: shown.sso_client_id });
    expect((await write({ sso_type: 'oidc', disable_auto_provision_user: true })).status).toBe(200);
    expect(await read()).toMatchObject({
      ...{ sso_type: 'oidc', issuer: OIDC.issuer, has_client_secret: true, scopes: ['groups'] },
      disable_auto_provision_user: true,
    });
  });

  it('apply to the oldest connection, and refuse another type', async () => {
    await write({ sso_type: 'saml', saml: { metadata_xml: samlMetadata() } });
    const { sso_client_id: id } = await read();
    const second = { name: 'Second', ...OIDC };
    expect((await api.post(CONNECTIONS, { key: tenant.adminKey, body: second })).status).toBe(200);
    expect(await read()).toMatchObject({ sso_type: 'saml', sso_client_id: id });
    const refused = await write({ sso_type: 'oidc', ...OIDC });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'sso_type']);
  });

  it('can be written only when nothing has changed since they were read', async () => {
    const none = { 'if-match': '"0"' };
    expect((await write({ sso_type: 'oidc', ...OIDC }, none)).status).toBe(200);
    expect((await write({ scopes: ['groups'] }, none)).status).toBe(412);
    const { etag } = await read();
    expect((await write({ scopes: ['groups'] }, { 'if-match': etag })).status).toBe(200);
    expect((await write({ scopes: [] }, { 'if-match': etag })).status).toBe(412);
  });

  it.each([
    ['no type', { ...OIDC }, 'sso_type'],
    ['no issuer', { sso_type: 'oidc', client_id: 'tollgate' }, 'issuer'],
    [
      'a domain that is not verified',
      { sso_type: 'oidc', ...OIDC, allowed_domains: ['x.example'] },
      'allowed_domains.0',
    ],
  ])('name the fault in %s', async (_, body, param) => {
    const refused = await write(body);
    expect([refused.status, refused.body.error.param]).toEqual([400, param]);
    expect((await read()).sso_client_id).toBeNull();
  });

  it('can be changed only by callers who may configure an identity provider', async () => {
    const key = await api.apiKey('organisation-service', tenant, ['organisation_settings.update']);
    expect((await api.put(URL, { key, body: { sso_type: 'oidc', ...OIDC } })).status).toBe(403);
    expect((await read()).sso_client_id).toBeNull();
  });
});
