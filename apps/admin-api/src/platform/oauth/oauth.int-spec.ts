import {
  documentKey,
  INTERNAL,
  type DocumentKey,
  type DocumentsResponse,
  type ReadModelDocument,
} from '@gw/contracts';
import {
  AuditLogEntity,
  OauthArtifactEntity,
  OauthClientEntity,
  OauthConsentEntity,
  OrganisationUserEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import * as client from 'openid-client';
import { generateSync } from 'otplib';
import {
  MASTER_KEY,
  PASSWORD,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
  type Tenant,
} from '../../spec-support/admin-api';
import { Browser, fieldOf } from './spec-support/browser';
import {
  CALLBACK,
  formOf,
  OauthJourney,
  PUBLIC_URL,
  RESOURCE,
  type TokenBody,
} from './spec-support/oauth-journey';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('OAuth server', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  let clientId: string;
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    clientId = await journey.clientId();
  });

  async function tokens(of: Tenant = tenant, who = user, more = {}): Promise<TokenBody> {
    const { begun, code } = await journey.code(clientId, who, of.workspaceId, more);
    const { status, body } = await journey.exchange(begun, code);
    expect([status, body]).toMatchObject([200, { token_type: 'Bearer', expires_in: 3_600 }]);
    return body;
  }
  const isActive = async (token: string): Promise<unknown> =>
    (await journey.introspect(token, tenant.adminKey)).body['active'];

  it("serves a client that only knows the server's address, from discovery to a refreshed token", async () => {
    const viaApi: client.CustomFetch = async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const response = await api.call(method, pathname + search, {
        headers,
        body: body instanceof URLSearchParams ? body.toString() : body,
      });
      return new Response(response.text, { status: response.status, headers: JSON_TYPE });
    };
    const options = {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: viaApi,
      algorithm: 'oauth2' as const,
    };
    const config = await client.dynamicClientRegistration(
      new URL(PUBLIC_URL),
      { client_name: 'Discovering', redirect_uris: [CALLBACK] },
      client.None(),
      options,
    );
    expect(config.serverMetadata()).toMatchObject({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
      introspection_endpoint: `${PUBLIC_URL}/oauth/introspect`,
      revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, resource: RESOURCE, scope: 'completions.write', state },
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const requested = Object.fromEntries(url.searchParams);
    const begun = await journey.begin(config.clientMetadata().client_id, requested);
    const page = await journey.signIn(begun, user.email);
    const query = await journey.resume(
      begun,
      await journey.decide(begun, page, 'approve', tenant.workspaceId),
    );
    const back = new URL(`${CALLBACK}?${query.toString()}`);
    const granted = await client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier,
      expectedState: state,
    });
    expect(granted).toMatchObject({
      scope: 'completions.write',
      access_token: expect.stringMatching(/^pat_[\w-]{43}$/),
    });
    const again = await client.refreshTokenGrant(config, granted.refresh_token ?? '');
    expect(again.refresh_token).toMatch(/^prt_[\w-]{43}$/);
    await client.tokenRevocation(config, again.access_token);
    expect(await isActive(again.access_token)).toBe(false);
  });

  it('publishes the same metadata at every path where clients look, and each resource at its path', async () => {
    const { body } = await api.get('/.well-known/oauth-authorization-server');
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/v1',
      '/.well-known/openid-configuration/team/server/mcp',
      '/v2/.well-known/oauth-authorization-server',
    ])
      expect([path, (await api.get(path)).body]).toEqual([path, body]);
    const host = { headers: { host: 'evil.example.org', 'x-forwarded-host': 'evil.example.org' } };
    expect((await api.get('/.well-known/oauth-authorization-server', host)).body).toEqual(body);
    expect((await api.get('/.well-known/oauth-protected-resource/v1')).body).toMatchObject({
      ...{ resource: RESOURCE, authorization_servers: [PUBLIC_URL], bearer_methods_supported: ['header'] },
    });
    const { keys } = JSON.parse((await api.get('/.well-known/jwks.json')).text) as { keys: object[] };
    expect(keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256' })]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });

  it('[SCP-12] reports the email address, user name and display name to authenticated callers', async () => {
    const { access_token: token } = await tokens();
    expect((await journey.introspect(token, tenant.adminKey)).body).toMatchObject({
      ...{ active: true, client_id: clientId, sub: user.id, aud: RESOURCE, scope: 'completions.write' },
      ...{ email: user.email, username: user.email, display_name: 'Ada L' },
      ...{
        organisation_id: tenant.organisationId,
        workspace_id: tenant.workspaceId,
        organisation_name: 'Acme',
      },
    });
  });

  it('reports nothing to callers without a credential, to public clients and to other organisations', async () => {
    const { access_token: token } = await tokens();
    const other = await api.tenant();
    const anonymous = await api.post('/oauth/introspect', { body: { token } });
    expect([anonymous.status, anonymous.body]).toMatchObject([401, { error: 'invalid_client' }]);
    const unscoped = await api.apiKey('organisation-service', tenant, ['workspaces.list']);
    expect((await journey.introspect(token, unscoped)).status).toBe(403);
    expect((await journey.introspect(token, other.adminKey)).body).toEqual({ active: false });
    const publicClient = await api.post('/oauth/introspect', {
      body: formOf({ token, client_id: clientId }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(publicClient.text).not.toContain(user.email);
  });

  it('authenticates the user on the control plane with the scopes and workspace of the grant, while the token is valid', async () => {
    const scope = 'logs.list configs.create';
    const manager = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
    const token = (await tokens(tenant, manager, { scope })).access_token;
    const call = (path: string, bearer = token): Promise<GatewayResponse> => api.get(path, { token: bearer });
    expect((await call('/v1/logs')).status).toBe(200);
    expect((await call(`/v1/logs?workspace_id=${tenant.workspaceId}`)).status).toBe(200);
    const refused = await call('/v1/configs');
    expect([refused.status, refused.body['error']]).toEqual([
      403,
      expect.objectContaining({ type: 'scope_missing' }),
    ]);
    expect((await call('/v1/auth/self')).status).toBe(401);
    const second = await api.workspace(tenant.organisationId);
    expect((await call(`/v1/logs?workspace_id=${second}`)).status).toBe(404);
    expect((await call('/v1/logs', `pat_${'x'.repeat(43)}`)).status).toBe(401);
    const made = await api.post('/v1/configs', {
      token,
      body: { name: 'by a client', config: { retry: { attempts: 1 } } },
    });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    await journey.revoke(clientId, token);
    expect((await call('/v1/logs')).status).toBe(401);
  });

  it('publishes a token to gateways while it is valid, with the scopes that the user still has', async () => {
    const other = await api.tenant();
    const mate = await api.user(other.organisationId, 'member', { [other.workspaceId]: 'manager' });
    const owner = { token: await api.login((await api.user(other.organisationId, 'owner')).email) };
    const scope = 'completions.write logs.list configs.create';
    const token = (await tokens(other, mate, { scope })).access_token;
    const key = documentKey.accessToken(accessTokenHash(oauthPepper(MASTER_KEY), token) ?? '');
    const read = async (of: DocumentKey = key): Promise<ReadModelDocument | null | undefined> => {
      const call = { token: SERVICE_TOKEN, body: { keys: [of] } };
      return (await api.post<DocumentsResponse>(INTERNAL.documents, call)).body.documents[of];
    };
    let seen = 0;
    /** Returns whether gateways had to read the token again since the last call. */
    const isNews = async (): Promise<boolean> => {
      const events = await api.dataSource.query<{ sequence: string; payload: unknown }[]>(
        `SELECT * FROM change_events WHERE sequence > $1 ORDER BY sequence`,
        [seen],
      );
      seen = Number(events.at(-1)?.sequence ?? seen);
      const text = JSON.stringify(events);
      expect(text.includes(grant)).toBe(text.includes(key));
      return text.includes(key);
    };
    const found = await read();
    // Work that continues without a request ends with the grant.
    const grant = documentKey.oauthGrant(found?.kind === 'access_token' ? found.grantId : '');
    expect(await read(grant)).toMatchObject({
      ...{ kind: 'oauth_grant', workspaceId: other.workspaceId, scopes: scope.split(' ') },
    });
    const member = `/v1/admin/workspaces/${other.workspaceId}/users/${mate.id}`;
    await isNews();
    expect(await read()).toMatchObject({
      ...{ kind: 'access_token', clientId, userId: mate.id, resourcePath: '/v1' },
      ...{ organisationId: other.organisationId, workspaceId: other.workspaceId, scopes: scope.split(' ') },
    });
    const lowered = await api.call('PUT', member, { ...owner, body: { role: 'member' } });
    expect([lowered.status, await isNews()]).toEqual([200, true]);
    expect(await read()).toMatchObject({ scopes: ['completions.write', 'logs.list'] });
    expect(await read(grant)).toMatchObject({ scopes: ['completions.write', 'logs.list'] });
    expect((await api.delete(member, owner)).status).toBe(200);
    expect([await isNews(), await read(), await read(grant)]).toEqual([true, null, null]);
    const back = { ...owner, body: { users: [{ id: mate.id, role: 'member' }] } };
    const again = await api.post(`/v1/admin/workspaces/${other.workspaceId}/users`, back);
    expect([again.status, await isNews()]).toEqual([200, true]);
    expect(await read()).toMatchObject({ userId: mate.id });
    expect((await api.delete(`/v1/admin/users/${mate.id}`, owner)).status).toBe(200);
    expect([await isNews(), await read()]).toEqual([true, null]);
  });

  it('ends tokens with the membership of their user, and applies a changed role of an administrator', async () => {
    const other = await api.tenant();
    const boss = await api.user(other.organisationId, 'admin');
    const second = await api.workspace(other.organisationId);
    const token = (await tokens(other, boss, { scope: 'logs.list' })).access_token;
    const status = async (path: string): Promise<number> => (await api.get(path, { token })).status;
    expect(await status('/v1/logs')).toBe(200);
    expect(await status(`/v1/logs?workspace_id=${second}`)).toBe(404);
    const seat = { organisationId: other.organisationId, userId: boss.id };
    await api.dataSource.manager.update(OrganisationUserEntity, seat, { role: 'member' });
    expect(await status('/v1/logs')).toBe(401);
    await api.dataSource.manager.update(OrganisationUserEntity, seat, { role: 'admin' });
    expect(await status('/v1/logs')).toBe(200);
    await api.dataSource.manager.update(OrganisationUserEntity, seat, { status: 'archived' });
    expect(await status('/v1/logs')).toBe(401);
  });

  it('shows users and administrators the rights of clients, and ends these immediately', async () => {
    const mine = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const token = (await tokens(tenant, mine, { scope: 'logs.list' })).access_token;
    const second = (await tokens(tenant, mine, { scope: 'logs.list' })).access_token;
    const session = { token: await api.login(mine.email) };
    interface Grants {
      readonly data: readonly { readonly id: string; readonly client_name: string }[];
    }
    const own = await api.get<Grants>('/v1/auth/grants', session);
    expect(own.body.data.map(({ client_name: name }) => name)).toEqual(['Test client', 'Test client']);
    const [newest, oldest] = own.body.data.map(({ id }) => id);
    const stranger = { token: await api.login(user.email) };
    expect((await api.delete(`/v1/auth/grants/${oldest ?? ''}`, stranger)).status).toBe(404);
    expect((await api.delete(`/v1/auth/grants/${oldest ?? ''}`, session)).status).toBe(200);
    expect([await isActive(token), await isActive(second)]).toEqual([false, true]);
    const admin = { key: tenant.adminKey };
    const all = '/v1/admin/organisation/oauth-grants';
    const listed = await api.get<Grants>(`${all}?user_id=${mine.id}`, admin);
    expect(listed.body.data.map(({ id }) => id)).toEqual([newest]);
    const other = { key: (await api.tenant()).adminKey };
    expect((await api.delete(`${all}/${newest ?? ''}`, other)).status).toBe(404);
    expect((await api.delete(`${all}/${newest ?? ''}`, admin)).status).toBe(200);
    expect(await isActive(second)).toBe(false);
    expect((await api.get('/v1/logs', { token: second })).status).toBe(401);
  });

  it('rotates refresh tokens, and ends the whole grant when one is used twice', async () => {
    const first = await tokens();
    const second = await journey.refresh(clientId, first.refresh_token);
    expect(second.status).toBe(200);
    expect(await isActive(second.body.access_token)).toBe(true);
    const again = await journey.refresh(clientId, first.refresh_token);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isActive(second.body.access_token)).toBe(false);
    expect((await journey.refresh(clientId, second.body.refresh_token)).status).toBe(400);
    const [row] = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId: tenant.organisationId, resourceType: 'oauth_grants', action: 'delete' },
      order: { createdAt: 'DESC' },
    });
    expect(row?.after).toMatchObject({
      client_id: clientId,
      reason: 'a code or refresh token was used twice',
    });
  });

  it('[SCP-11] ends the tokens of a code that is used again', async () => {
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const first = await journey.exchange(begun, code);
    expect(await isActive(first.body.access_token)).toBe(true);
    const second = await journey.exchange(begun, code);
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isActive(first.body.access_token)).toBe(false);
  });

  it('never stores a code or token in clear text', async () => {
    const { access_token: token, refresh_token: refresh } = await tokens();
    const rows = await api.dataSource.manager.find(OauthArtifactEntity);
    const stored = JSON.stringify(rows);
    for (const secret of [token, refresh]) expect(stored).not.toContain(secret.slice(4));
  });

  it.each([
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['an unknown resource', { resource: `${PUBLIC_URL}/v1/other` }, 'invalid_target'],
    ['a resource of another server', { resource: 'https://other.example.org/v1' }, 'invalid_target'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['scopes that do not exist', { scope: 'nosuch' }, 'invalid_scope'],
    [
      'scopes beyond a client that registered itself',
      { scope: 'organisation_settings.update' },
      'invalid_scope',
    ],
  ])('redirects the browser with an error for %s', async (_what, more, error) => {
    const { response } = await journey.begin(clientId, more);
    const back = new URL(String(response.headers['location']));
    expect([
      back.origin + back.pathname,
      back.searchParams.get('error'),
      back.searchParams.get('iss'),
    ]).toEqual([...[CALLBACK, error, PUBLIC_URL]]);
  });

  it('refuses a token for a resource other than that of the code', async () => {
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const form = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: CALLBACK };
    const other = { ...form, code_verifier: begun.verifier, resource: `${PUBLIC_URL}/team/server/mcp` };
    expect((await journey.token(other)).body.error).toBe('invalid_target');
  });

  it('never grants more than the user holds in the workspace', async () => {
    const scope = 'completions.write workspaces.delete prompts.create';
    const allowed = await tokens(tenant, user, { scope });
    const held = (await journey.introspect(allowed.access_token, tenant.adminKey)).body['scope'];
    expect(String(held).split(' ')).toContain('completions.write');
    expect(String(held).split(' ')).not.toContain('workspaces.delete');
    const foreign = await api.tenant();
    const begun = await journey.begin(clientId);
    const page = await journey.signIn(begun, user.email);
    const refused = await journey.decide(begun, page, 'approve', foreign.workspaceId);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('Choose a workspace of yours.'),
    ]);
    const whole = await journey.decide(begun, page, 'approve', '');
    expect(whole.status).toBe(403);
  });

  it('reports to the client that the user has refused', async () => {
    const begun = await journey.begin(clientId);
    const page = await journey.signIn(begun, user.email);
    const query = await journey.resume(begun, await journey.decide(begun, page, 'deny'));
    expect(Object.fromEntries(query)).toMatchObject({ error: 'access_denied', state: 's', iss: PUBLIC_URL });
  });

  it('shows the consent page only in the browser that began, to the user who opened the request, and accepts one decision', async () => {
    const begun = await journey.begin(clientId);
    const elsewhere = new Browser(api);
    expect((await elsewhere.open(`/oauth/consent?resume_state=${begun.resumeState}`)).status).toBe(400);
    const page = await journey.signIn(begun, user.email);
    const other = await api.user(tenant.organisationId, 'owner');
    const token = await api.login(other.email);
    expect((await api.get(`/oauth/interactions/${begun.resumeState}`, { token })).status).toBe(403);
    const forged = { ...page, text: page.text.replace(fieldOf(page.text, 'csrf'), 'x'.repeat(43)) };
    expect((await journey.decide(begun, forged, 'approve', tenant.workspaceId)).status).toBe(403);
    const decided = await journey.decide(begun, page, 'approve', tenant.workspaceId);
    expect(decided.status).toBe(200);
    expect((await journey.decide(begun, page, 'approve', tenant.workspaceId)).status).toBe(400);
    const resumed = await elsewhere.open(/url=([^"]+)"/.exec(decided.text)?.[1] ?? '');
    expect([resumed.status, resumed.headers['location']]).toEqual([400, undefined]);
  });

  it('requires the second factor of a user who has one', async () => {
    const careful = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const token = await api.login(careful.email);
    const totp = { token, body: { password: PASSWORD } };
    const { body } = await api.post<{ id: string; secret: string }>('/v1/auth/mfa/totp', totp);
    const code = generateSync({ secret: body.secret, epoch: Math.floor(Date.now() / 1_000) });
    const confirm = { token, body: { id: body.id, code } };
    const done = await api.post<{ recovery_codes: string[] }>('/v1/auth/mfa/totp/confirm', confirm);
    const begun = await journey.begin(clientId);
    const requested = await journey.signIn(begun, careful.email);
    expect([requested.status, requested.headers['set-cookie']]).toEqual([200, undefined]);
    const submit = (answer: string): Promise<GatewayResponse> =>
      begun.browser.submit('/oauth/consent', {
        ...{ resume_state: begun.resumeState, step: 'factor', code: answer },
        challenge: fieldOf(requested.text, 'challenge'),
      });
    expect((await submit('000000')).status).toBe(401);
    const signedIn = await submit(done.body.recovery_codes[0] ?? '');
    const page = await begun.browser.open(String(signedIn.headers['location']));
    const query = await journey.resume(
      begun,
      await journey.decide(begun, page, 'approve', tenant.workspaceId),
    );
    expect(query.get('code')).toMatch(/^[\w-]{43}$/);
  });

  it('shows no consent page to a user who lacks the second factor that the organisation requires', async () => {
    const other = await api.tenant();
    const member = await api.user(other.organisationId, 'member', { [other.workspaceId]: 'member' });
    await api.dataSource.query(
      `UPDATE organisations SET settings = settings || '{"require_mfa": true}' WHERE id = $1`,
      [other.organisationId],
    );
    const page = await journey.signIn(await journey.begin(clientId), member.email);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('second factor')]);
    expect(page.text).not.toContain('csrf');
  });

  it('accepts a decision from a console with a session of the user instead of the page', async () => {
    const begun = await journey.begin(clientId);
    const token = await api.login(user.email);
    const { body } = await api.get<{ csrf: string }>(`/oauth/interactions/${begun.resumeState}`, { token });
    expect(body).toMatchObject({
      client: { name: 'Test client', kind: 'dynamic' },
      redirect: { host: 'client.example.org', loopback: false },
      user: { email: user.email },
      workspaces: [{ id: tenant.workspaceId }],
    });
    const answer = { approved: true, resume_state: begun.resumeState, workspace_id: tenant.workspaceId };
    const without = await api.post('/oauth/postAuthorizeConsent', { token, body: { ...answer, csrf: 'x' } });
    expect(without.status).toBe(403);
    const { body: done } = await api.post<{ redirect_uri: string }>('/oauth/authorize', {
      ...{ token, body: { ...answer, csrf: body.csrf, organisation_id: tenant.organisationId } },
    });
    const back = await begun.browser.open(done.redirect_uri);
    expect(String(back.headers['location'])).toContain(`${CALLBACK}?code=`);
  });

  it('[CTL-15] checks the redirect address again at consent, against the current registration', async () => {
    const edited = await journey.clientId();
    const begun = await journey.begin(edited);
    const page = await journey.signIn(begun, user.email);
    const row = await api.dataSource.manager.findOneByOrFail(OauthClientEntity, { id: edited });
    const metadata = { ...row.metadata, redirect_uris: ['https://client.example.org/other'] };
    await api.dataSource.manager.update(OauthClientEntity, { id: edited }, { metadata });
    const decided = await journey.decide(begun, page, 'approve', tenant.workspaceId);
    expect([decided.status, decided.headers['location']]).toEqual([400, undefined]);
    expect(await api.dataSource.manager.countBy(OauthConsentEntity, { clientId: edited })).toBe(0);
  });

  it('[CTL-15] shows a page for an unregistered redirect address, and does not redirect', async () => {
    for (const redirect_uri of ['https://evil.example.org/cb', `${CALLBACK}/`, 'javascript:alert(1)']) {
      const { response } = await journey.begin(clientId, { redirect_uri });
      expect([redirect_uri, response.status, response.headers['location']]).toEqual([
        redirect_uri,
        400,
        undefined,
      ]);
      expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('issues nothing more to a user who has left', async () => {
    const leaver = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const kept = await tokens(tenant, leaver);
    await api.dataSource.manager.delete(WorkspaceUserEntity, { userId: leaver.id });
    expect(await isActive(kept.access_token)).toBe(false);
    expect((await journey.refresh(clientId, kept.refresh_token)).body.error).toBe('invalid_grant');
    await api.dataSource.manager.update(
      OrganisationUserEntity,
      { userId: leaver.id },
      { status: 'archived' },
    );
    const begun = await journey.begin(clientId);
    expect((await journey.signIn(begun, leaver.email)).status).toBe(401);
  });

  it('refuses repeated parameters, large bodies and tokens without their prefix', async () => {
    const twice = await api.get(`/oauth/authorize?client_id=${clientId}&client_id=${clientId}`);
    expect([twice.status, twice.body['error']]).toEqual([400, 'invalid_request']);
    const large = await api.post('/oauth/token', { body: { grant_type: 'x'.repeat(20_000) } });
    expect(large.status).toBe(413);
    const { access_token: token } = await tokens();
    expect(await isActive(token.slice(4))).toBe(false);
  });

  it('writes grants and refusals into the audit log', async () => {
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, {
      organisationId: tenant.organisationId,
      resourceType: 'oauth_grants',
    });
    const actions = rows.map(({ action, responseStatusCode }) => `${action} ${String(responseStatusCode)}`);
    expect(new Set(actions)).toEqual(
      new Set(['create 200', 'refuse 200', 'approve 403', 'approve 400', 'delete 200']),
    );
  });
});

describe.each([
  ['without PUBLIC_URL', {}],
  ['with OAUTH_ENABLED=OFF', { PUBLIC_URL, OAUTH_ENABLED: 'OFF' }],
])('OAuth server %s', (_name, environment: Readonly<Record<string, string>>) => {
  const api = new TestAdminApi(environment);
  const tenant = api.sharedTenant();
  it('is off, with the consent of consoles', async () => {
    const token = await api.login((await api.user(tenant.organisationId, 'owner')).email);
    const body = { resume_state: 'x', csrf: 'x', approved: true };
    const answers = [
      await api.get('/oauth/interactions/x', { token }),
      await api.post('/oauth/postAuthorizeConsent', { token, body }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/oauth/jwks',
      '/oauth/consent?resume_state=x',
    ])
      expect([path, (await api.get(path)).status]).toEqual([path, 404]);
  });
});
