import { SessionEntity } from '@gw/entities';
import { PASSWORD, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

const CONSOLE = { 'x-gw-console': '1' };

interface Self {
  readonly object: string;
  readonly id: string;
  readonly error: { readonly type: string; readonly param?: string };
}

describe('cookie sessions of a console behind HTTPS', () => {
  const api = new TestAdminApi({ CONSOLE_URL: 'https://console.example' });
  const tenant = api.sharedTenant();
  let user: { readonly id: string; readonly email: string };
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'owner');
  });

  const login = (headers: Readonly<Record<string, string>> = CONSOLE): Promise<GatewayResponse<Self>> =>
    api.post<Self>('/v1/auth/login', { headers, body: { email: user.email, password: PASSWORD } });
  const cookieIn = ({ headers }: Pick<GatewayResponse, 'headers'>): string =>
    /^__Host-tollgate=(\w+);/.exec(String(headers['set-cookie'] ?? ''))?.[1] ?? '';
  const withCookie = (secret: string, more: object = {}): Readonly<Record<string, string>> => ({
    ...{ ...CONSOLE, cookie: `other=1; __Host-tollgate=${secret}` },
    ...more,
  });
  const get = (path: string, headers: Readonly<Record<string, string>>): Promise<GatewayResponse<Self>> =>
    api.get<Self>(path, { headers });
  const age = (ms: number): Promise<unknown> =>
    api.dataSource.manager.update(
      SessionEntity,
      { userId: user.id },
      { tokenMadeAt: new Date(Date.now() - ms) },
    );

  it('sets an HttpOnly cookie and returns the user without a token at a login [oauth-190]', async () => {
    const opened = await login();
    expect([opened.status, opened.body.object, opened.body.id]).toEqual([200, 'user', user.id]);
    expect(opened.text).not.toContain('token');
    expect(opened.headers['set-cookie']).toMatch(
      /^__Host-tollgate=\w{112}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const self = await get('/v1/auth/self', withCookie(cookieIn(opened)));
    expect([self.status, self.body.id]).toEqual([200, user.id]);
    expect(self.headers['set-cookie']).toBeUndefined();
    expect((await get('/v1/workspaces', withCookie(cookieIn(opened)))).status).toBe(200);
    const plain = await login({});
    expect([plain.body.object, plain.headers['set-cookie']]).toEqual(['session', undefined]);
  });

  it('accepts the cookie only with the header x-gw-console, from the same origin, and without another credential', async () => {
    const secret = cookieIn(await login());
    const cookie = `__Host-tollgate=${secret}`;
    expect((await get('/v1/auth/self', { cookie })).status).toBe(401);
    expect((await get('/v1/auth/self', { cookie, 'x-gw-console': '0' })).status).toBe(401);
    const site = (value: string) => get('/v1/auth/self', withCookie(secret, { 'sec-fetch-site': value }));
    const statuses = [];
    for (const value of ['same-origin', 'same-site', 'cross-site', 'none'])
      statuses.push((await site(value)).status);
    expect(statuses).toEqual([200, 401, 401, 401]);
    const both = await get('/v1/workspaces', withCookie(secret, { 'x-gw-api-key': tenant.adminKey }));
    expect([both.status, both.body.error.param]).toEqual([400, 'authorization']);
    expect((await get('/v1/auth/self', { ...CONSOLE, cookie: `tollgate=${secret}` })).status).toBe(401);
    const refresh = await api.post('/v1/auth/refresh', { body: { refresh_token: secret } });
    expect(refresh.status).toBe(401);
    const { body } = await api.post<{ refresh_token: string }>('/v1/auth/login', {
      body: { email: user.email, password: PASSWORD },
    });
    expect((await get('/v1/auth/self', withCookie(body.refresh_token))).status).toBe(401);
  });

  it('renews the cookie after an hour, once for concurrent requests', async () => {
    const secret = cookieIn(await login());
    await age(3_700_000);
    const all = await Promise.all(Array.from({ length: 10 }, () => get('/v1/auth/self', withCookie(secret))));
    expect(all.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    const renewed = all.map(cookieIn).filter((each) => each !== '');
    expect(renewed).toHaveLength(1);
    expect((await get('/v1/auth/self', withCookie(renewed[0] ?? ''))).status).toBe(200);
  });

  it('ends the session when a replaced cookie is used again', async () => {
    const secret = cookieIn(await login());
    await age(3_700_000);
    const renewed = cookieIn(await get('/v1/auth/self', withCookie(secret)));
    await age(61_000);
    expect((await get('/v1/auth/self', withCookie(secret))).status).toBe(401);
    expect((await get('/v1/auth/self', withCookie(renewed))).status).toBe(401);
  });

  it('ends the session when a cookie is used again that was replaced several times ago', async () => {
    const secret = cookieIn(await login());
    let renewed = secret;
    for (let times = 0; times < 3; times += 1) {
      await age(3_700_000);
      renewed = cookieIn(await get('/v1/auth/self', withCookie(renewed)));
      expect(renewed).not.toBe('');
    }
    expect((await get('/v1/auth/self', withCookie(secret))).status).toBe(401);
    expect((await get('/v1/auth/self', withCookie(renewed))).status).toBe(401);
  });

  it('renews the cookie on request, at most once a minute, and only for a console', async () => {
    const secret = cookieIn(await login());
    const refresh = (headers: object, body: object = {}): Promise<GatewayResponse<Self>> =>
      api.post<Self>('/v1/auth/refresh', { headers: { ...headers }, body });
    const early = await refresh(withCookie(secret));
    expect([early.status, early.body.id, early.headers['set-cookie']]).toEqual([200, user.id, undefined]);
    await age(61_000);
    const renewed = await refresh(withCookie(secret));
    expect(renewed.text).not.toContain('token');
    expect(cookieIn(renewed)).toMatch(/^\w{112}$/);
    expect((await get('/v1/auth/self', withCookie(cookieIn(renewed)))).status).toBe(200);
    const fresh = cookieIn(renewed);
    const refusals = [
      await refresh({ cookie: `__Host-tollgate=${fresh}` }),
      await refresh(withCookie(fresh, { 'sec-fetch-site': 'cross-site' })),
      await refresh(withCookie(fresh, { 'x-gw-api-key': tenant.adminKey })),
      await refresh(withCookie(fresh), { refresh_token: fresh }),
      await refresh(CONSOLE),
      await refresh({ ...CONSOLE, authorization: `Bearer ${await api.login(user.email)}` }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([400, 401, 400, 400, 401, 401]);
  });

  it('ends the session and deletes the cookie at a logout', async () => {
    const secret = cookieIn(await login());
    const ended = await api.post('/v1/auth/logout', { headers: withCookie(secret) });
    expect([ended.status, ended.headers['set-cookie']]).toEqual([
      200,
      '__Host-tollgate=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
    expect((await get('/v1/auth/self', withCookie(secret))).status).toBe(401);
  });
});

describe('cookie sessions of a console on loopback', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();

  it('sets a cookie that works over plain HTTP', async () => {
    const { email } = await api.user(tenant.organisationId, 'owner');
    const opened = await api.post('/v1/auth/login', {
      headers: CONSOLE,
      body: { email, password: PASSWORD },
    });
    expect(opened.headers['set-cookie']).toMatch(/^tollgate=\w{112}; Path=\/; HttpOnly; SameSite=Strict$/);
  });
});
