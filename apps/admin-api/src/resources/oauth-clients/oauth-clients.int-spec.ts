import {
  formOf,
  OauthJourney,
  PUBLIC_URL,
  type TokenBody,
} from '../../platform/oauth/spec-support/oauth-journey';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

const PATH = '/v1/admin/organisation/oauth-clients';
const CALLBACK = 'https://portal.example.com/cb';
const PRIVATE_USE = 'com.example.app:/cb';

interface Made {
  readonly id: string;
  readonly client_secret: string | null;
  readonly error?: { readonly param: string; readonly message: string };
}

describe('registered OAuth clients', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
  });

  const post = (body: object, key = tenant.adminKey): Promise<GatewayResponse<Made>> =>
    api.post<Made>(PATH, { key, body: { name: 'Portal', redirect_uris: [CALLBACK], ...body } });
  const put = (id: string, body: object): Promise<GatewayResponse<Made>> =>
    api.put<Made>(`${PATH}/${id}`, { key: tenant.adminKey, body });

  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const basic = (id: string, secret: string): Readonly<Record<string, string>> => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  async function codeFor(id: string, redirect_uri = CALLBACK): Promise<Record<string, string>> {
    const { begun, code } = await journey.code(id, user, tenant.workspaceId, { redirect_uri });
    return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: begun.verifier };
  }
  const exchange = (
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<GatewayResponse<TokenBody>> =>
    api.post<TokenBody>('/oauth/token', { body: formOf(parameters), headers: { ...form, ...headers } });
  const isActive = async (token: string): Promise<unknown> =>
    (await journey.introspect(token, tenant.adminKey)).body['active'];

  it('authenticate with a secret, which is shown once and can be rotated', async () => {
    const { body: made } = await post({ token_endpoint_auth_method: 'client_secret_basic' });
    expect(made.client_secret).toMatch(/^gws_\w{43}$/);
    const secret = made.client_secret ?? '';
    const shown = await api.get(`${PATH}/${made.id}`, { key: tenant.adminKey });
    expect(shown.text).not.toContain(secret);
    const code = await codeFor(made.id);
    expect((await exchange(code, basic(made.id, 'gws_other'))).status).toBe(401);
    expect((await exchange({ ...code, client_id: made.id })).status).toBe(401);
    expect((await exchange(code, basic(made.id, secret))).status).toBe(200);

    const rotated = await api.post<Made>(`${PATH}/${made.id}/rotate`, { key: tenant.adminKey });
    const next = await codeFor(made.id);
    expect((await exchange(next, basic(made.id, secret))).status).toBe(401);
    expect((await exchange(next, basic(made.id, rotated.body.client_secret ?? ''))).status).toBe(200);
    const log = await api.dataSource.query<object[]>(
      `SELECT after FROM audit_logs WHERE resource_type = 'oauth_clients'`,
    );
    expect(JSON.stringify(log)).not.toContain('gws_');
  });

  it('are only for users of their organisation, and may have all scopes that the user holds', async () => {
    const { body: made } = await post({});
    expect(made.client_secret).toBeNull();
    const admin = await api.user(tenant.organisationId, 'admin', {});
    const begun = await journey.begin(made.id, {
      redirect_uri: CALLBACK,
      scope: 'organisation_settings.read',
    });
    const page = await journey.signIn(begun, admin.email);
    expect(page.text).not.toContain('has registered itself');
    const query = await journey.resume(begun, await journey.decide(begun, page, 'approve'));
    const { body } = await journey.exchange(begun, query.get('code') ?? '');
    expect(body.scope).toBe('organisation_settings.read');

    const other = await api.tenant();
    const stranger = await api.user(other.organisationId, 'member', { [other.workspaceId]: 'member' });
    const foreign = await journey.begin(made.id, { redirect_uri: CALLBACK });
    expect((await journey.signIn(foreign, stranger.email)).status).toBe(403);
  });

  it('may redirect to an address with a private-use scheme', async () => {
    const { body: made } = await post({ redirect_uris: [PRIVATE_USE] });
    const code = await codeFor(made.id, PRIVATE_USE);
    expect((await exchange({ ...code, client_id: made.id })).status).toBe(200);
    const itself = await journey.register({ redirect_uris: [PRIVATE_USE] });
    expect(itself.status).toBe(400);
  });

  it('lose all grants and tokens when they are blocked or deleted', async () => {
    for (const end of [
      (id: string) => put(id, { status: 'blocked' }),
      (id: string) => api.delete(`${PATH}/${id}`, { key: tenant.adminKey }),
    ]) {
      const { body: made } = await post({});
      const code = await codeFor(made.id);
      const { body } = await exchange({ ...code, client_id: made.id });
      expect(await isActive(body.access_token)).toBe(true);
      expect((await end(made.id)).status).toBe(200);
      expect(await isActive(body.access_token)).toBe(false);
      expect((await journey.refresh(made.id, body.refresh_token)).status).toBe(401);
      const { response } = await journey.begin(made.id, { redirect_uri: CALLBACK });
      expect(response.status).toBe(400);
    }
  });

  it.each([
    [{ redirect_uris: ['http://portal.example.com/cb'] }, 'redirect_uris'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'jwks'],
    [{ jwks_uri: 'https://portal.example.com/keys' }, 'jwks_uri'],
    [{ jwks: { keys: [] } }, 'jwks'],
    [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{}] } }, 'jwks'],
    [{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://10.0.0.1/keys' }, 'jwks_uri'],
    [{ grant_types: ['refresh_token'] }, 'grant_types'],
    [{ name: '\u202e' }, 'name'],
  ])('refuse %j', async (body, param) => {
    const made = await post(body);
    expect([made.status, made.body.error?.param]).toEqual([400, param]);
  });

  it('keep the members that a change leaves out, and their authentication method', async () => {
    const { body: made } = await post({ token_endpoint_auth_method: 'client_secret_post' });
    expect((await put(made.id, { name: 'Renamed' })).status).toBe(200);
    const { body } = await api.get(`${PATH}/${made.id}`, { key: tenant.adminKey });
    expect(body).toMatchObject({
      ...{ name: 'Renamed', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_post' },
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const changed = await put(made.id, { token_endpoint_auth_method: 'none' });
    expect([changed.status, changed.body.error?.param]).toEqual([400, 'token_endpoint_auth_method']);
  });
});
