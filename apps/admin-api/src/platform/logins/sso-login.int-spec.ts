import {
  AuditLogEntity,
  OrganisationDomainEntity,
  OrganisationUserEntity,
  SsoConnectionEntity,
  SsoFlowEntity,
  UserEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { generateKeyPairSync } from 'node:crypto';
import { PASSWORD, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import { OidcProvider, type Account } from './spec-support/oidc-provider';

const REDIRECT = 'http://127.0.0.1:8788/v2/auth/callback';
const SECRET = 'a secret of the provider, long enough';
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PRIVATE = { ...privateKey.export({ format: 'jwk' }), kid: 'sso-1', alg: 'ES256', use: 'sig' };
const { d: _d, ...PUBLIC } = PRIVATE as Record<string, unknown>;
const CLIENT = { client_id: 'tollgate', client_secret: SECRET, redirect_uris: [REDIRECT] };
const CONNECTIONS = '/v1/admin/organisation/sso-connections';

interface Begun {
  readonly url: string;
  readonly login_binding: string;
  readonly linked_sso: readonly { readonly sso_client_id: string }[];
}
interface Failure {
  readonly error: { readonly type: string; readonly param: string | null };
}

describe('logins by OpenID Connect', () => {
  let idp: OidcProvider;
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  beforeAll(async () => {
    idp = await OidcProvider.start([
      CLIENT,
      { ...CLIENT, client_id: 'posting', token_endpoint_auth_method: 'client_secret_post' },
      {
        ...{ client_id: 'signing', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' },
        ...{ token_endpoint_auth_signing_alg: 'ES256', jwks: { keys: [PUBLIC] } },
      },
    ]);
  });
  afterAll(() => idp.stop());

  let domains = 0;
  async function verify({ organisationId }: Tenant): Promise<{ domain: string }> {
    domains += 1;
    const domain = `d${String(domains)}.example`;
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId, domain, token: 'x', verifiedAt: new Date() },
    });
    return { domain };
  }

  /** Creates an organisation with a verified domain and a connection that serves the domain. */
  async function organisation(more: object = {}): Promise<{ tenant: Tenant; domain: string; id: string }> {
    const tenant = await api.tenant();
    const { domain } = await verify(tenant);
    const body = {
      name: 'IdP',
      issuer: idp.issuer,
      client_id: 'tollgate',
      client_secret: SECRET,
      domains: [domain],
      ...more,
    };
    const made = await api.post<{ id: string }>(CONNECTIONS, { key: tenant.adminKey, body });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    return { tenant, domain, id: made.body.id };
  }
  const begin = (body: object): Promise<GatewayResponse<Begun & Failure>> =>
    api.post<Begun & Failure>('/v2/auth/login', { body });
  const callback = (query: string): Promise<GatewayResponse<{ code: string } & Failure>> =>
    api.get<{ code: string } & Failure>(`/v2/auth/callback?${query}`);
  const exchange = (code: string, login_binding: string): Promise<GatewayResponse<{ auth_token: string }>> =>
    api.post<{ auth_token: string }>('/v2/auth/sso/exchange', { body: { code, login_binding } });

  /** Runs a complete login, and returns the status of the callback with the session's user. */
  async function logIn(
    email: string,
    account: Account = { email, email_verified: true },
    more: object = {},
  ): Promise<unknown[]> {
    const { body } = await begin({ email, ...more });
    const returned = await callback(await idp.logIn(body.url, `sub of ${email}`, account));
    if (returned.status !== 200) return [returned.status, returned.body.error.type];
    const { body: session } = await exchange(returned.body.code, body.login_binding);
    const self = await api.get<{ email: string }>('/v1/auth/self', { token: session.auth_token });
    return [self.status, self.body.email];
  }
  const seatOf = async ({ organisationId }: Tenant, email: string): Promise<unknown> => {
    const [row] = await api.dataSource.query<unknown[]>(
      `SELECT seat.role, seat.status FROM organisation_users seat JOIN users person ON person.id = seat.user_id
       WHERE seat.organisation_id = $1 AND person.email = $2`,
      [organisationId, email],
    );
    return row ?? null;
  };

  it('[REL-14] add users of a verified domain as members of the default workspaces, and recognise them later', async () => {
    const { tenant, domain, id } = await organisation();
    const workspaces = [{ workspace: tenant.workspaceId, role: 'manager' }];
    const set = await api.put(`${CONNECTIONS}/${id}`, {
      key: tenant.adminKey,
      body: { default_workspaces: workspaces },
    });
    expect(set.status).toBe(200);
    const email = `ann@${domain}`;
    expect(await logIn(email)).toEqual([200, email]);
    expect(await seatOf(tenant, email)).toEqual({ role: 'member', status: 'active' });
    const [membership] = await api.dataSource.manager.findBy(WorkspaceUserEntity, {
      workspaceId: tenant.workspaceId,
    });
    expect(membership).toMatchObject({ role: 'manager', source: 'sso' });
    expect(await logIn(email, { email: `other@${domain}`, email_verified: false })).toEqual([200, email]);
    const { organisationId } = tenant;
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, { organisationId, action: 'login' });
    expect(audits.map(({ responseStatusCode }) => responseStatusCode)).toEqual([200, 200]);
  });

  it.each([
    ['client_secret_post', { client_id: 'posting', token_endpoint_auth_method: 'client_secret_post' }],
    ['private_key_jwt', { client_id: 'signing', client_secret: undefined, jwks: { keys: [PRIVATE] } }],
  ])('[SCP-13] authenticate at the provider by %s', async (method, more) => {
    const { tenant, domain, id } = await organisation(more);
    const shown = await api.get<{ token_endpoint_auth_method: string }>(`${CONNECTIONS}/${id}`, {
      key: tenant.adminKey,
    });
    expect(shown.body.token_endpoint_auth_method).toBe(method);
    expect(shown.text).not.toContain(SECRET);
    expect(shown.text).not.toContain(String(PRIVATE.d));
    expect(await logIn(`ann@${domain}`)).toEqual([200, `ann@${domain}`]);
  });

  it.each([
    [true, true, [200]],
    [true, false, [403, 'user_not_invited']],
    [false, true, [403, 'user_not_invited']],
    [false, false, [403, 'user_not_invited']],
  ])(
    '[SCP-14] [REL-07] with disable_auto_provision_user admit a user who is invited: %s, of a verified domain: %s',
    async (isInvited, isVerified, outcome) => {
      const { tenant, domain, id } = await organisation({ disable_auto_provision_user: true });
      const email = `ann@${isVerified ? domain : 'elsewhere.example'}`;
      if (isInvited) {
        const body = { email, role: 'member', workspaces: [] };
        expect((await api.post('/v1/admin/users/invites', { key: tenant.adminKey, body })).status).toBe(200);
      }
      const result = await logIn(email, { email, email_verified: true }, { sso_client_id: id });
      expect(result.slice(0, outcome.length)).toEqual(outcome);
      expect((await seatOf(tenant, email)) !== null).toBe(outcome[0] === 200);
    },
  );

  it('[SCP-15] use the connection that sso_client_id names, else those of the domain', async () => {
    const { tenant, domain, id } = await organisation();
    const body = {
      name: 'Second',
      issuer: idp.issuer,
      client_id: 'posting',
      client_secret: SECRET,
      domains: [domain],
    };
    const second = await api.post<{ id: string }>(CONNECTIONS, { key: tenant.adminKey, body });
    const email = `ann@${domain}`;
    const byDomain = await begin({ email });
    expect(byDomain.body.linked_sso.map(({ sso_client_id: each }) => each)).toEqual([id, second.body.id]);
    expect(new URL(byDomain.body.url).searchParams.get('client_id')).toBe('tollgate');
    const named = await begin({ email, sso_client_id: second.body.id });
    expect(new URL(named.body.url).searchParams.get('client_id')).toBe('posting');
    const other = await api.tenant();
    for (const wrong of [
      { sso_client_id: uuidv7() },
      { sso_client_id: id, organisation_id: other.organisationId },
    ]) {
      const { status, body: failure } = await begin({ email, ...wrong });
      expect([status, failure.error.type]).toEqual([400, 'sso_connection_invalid']);
    }
    const { status, body: none } = await begin({ email: 'ann@no-connection.example' });
    expect([status, none.error.param]).toEqual([400, 'password']);
  });

  it('use the connection of the domain, no matter how many an organisation without the domain has', async () => {
    const { domain, id } = await organisation();
    const { organisationId } = await api.tenant();
    await api.dataSource.manager.insert(
      SsoConnectionEntity,
      Array.from({ length: 20 }, () => ({
        ...{ id: uuidv7(), organisationId, name: uuidv7(), issuer: 'https://idp.example', clientId: 'x' },
        ...{ tokenEndpointAuthMethod: 'none' as const, domains: [domain], createdAt: new Date(0) },
      })),
    );
    const { status, body } = await begin({ email: `ann@${domain}` });
    expect([status, body.linked_sso]).toEqual([200, [expect.objectContaining({ sso_client_id: id })]]);
  });

  it('use the connection of a domain in Unicode, and enforce it', async () => {
    const { tenant, id } = await organisation();
    const { organisationId } = tenant;
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{
        id: uuidv7(),
        organisationId,
        domain: 'xn--bcher-kva.example',
        token: 'x',
        verifiedAt: new Date(),
      },
    });
    const set = await api.put(`${CONNECTIONS}/${id}`, {
      key: tenant.adminKey,
      body: { domains: ['Bücher.example'], enforced: true },
    });
    expect(set.status).toBe(200);
    const email = 'ann@xn--bcher-kva.example';
    const user = await api.user(organisationId, 'member');
    await api.dataSource.manager.update(UserEntity, { id: user.id }, { email });
    expect((await begin({ email })).status).toBe(200);
    const byPassword = await begin({ email, password: PASSWORD });
    expect([byPassword.status, byPassword.body.error.type]).toEqual([403, 'sso_login_refused']);
  });

  it('refuse an address that the provider does not confirm, or of another domain', async () => {
    const { domain, id } = await organisation();
    const by = { sso_client_id: id };
    const email = `ann@${domain}`;
    const refused = [403, 'sso_login_refused'];
    expect(await logIn(email, { email, email_verified: false })).toEqual(refused);
    expect(await logIn(email, { email })).toEqual(refused);
    const { tenant, id: trusting } = await organisation({ trust_email: true });
    const { domain: another } = await verify(tenant);
    const by2 = { sso_client_id: trusting };
    const silent = `ann@${another}`;
    expect(await logIn(silent, { email: silent, email_verified: false }, by2)).toEqual(refused);
    expect(await logIn(silent, { email: silent }, by2)).toEqual([200, silent]);
    expect(await logIn('eve@gmail.com', { email: 'eve@gmail.com', email_verified: true }, by)).toEqual(
      refused,
    );
  });

  it('link the user with the address in the organisation, but no deactivated user', async () => {
    const { tenant, domain } = await organisation();
    const { organisationId } = tenant;
    const { id: userId } = await api.user(organisationId, 'admin');
    const email = `boss@${domain}`;
    await api.dataSource.query('UPDATE users SET email = $2 WHERE id = $1', [userId, email]);
    expect(await logIn(email)).toEqual([200, email]);
    expect(await seatOf(tenant, email)).toEqual({ role: 'admin', status: 'active' });
    await api.dataSource.manager.update(
      OrganisationUserEntity,
      { organisationId, userId },
      { status: 'archived' },
    );
    expect(await logIn(email)).toEqual([403, 'sso_login_refused']);
  });

  it('admit owners only when an owner has allowed it, until a lower role changes the provider', async () => {
    const { tenant, domain, id } = await organisation();
    const { organisationId, adminKey } = tenant;
    const owner = await api.user(organisationId, 'owner');
    const token = await api.login(owner.email);
    const email = `owner@${domain}`;
    await api.dataSource.query('UPDATE users SET email = $2 WHERE id = $1', [owner.id, email]);
    const path = `${CONNECTIONS}/${id}`;
    const set = async (auth: object, body: object): Promise<unknown> =>
      (await api.put(path, { ...auth, body })).status;
    const refused = [403, 'sso_login_refused'];
    expect(await logIn(email)).toEqual(refused);
    expect(await set({ key: adminKey }, { admits_owners: true })).toBe(403);
    expect(await set({ token }, { admits_owners: true })).toBe(200);
    expect(await logIn(email)).toEqual([200, email]);
    expect(await set({ key: adminKey }, { name: 'Renamed' })).toBe(200);
    expect(await logIn(email)).toEqual([200, email]);
    const changes = [
      { trust_email: true },
      { client_id: 'tollgate', client_secret: SECRET },
      { acr_values: [] },
      { max_age: null },
    ];
    for (const change of changes) {
      expect(await set({ token }, { admits_owners: true })).toBe(200);
      expect(await set({ key: adminKey }, change)).toBe(200);
      expect(await logIn(email)).toEqual(refused);
    }
  });

  it("give the user what the invite promises, and remove the invite's mail from the queue", async () => {
    const { tenant, domain } = await organisation();
    const email = `invited@${domain}`;
    const key = { name: 'mine', scopes: ['logs.view'] };
    const workspaces = [{ id: tenant.workspaceId, role: 'member' }];
    const body = { email, role: 'member', workspaces, workspace_api_key_details: key };
    const made = await api.post('/v1/admin/users/invites', { key: tenant.adminKey, body });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    expect(await logIn(email)).toEqual([200, email]);
    const keys = await api.dataSource.query<unknown[]>(
      `SELECT key.name, key.scopes FROM api_keys key JOIN users person ON person.id = key.user_id
       WHERE person.email = $1`,
      [email],
    );
    expect(keys).toEqual([expect.objectContaining({ name: 'mine' })]);
    const { organisationId } = tenant;
    const [accepted] = await api.dataSource.manager.findBy(AuditLogEntity, {
      ...{ organisationId, resourceType: 'invites', action: 'update' },
    });
    expect(accepted?.after).toMatchObject({ status: 'accepted', email });
  });

  it('change an address as the provider does, and never move an account to another identity with the same address', async () => {
    const { tenant, domain } = await organisation();
    const [old, renamed] = [`ann@${domain}`, `ann.new@${domain}`];
    expect(await logIn(old)).toEqual([200, old]);
    const moved = { email: renamed, email_verified: true };
    expect(await logIn(old, moved)).toEqual([200, renamed]);
    expect(await logIn(old, { email: 'ann@elsewhere.example', email_verified: true })).toEqual([
      200,
      renamed,
    ]);
    expect(await logIn(`another of ${old}`, moved, { email: renamed })).toEqual([403, 'sso_login_refused']);
    const { organisationId } = tenant;
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, {
      ...{ organisationId, resourceType: 'users', action: 'update' },
    });
    expect(audits.map(({ before, after }) => [before, after])).toEqual([
      [{ email: old }, { email: renamed, source: 'sso' }],
    ]);
  });

  it('create one user for two concurrent first logins', async () => {
    const { tenant, domain } = await organisation();
    const email = `twice@${domain}`;
    const account = { email, email_verified: true };
    const begun = [(await begin({ email })).body, (await begin({ email })).body];
    const queries: string[] = [];
    for (const { url } of begun) queries.push(await idp.logIn(url, 'twice', account));
    const returned = await Promise.all(queries.map(callback));
    expect(returned.map(({ status }) => status)).toEqual([200, 200]);
    expect(await seatOf(tenant, email)).toEqual({ role: 'member', status: 'active' });
  });

  it('are recorded when they fail: at the start, when returned again, and in the exchange', async () => {
    const { tenant, domain, id } = await organisation();
    const email = `ann@${domain}`;
    const { url, login_binding: binding } = (await begin({ email })).body;
    const query = await idp.logIn(url, 'ann', { email, email_verified: true });
    const { code } = (await callback(query)).body;
    expect((await callback(query)).status).toBe(403);
    expect((await exchange(code, 'another binding')).status).toBe(401);
    expect((await exchange(code, binding)).status).toBe(200);
    const unreachable = { issuer: `${idp.issuer}/nowhere`, client_secret: SECRET };
    expect((await api.put(`${CONNECTIONS}/${id}`, { key: tenant.adminKey, body: unreachable })).status).toBe(
      200,
    );
    expect((await begin({ email })).status).toBe(403);
    const { organisationId } = tenant;
    const audits = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId, action: 'login' },
      order: { createdAt: 'ASC' },
    });
    expect(audits.map(({ responseStatusCode }) => responseStatusCode)).toEqual([403, 401, 200, 403]);
  });

  it('can be returned and exchanged once, by the client that started them, also concurrently', async () => {
    const { domain } = await organisation();
    const email = `ann@${domain}`;
    const [mine, theirs] = [(await begin({ email })).body, (await begin({ email })).body];
    const query = await idp.logIn(mine.url, 'ann', { email, email_verified: true });
    const returned = await Promise.all(Array.from({ length: 10 }, () => callback(query)));
    const [code = ''] = returned.flatMap(({ status, body }) => (status === 200 ? [body.code] : []));
    expect(
      returned
        .map(({ status }) => status)
        .sort()
        .slice(0, 2),
    ).toEqual([200, 403]);
    expect((await exchange(code, theirs.login_binding)).status).toBe(401);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => exchange(code, mine.login_binding)));
    expect(sessions.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('refuse responses that were changed in transit: another state, code, issuer or flow', async () => {
    const { domain } = await organisation();
    const email = `ann@${domain}`;
    const account = { email, email_verified: true };
    const one = (await begin({ email })).body;
    const query = await idp.logIn(one.url, 'ann', account);
    const changed = (name: string, value: string): string => {
      const parameters = new URLSearchParams(query);
      parameters.set(name, value);
      return parameters.toString();
    };
    expect((await callback(changed('state', 'another'))).status).toBe(403);
    expect((await callback(changed('iss', 'https://evil.example'))).status).toBe(403);
    const two = (await begin({ email })).body;
    const other = new URLSearchParams(await idp.logIn(two.url, 'ann', account));
    other.set('code', new URLSearchParams(query).get('code') ?? '');
    expect((await callback(other.toString())).status).toBe(403);
    expect((await callback('error=access_denied')).status).toBe(403);
    const page = await api.get('/v2/auth/callback?state=x', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type'], page.text]).toEqual([
      ...[403, 'text/html; charset=utf-8', expect.stringContaining('begin again')],
    ]);
  });

  it('of a console return to its path without CONSOLE_URL, and open the session in a cookie', async () => {
    const { domain } = await organisation();
    const email = `ann@${domain}`;
    const headers = { 'x-gw-console': '1' };
    const body = { email, return_path: '/w/search/logs' };
    const begun = (await api.post<Begun>('/v1/auth/login', { headers, body })).body;
    const query = await idp.logIn(begun.url, 'ann', { email, email_verified: true });
    const returned = await api.get(`/v2/auth/callback?${query}`);
    expect(returned.status).toBe(303);
    const end = new URL(String(returned.headers['location']), 'http://console.example');
    expect([end.host, end.pathname]).toEqual(['console.example', '/console/login/sso']);
    expect(end.searchParams.get('return_path')).toBe('/w/search/logs');
    const opened = await api.post<{ object: string; email: string }>('/v1/auth/sso/exchange', {
      headers,
      body: { code: end.searchParams.get('code'), login_binding: begun.login_binding },
    });
    expect([opened.status, opened.body.object, opened.body.email]).toEqual([200, 'user', email]);
    expect(opened.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Strict/);
    expect(opened.text).not.toContain('token');
  });

  it('expire, and end with the connection', async () => {
    const { tenant, domain, id } = await organisation();
    const email = `ann@${domain}`;
    const account = { email, email_verified: true };
    const late = (await begin({ email })).body;
    const query = await idp.logIn(late.url, 'ann', account);
    await api.dataSource.manager.update(SsoFlowEntity, { connectionId: id }, { expiresAt: new Date(0) });
    expect((await callback(query)).status).toBe(403);
    const off = (await begin({ email })).body;
    const returned = await idp.logIn(off.url, 'ann', account);
    const unopened = (await begin({ email })).body;
    const { code } = (await callback(await idp.logIn(unopened.url, 'ann', account))).body;
    await api.put(`${CONNECTIONS}/${id}`, { key: tenant.adminKey, body: { status: 'disabled' } });
    expect((await callback(returned)).status).toBe(403);
    expect((await exchange(code, unopened.login_binding)).status).toBe(403);
    expect((await begin({ email, sso_client_id: id })).status).toBe(400);
  });

  it('need connections with all required settings, and never use the secret of another issuer', async () => {
    const { tenant, id } = await organisation();
    const key = tenant.adminKey;
    const fields = { name: 'x', issuer: idp.issuer, client_id: 'x', client_secret: SECRET };
    const param = async (more: object): Promise<unknown> => {
      const { status, body } = await api.post<Failure>(CONNECTIONS, { key, body: { ...fields, ...more } });
      return [status, body.error.param];
    };
    expect(await param({ client_secret: undefined })).toEqual([400, 'client_secret']);
    expect(await param({ token_endpoint_auth_method: 'private_key_jwt' })).toEqual([400, 'jwks']);
    expect(await param({ jwks: { keys: [PUBLIC] } })).toEqual([400, 'jwks.keys.0']);
    expect(await param({ issuer: 'http://idp.example.org' })).toEqual([400, 'issuer']);
    expect(await param({ issuer: 'https://169.254.169.254' })).toEqual([400, 'issuer']);
    expect(await param({ domains: ['not-verified.example'] })).toEqual([400, 'domains.0']);
    const moved = await api.put<Failure>(`${CONNECTIONS}/${id}`, {
      key,
      body: { issuer: 'https://evil.example' },
    });
    expect([moved.status, moved.body.error.param]).toEqual([400, 'client_secret']);
    const { email } = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'admin' });
    const token = await api.login(email);
    expect((await api.post(CONNECTIONS, { token, body: fields })).status).toBe(403);
  });

  it('are not started without end by one network, because each is stored', async () => {
    const { domain, id } = await organisation();
    const email = `ann@${domain}`;
    const statuses: number[] = [];
    const refused = await withStoppedClock(async () => {
      for (let count = 0; count < 301; count += 1) statuses.push((await begin({ email })).status);
      return begin({ email });
    });
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    const stored = await api.dataSource.manager.countBy(SsoFlowEntity, { connectionId: id });
    expect(stored).toBe(statuses.filter((status) => status === 200).length);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  });
});
