import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { samlMetadata } from '../apps/admin-api/src/spec-support/sso-connections';
import { exportState, type State } from '../apps/cli/src/reconcile';
import { insertVerifiedDomain, keySet, ssoConnectionsOf } from './spec-support/cli-sso-states';
import { CliTenants } from './spec-support/cli-tenants';

const OKTA = { name: 'Okta', issuer: 'https://acme.okta.example', client_id: 'tollgate' };
const SECRET = { env: 'TOLLGATE_SSO_OKTA_CLIENT_SECRET' };
const environment = { [SECRET.env]: 'a-secret-of-the-client', KEYS: keySet('one') };

describe('single sign-on connections in files', () => {
  const tenants = new CliTenants({}, { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const { admin } = tenants;
  const file = (...connections: readonly object[]): State => ({
    sso_connections: connections as State[string],
  });
  let provider: Server;
  let metadataUrl = '';
  beforeAll(async () => {
    provider = createServer((_request, response) => {
      response.setHeader('content-type', 'application/samlmetadata+xml').end(samlMetadata());
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    metadataUrl = `http://127.0.0.1:${String((provider.address() as AddressInfo).port)}/metadata`;
  });
  afterAll(() => new Promise((resolve) => provider.close(resolve)));
  const shown = async (tenant: Parameters<typeof tenants.clientOf>[0]) =>
    tenants.clientOf(tenant).all('/v1/admin/organisation/sso-connections');

  it('are created, exported without secrets, changed member by member and deleted', async () => {
    const tenant = await admin.tenant();
    await insertVerifiedDomain(admin, tenant.organisationId);
    const state = {
      workspaces: [{ slug: 'search', name: 'Search' }],
      sso_connections: ssoConnectionsOf(tenant.organisationId),
    };
    const okta = { environment: { OKTA: 'a-secret-of-the-client', ENTRA_JWKS: keySet('one') } };
    await tenants.apply(tenant, state, { ...okta, dryRun: true, validates: true });
    expect(await shown(tenant)).toEqual([]);
    await tenants.apply(tenant, state, okta);
    expect(await tenants.apply(tenant, state)).toEqual([]);
    const exported = await exportState(tenants.clientOf(tenant));
    const [first, , second] = ssoConnectionsOf(tenant.organisationId);
    expect(exported['sso_connections']).toMatchObject([
      { ...first, client_secret: SECRET },
      { name: 'Entra', jwks: { env: 'TOLLGATE_SSO_ENTRA_JWKS' } },
      second ?? {},
    ]);
    expect(JSON.stringify(exported)).not.toContain('a-secret-of-the-client');
    // Members that the file omits are cleared, and a secret whose variable is not set stays.
    expect(await tenants.apply(tenant, file({ ...OKTA, client_secret: SECRET }, second ?? {}))).toEqual([
      expect.stringMatching(/^update sso_connections Okta \(client_id, .*group_rules, status\)$/),
    ]);
    expect(await shown(tenant)).toMatchObject([
      {
        has_client_secret: true,
        max_age: null,
        scopes: [],
        group_rules: [],
        enforced: false,
        status: 'active',
      },
      { name: 'Entra' },
      { type: 'saml' },
    ]);
    expect(await tenants.apply(tenant, file(second ?? {}), { prune: true })).toEqual([
      'delete sso_connections Entra ()',
      'delete sso_connections Okta ()',
    ]);
  });

  it('send a secret only to the provider with which it was saved', async () => {
    const tenant = await admin.tenant();
    const connection = { ...OKTA, client_secret: SECRET };
    await tenants.apply(tenant, file(connection), { environment });
    const moved = file({ ...connection, issuer: 'https://other.example' });
    await expect(tenants.apply(tenant, moved)).rejects.toThrow('needs client_secret');
    expect(await tenants.apply(tenant, moved, { environment })).toEqual([
      'update sso_connections Okta (issuer)',
    ]);
    await expect(tenants.apply(tenant, file(OKTA))).rejects.toThrow('needs client_secret');
  });

  it('have keys in a variable, and lose them when the file omits the variable', async () => {
    const tenant = await admin.tenant();
    const keys = { ...OKTA, jwks: { env: 'KEYS' } };
    await tenants.apply(tenant, file(keys), { environment });
    expect(await tenants.apply(tenant, file(keys))).toEqual([]);
    const [row] = await shown(tenant);
    expect(row).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt', key_ids: ['one'] });
    expect((await exportState(tenants.clientOf(tenant)))['sso_connections']).toMatchObject([
      { jwks: { env: 'TOLLGATE_SSO_OKTA_JWKS' }, token_endpoint_auth_method: 'private_key_jwt' },
    ]);
    await tenants.apply(tenant, file({ ...OKTA, client_secret: SECRET }), { environment });
    expect(await shown(tenant)).toMatchObject([
      { token_endpoint_auth_method: 'client_secret_basic', key_ids: [], has_client_secret: true },
    ]);
    await expect(
      tenants.apply(tenant, file({ ...keys, name: 'Other' }), { environment: { KEYS: 'no JSON' } }),
    ).rejects.toThrow('jwks must be a set of keys in JSON');
  });

  it('combine metadata that the control plane reads with members of the file, until the file omits the metadata URL', async () => {
    const tenant = await admin.tenant();
    const saml = (settings: object): State => file({ name: 'ADFS', type: 'saml', saml: settings });
    await tenants.apply(tenant, saml({ metadata_url: metadataUrl }));
    expect(await tenants.apply(tenant, saml({ metadata_url: metadataUrl }))).toEqual([]);
    const { sso_connections: [exported] = [] } = await exportState(tenants.clientOf(tenant));
    const flags = Object.entries(exported?.['saml'] ?? {}).filter(([, value]) => value !== false);
    expect(flags).toEqual([['metadata_url', metadataUrl]]);
    const own = { metadata_url: metadataUrl, sso_url: 'https://adfs.acme.example/own' };
    expect(await tenants.apply(tenant, saml(own))).toEqual(['update sso_connections ADFS (saml)']);
    expect(await tenants.apply(tenant, saml(own))).toEqual([]);
    await tenants.apply(tenant, saml({ metadata_url: metadataUrl }));
    expect(await tenants.apply(tenant, saml({ metadata_url: metadataUrl }))).toEqual([]);
    const [, , { saml: values } = { saml: {} }] = ssoConnectionsOf(tenant.organisationId);
    await tenants.apply(tenant, saml(values ?? {}));
    expect(await tenants.apply(tenant, saml(values ?? {}))).toEqual([]);
    expect(await shown(tenant)).toMatchObject([{ saml: { metadata_url: null } }]);
  });

  it('are refused with the invalid member, and cannot change their type', async () => {
    const tenant = await admin.tenant();
    const plan = { dryRun: true, validates: true, environment };
    const connection = { ...OKTA, client_secret: SECRET };
    await expect(
      tenants.apply(tenant, file({ ...connection, domains: ['other.example'] }), plan),
    ).rejects.toThrow('must be a verified domain of the organisation');
    await expect(tenants.apply(tenant, file({ ...connection, admits_owners: true }), plan)).rejects.toThrow(
      'sso_connections Okta',
    );
    await expect(tenants.apply(tenant, file({ ...connection, saml: { sso: 'x' } }), plan)).rejects.toThrow(
      'there is no member saml.sso',
    );
    await tenants.apply(tenant, file(connection), { environment });
    await expect(
      tenants.apply(tenant, file({ name: 'Okta', type: 'saml', saml: { metadata_url: metadataUrl } })),
    ).rejects.toThrow('cannot be changed');
  });
});
