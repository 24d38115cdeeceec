import { SsoConnectionEntity } from '@gw/entities';
import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { PASSWORD, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { connectionFields } from '../../spec-support/sso-connections';

const PATH = '/v1/console/bootstrap';
const SIGN_IN = ['environment', 'object', 'password_login', 'sso', 'version'];

describe('GET /console/bootstrap', () => {
  const admin = new TestAdminApi({
    CONSOLE_ENVIRONMENT: 'staging',
    PUBLIC_GATEWAY_URL: 'https://gateway.example/',
    AUDIT_LOGS_ENABLED: 'OFF',
    CONSOLE_RATE_LIMIT: '500',
  });
  const tenant = admin.sharedTenant();

  it('returns only what a sign-in needs without a session, with an ended one, and for API keys', async () => {
    const { email } = await admin.user(tenant.organisationId, 'owner');
    const token = await admin.login(email);
    await admin.post('/v1/auth/logout', { token });
    for (const call of [{}, { token }, { key: tenant.key }, { headers: { cookie: 'tollgate=a' } }]) {
      const { status, body } = await admin.get(PATH, call);
      expect([status, Object.keys(body).sort()]).toEqual([200, SIGN_IN]);
      expect(body).toMatchObject({
        environment: 'staging',
        version: CONTROL_PLANE_VERSION,
        password_login: true,
      });
    }
  });

  it('describes the installation to a session of any role', async () => {
    const { email } = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const { body } = await admin.get(PATH, { token: await admin.login(email) });
    expect(body).toMatchObject({
      gateway_url: 'https://gateway.example',
      features: { audit_logs: false, guardrails: true, mail: false, oauth: false },
      retention_days: { logs: 90, metrics: 365 },
      needs_password: false,
      limits: { tail_seconds: 3_600, requests_per_minute: 500 },
    });
  });

  it('accepts the session of a console in its cookie, and refuses a cookie together with a key', async () => {
    const { email } = await admin.user(tenant.organisationId, 'owner');
    const console = { 'x-gw-console': '1' };
    const login = await admin.post('/v1/auth/login', {
      headers: console,
      body: { email, password: PASSWORD },
    });
    const cookie = String(login.headers['set-cookie']).split(';', 1)[0] ?? '';
    const get = (headers: Record<string, string>): Promise<GatewayResponse> => admin.get(PATH, { headers });
    expect((await get({ cookie, ...console })).body).toHaveProperty('gateway_url');
    expect((await get({ cookie })).body).not.toHaveProperty('gateway_url');
    const crossSite = { cookie, ...console, 'sec-fetch-site': 'cross-site' };
    expect((await get(crossSite)).body).not.toHaveProperty('gateway_url');
    expect((await get({ cookie, ...console, 'x-gw-api-key': tenant.key })).status).toBe(400);
  });
});

describe('GET /console/bootstrap with single sign-on', () => {
  const admin = new TestAdminApi({ SSO_BREAK_GLASS: 'false' });
  const tenant = admin.sharedTenant();
  const later = (ms: number): void => {
    const at = Date.now() + ms;
    jest.spyOn(Date, 'now').mockImplementation(() => at);
  };
  afterEach(() => jest.restoreAllMocks());

  it('shows the connections of the only organisation, and none once there are several', async () => {
    const made = await admin.post<{ id: string }>('/v1/admin/organisation/sso-connections', {
      ...{ key: tenant.adminKey, body: connectionFields('Okta') },
    });
    expect(made.status).toBe(200);
    const bootstrap = async () => (await admin.get<{ sso: object[]; password_login: boolean }>(PATH)).body;
    const shown = { sso_client_id: made.body.id, name: 'Okta', type: 'oidc' };
    expect(await bootstrap()).toMatchObject({ password_login: true, sso: [shown] });
    await admin.dataSource.manager.update(SsoConnectionEntity, { id: made.body.id }, { enforced: true });
    later(5_001);
    expect(await bootstrap()).toMatchObject({ password_login: false, sso: [shown] });
    await admin.tenant();
    later(5_001);
    expect(await bootstrap()).toMatchObject({ password_login: true, sso: [] });
  });
});
