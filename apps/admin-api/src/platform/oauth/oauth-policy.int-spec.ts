import { CLI_CLIENT } from '@gw/oauth';
import { ProofKey } from '@gw/testing';
import { PASSWORD, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { Browser, fieldOf } from './spec-support/browser';
import { formOf, OauthJourney, PUBLIC_URL, RESOURCE, type TokenBody } from './spec-support/oauth-journey';

const SETTINGS = '/v1/admin/organisation/settings';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const proofOfToken = (): string =>
  new ProofKey().proof({ token: '', method: 'POST', url: `${PUBLIC_URL}/oauth/token` }, { ath: undefined });

interface Refusal {
  readonly error: { readonly message: string; readonly param: string };
}

describe('OAuth settings of an organisation', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const journey = new OauthJourney(api);
  let tenant: Tenant;
  let user: { readonly id: string; readonly email: string };
  beforeEach(async () => {
    tenant = await api.tenant();
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
  });

  const put = (oauth_settings: object, key = tenant.adminKey): Promise<GatewayResponse<Refusal>> =>
    api.put<Refusal>(SETTINGS, { key, body: { oauth_settings } });
  const isActive = async (token: string): Promise<unknown> =>
    (await journey.introspect(token, tenant.adminKey)).body['active'];
  async function tokenOf(clientId: string): Promise<TokenBody> {
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    return (await journey.exchange(begun, code)).body;
  }

  it('allow all clients by default, and are shown', async () => {
    const { body } = await api.get(SETTINGS, { key: tenant.adminKey });
    expect(body['oauth_settings']).toEqual({ clients: 'any', device_flow: true, require_dpop: false });
    expect((await put({ clients: 'documents', device_flow: false })).status).toBe(200);
    const changed = await api.get(SETTINGS, { key: tenant.adminKey });
    expect(changed.body['oauth_settings']).toEqual({
      ...{ clients: 'documents', device_flow: false, require_dpop: false },
    });
    expect((await put({ clients: null })).status).toBe(200);
    const reset = await api.get(SETTINGS, { key: tenant.adminKey });
    expect(reset.body['oauth_settings']).toMatchObject({ clients: 'any', device_flow: false });
  });

  it('can be changed only by administrators, and refuse an invalid value with its name', async () => {
    const manager = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'admin' });
    const token = await api.login(manager.email);
    expect((await api.put(SETTINGS, { token, body: { oauth_settings: {} } })).status).toBe(403);
    expect((await put({ clients: 'none' })).body.error.param).toBe('oauth_settings.clients');
  });

  it('end the grants of clients that are no longer allowed, and admit no new ones', async () => {
    const other = await api.tenant();
    const abroad = await api.user(other.organisationId, 'member', { [other.workspaceId]: 'manager' });
    const [dynamic, foreign] = [await journey.clientId(), await journey.clientId()];
    const registered = await api.post<{ id: string }>('/v1/admin/organisation/oauth-clients', {
      key: tenant.adminKey,
      body: {
        name: 'Portal',
        redirect_uris: ['https://client.example.org/cb'],
        token_endpoint_auth_method: 'none',
      },
    });
    const [itsToken, ourToken] = [await tokenOf(dynamic), await tokenOf(registered.body.id)];
    const { begun, code } = await journey.code(foreign, abroad, other.workspaceId);
    const theirs = (await journey.exchange(begun, code)).body.access_token;
    const waiting = await journey.begin(dynamic);
    const page = await journey.signIn(waiting, user.email);

    expect((await put({ clients: 'registered' })).status).toBe(200);
    expect([await isActive(itsToken.access_token), await isActive(ourToken.access_token)]).toEqual([
      false,
      true,
    ]);
    expect((await journey.introspect(theirs, other.adminKey)).body['active']).toBe(true);
    expect((await journey.refresh(dynamic, itsToken.refresh_token)).status).toBe(400);
    const refused = await journey.decide(waiting, page, 'approve', tenant.workspaceId);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('Your organisation does not allow this client.'),
    ]);
    const again = await journey.signIn(await journey.begin(dynamic), user.email);
    expect([again.status, again.text]).toEqual([403, expect.stringContaining('does not allow this client')]);
  });

  it('can refuse devices that show a code', async () => {
    await put({ device_flow: false });
    const form = { client_id: CLI_CLIENT.id, resource: RESOURCE, scope: 'logs.list' };
    const { body } = await api.post<{ user_code: string }>('/oauth/device', {
      body: formOf(form),
      headers: FORM,
    });
    const browser = new Browser(api);
    const opened = await browser.open('/oauth/activate');
    const typed = { form: fieldOf(opened.text, 'form'), user_code: body.user_code };
    const sent = await browser.submit('/oauth/activate', {
      ...{ ...typed, step: 'sign_in', email: user.email, password: PASSWORD },
    });
    const page = await browser.open(String(sent.headers['location']));
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('does not allow the device flow'),
    ]);
  });

  it('can require tokens that are bound to a key, which ends grants with other tokens', async () => {
    const clientId = await journey.clientId();
    const bearer = await tokenOf(clientId);
    await put({ require_dpop: true });
    expect(await isActive(bearer.access_token)).toBe(false);
    expect((await journey.refresh(clientId, bearer.refresh_token)).status).toBe(400);

    const first = await journey.code(clientId, user, tenant.workspaceId);
    const refused = await journey.exchange(first.begun, first.code);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof']);
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const bound = await api.post<TokenBody & { token_type: string }>('/oauth/token', {
      body: formOf({
        ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: begun.redirectUri },
        code_verifier: begun.verifier,
      }),
      headers: { ...FORM, dpop: proofOfToken() },
    });
    expect([bound.status, bound.body.token_type]).toEqual([200, 'DPoP']);
    await put({ device_flow: false });
    expect(await isActive(bound.body.access_token)).toBe(true);
  });

  it('keep bound grants of clients with a secret, whose refresh tokens are not bound', async () => {
    const made = await api.post<{ id: string; client_secret: string }>(
      '/v1/admin/organisation/oauth-clients',
      {
        key: tenant.adminKey,
        body: {
          ...{ name: 'Portal', redirect_uris: ['https://client.example.org/cb'] },
          token_endpoint_auth_method: 'client_secret_post',
        },
      },
    );
    const { begun, code } = await journey.code(made.body.id, user, tenant.workspaceId);
    const { body } = await api.post<TokenBody>('/oauth/token', {
      body: formOf({
        ...{ grant_type: 'authorization_code', code, client_id: made.body.id },
        ...{ redirect_uri: begun.redirectUri, code_verifier: begun.verifier },
        client_secret: made.body.client_secret,
      }),
      headers: { ...FORM, dpop: proofOfToken() },
    });
    await put({ require_dpop: true });
    expect(await isActive(body.access_token)).toBe(true);
  });
});
