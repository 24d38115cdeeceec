import { OauthArtifactEntity } from '@gw/entities';
import { randomBytes } from 'node:crypto';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { fieldOf } from './spec-support/browser';
import { asserted, CLIENT_JWK, clientAssertion } from './spec-support/client-assertion';
import { CALLBACK, formOf, OauthJourney, PUBLIC_URL, type TokenBody } from './spec-support/oauth-journey';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
type Parameters = Readonly<Record<string, string>>;

/**
 * The vectors of `oauth.json` that need more than one request; `oauth.data.int-spec.ts` has the
 * others.
 */
describe('OAuth requests of several steps with known verdicts', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  let clientId: string;
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    clientId = await journey.clientId();
  });

  const token = (form: Parameters, headers: Parameters = {}): Promise<GatewayResponse<TokenBody>> =>
    api.post<TokenBody>('/oauth/token', { body: formOf(form), headers: { ...FORM, ...headers } });
  const tokens = async (): Promise<TokenBody> => {
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    return (await journey.exchange(begun, code)).body;
  };
  /** Expires all artifacts of a model that the client has. */
  const expire = (client: string, model: string): Promise<unknown> =>
    api.dataSource.manager.update(
      OauthArtifactEntity,
      { clientId: client, model },
      { expiresAt: new Date(Date.now() - 1_000) },
    );
  /** Registers a client of an administrator and gets a code for it, ready to be exchanged. */
  async function registered(
    fields: object,
  ): Promise<{ readonly id: string; readonly secret: string; readonly form: Parameters }> {
    const { body } = await api.post<{ id: string; client_secret: string }>(
      '/v1/admin/organisation/oauth-clients',
      { key: tenant.adminKey, body: { name: 'x', redirect_uris: [CALLBACK], ...fields } },
    );
    const { begun, code } = await journey.code(body.id, user, tenant.workspaceId);
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    return { id: body.id, secret: body.client_secret, form: { ...form, code_verifier: begun.verifier } };
  }

  describe('consent', () => {
    it('oauth-141: refuses a decision without the token of its form', async () => {
      const begun = await journey.begin(clientId);
      await journey.signIn(begun, user.email);
      const { browser, resumeState } = begun;
      const answer = { resume_state: resumeState, step: 'approve', workspace_id: tenant.workspaceId };
      expect((await browser.submit('/oauth/consent', answer)).status).toBe(403);
    });

    it('oauth-149: refuses a decision on a page that is an hour old', async () => {
      const own = await journey.clientId();
      const begun = await journey.begin(own);
      const page = await journey.signIn(begun, user.email);
      await api.dataSource.manager.update(
        OauthArtifactEntity,
        { model: 'Interaction' },
        { expiresAt: new Date(Date.now() - 1_000) },
      );
      const decided = await journey.decide(begun, page, 'approve', tenant.workspaceId);
      expect([decided.status, decided.text]).toEqual([400, expect.stringContaining('expired')]);
    });

    it('oauth-150: does not let another site show the page in a frame', async () => {
      const begun = await journey.begin(clientId);
      const page = await journey.signIn(begun, user.email);
      expect(page.headers['x-frame-options']).toBe('DENY');
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    });

    it('oauth-151: shows the page of a second client to a user who has agreed to one client', async () => {
      await tokens();
      const begun = await journey.begin(await journey.clientId({ client_name: 'Second' }));
      const page = await journey.signIn(begun, user.email);
      expect(page.text).toContain('Allow Second?');
      expect(fieldOf(page.text, 'csrf')).not.toBe('');
    });

    it('oauth-152: does not accept a decision by GET', async () => {
      const begun = await journey.begin(clientId);
      const page = await journey.signIn(begun, user.email);
      const query = new URLSearchParams({
        ...{ resume_state: begun.resumeState, csrf: fieldOf(page.text, 'csrf') },
        ...{ step: 'approve', workspace_id: tenant.workspaceId },
      });
      const shown = await begun.browser.open(`/oauth/consent?${query.toString()}`);
      expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('Allow Test client?')]);
    });
  });

  describe('tokens', () => {
    it("oauth-154: ends the tokens of a code's first use when the code is used again", async () => {
      const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
      const { body } = await journey.exchange(begun, code);
      expect((await journey.exchange(begun, code)).status).toBe(400);
      expect((await journey.introspect(body.access_token, tenant.adminKey)).body).toEqual({ active: false });
      expect((await journey.refresh(clientId, body.refresh_token)).status).toBe(400);
    });

    it('oauth-157: refuses a code of another client, which its own client can still use', async () => {
      const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
      const other = { ...begun, clientId: await journey.clientId() };
      expect((await journey.exchange(other, code)).status).toBe(400);
    });

    it('oauth-158: refuses an expired code', async () => {
      const own = await journey.clientId();
      const { begun, code } = await journey.code(own, user, tenant.workspaceId);
      await expire(own, 'AuthorizationCode');
      expect((await journey.exchange(begun, code)).status).toBe(400);
    });

    it('oauth-171: does not give more scopes in a refresh than were granted', async () => {
      const { refresh_token } = await tokens();
      const form = { grant_type: 'refresh_token', refresh_token, client_id: clientId };
      const wider = await token({ ...form, scope: 'completions.write logs.list' });
      expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    });

    it('oauth-174: refuses a client that authenticates in two ways', async () => {
      const { id, secret, form } = await registered({ token_endpoint_auth_method: 'client_secret_basic' });
      const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      const both = await token({ ...form, client_id: id, client_secret: secret }, { authorization });
      expect([both.status, both.body.error]).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['oauth-176', 'an assertion that was used before', {}],
      ['oauth-177', 'an assertion for another server', { aud: 'https://other.example.org/oauth/token' }],
      ['oauth-178', 'an assertion of a year', { exp: Math.floor(Date.now() / 1_000) + 31_536_000 }],
    ])('%s: %s is refused', async (name, _what, claims) => {
      const proof = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [CLIENT_JWK] } };
      const { id, form } = await registered(proof);
      const jwt = clientAssertion(id, claims);
      const first = await token({ ...form, client_id: id, ...asserted(jwt) });
      if (name !== 'oauth-176') {
        expect([first.status, first.body.error]).toEqual([401, 'invalid_client']);
        return;
      }
      const { status, body } = first;
      expect(status).toBe(200);
      const again = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: id };
      expect((await token({ ...again, ...asserted(jwt) })).status).toBe(401);
      expect((await token({ ...again, ...asserted(clientAssertion(id)) })).status).toBe(200);
    });
  });

  describe('introspection', () => {
    it('oauth-182, oauth-183: reports an expired and a revoked token as not active', async () => {
      const own = await journey.clientId();
      const { begun, code } = await journey.code(own, user, tenant.workspaceId);
      const { body } = await journey.exchange(begun, code);
      await expire(own, 'AccessToken');
      expect((await journey.introspect(body.access_token, tenant.adminKey)).body).toEqual({ active: false });
      const revoked = (await tokens()).access_token;
      await journey.revoke(clientId, revoked);
      expect((await journey.introspect(revoked, tenant.adminKey)).body).toEqual({ active: false });
    });

    it('oauth-185: reports the token of another organisation as not active', async () => {
      const other = await api.tenant();
      const { access_token: theirs } = await tokens();
      expect((await journey.introspect(theirs, other.adminKey)).body).toEqual({ active: false });
    });

    it('oauth-186: refuses a caller without a credential', async () => {
      const { access_token: valid } = await tokens();
      const response = await api.post('/oauth/introspect', { body: formOf({ token: valid }), headers: FORM });
      expect([response.status, response.text]).toEqual([401, expect.not.stringContaining(user.email)]);
    });
  });

  it('oauth-191: refuses an ended session even when it is sent with an API key', async () => {
    const headers = { authorization: `Bearer ${randomBytes(24).toString('base64url')}` };
    const { status } = await api.get('/v1/auth/self', { key: tenant.adminKey, headers });
    expect(status).toBe(401);
  });
});
