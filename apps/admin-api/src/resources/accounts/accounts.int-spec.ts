import { AuditLogEntity, claimMail, PasswordResetEntity } from '@gw/entities';
import { sealingKeyring, signClientAddress } from '@gw/kernel';
import {
  MASTER_KEY,
  PASSWORD,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
} from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const NEW = 'quiet lamp under seven rivers';
const THIRD = 'nine green kites over water';

let network = 0;
/**
 * Returns the headers of a client in another network for each call, so that the login throttle does
 * not affect the test.
 */
const elsewhere = (): { 'x-gw-client-address': string } => {
  network += 1;
  const address = `10.1.${String(network >> 8)}.${String(network & 255)}`;
  return { 'x-gw-client-address': signClientAddress(SERVICE_TOKEN, address) };
};
const tokenOf = (link: string | null | undefined): string => (link ?? '').split('/').at(-1) ?? '';

const login = (
  admin: TestAdminApi,
  email: string,
  password: string,
  more: object = {},
): Promise<GatewayResponse<{ auth_token: string }>> =>
  admin.post('/v1/auth/login', { headers: elsewhere(), body: { email, password, ...more } });

const form = (fields: Record<string, string>): { body: string; headers: Record<string, string> } => ({
  body: new URLSearchParams(fields).toString(),
  headers: { ...elsewhere(), 'content-type': 'application/x-www-form-urlencoded' },
});

describe('accounts without mail', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  let count = 0;
  const address = (): string => `person-${String((count += 1))}@example.com`;

  const invite = async (key: string, email: string): Promise<string> => {
    const body = { email, role: 'member', workspaces: [] };
    const response = await admin.post<{ invite_link: string }>('/v1/admin/users/invites', { key, body });
    expect(response.status).toBe(200);
    return response.body.invite_link;
  };
  const accept = (link: string, password: string): Promise<GatewayResponse<Failure>> =>
    admin.post('/v1/invites/accept', { headers: elsewhere(), body: { token: tokenOf(link), password } });

  it('limit a password that was set by an unmailed invite to the organisation of the invite', async () => {
    const email = address();
    // Another organisation accepts its own invite in the name of the user.
    expect((await accept(await invite(theirs.adminKey, email), NEW)).status).toBe(200);
    // The user accepts the invite of their organisation with their own password.
    expect((await accept(await invite(ours.adminKey, email), THIRD)).status).toBe(200);
    const here = { organisation_id: ours.organisationId };
    expect((await login(admin, email, THIRD, here)).status).toBe(200);
    expect((await login(admin, email, NEW, here)).status).toBe(401);
    // A login without organisation_id uses the organisation of the password.
    for (const [password, organisationId] of [
      [NEW, theirs.organisationId],
      [THIRD, ours.organisationId],
    ] as const) {
      const { body } = await login(admin, email, password);
      const self = await admin.get('/v1/auth/self', { token: body.auth_token });
      expect(self.body).toMatchObject({ organisation: { id: organisationId } });
    }
  });

  it('return 400 for short and common new passwords', async () => {
    const link = await invite(ours.adminKey, address());
    for (const password of ['12345678', 'password', 'Password2024!', 'short']) {
      const { status, body } = await accept(link, password);
      expect([status, body.error.param, body.error.type]).toEqual([400, 'password', 'validation_failed']);
    }
    expect((await accept(link, NEW)).status).toBe(200);
  });

  it('change the password of a user who sends the current one, and end all other sessions', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const [mine, other] = [
      (await login(admin, email, PASSWORD)).body,
      (await login(admin, email, PASSWORD)).body,
    ];
    const change = (current: string, next: string): Promise<GatewayResponse<Failure>> =>
      admin.post('/v1/auth/password', {
        token: mine.auth_token,
        headers: elsewhere(),
        body: { current_password: current, new_password: next },
      });
    expect((await change('wrong', NEW)).status).toBe(401);
    const common = await change(PASSWORD, 'qwerty123456');
    expect([common.status, common.body.error.param]).toEqual([400, 'new_password']);
    expect((await change(PASSWORD, NEW)).status).toBe(200);
    const self = async (token: string): Promise<number> =>
      (await admin.get('/v1/auth/self', { token })).status;
    expect([await self(mine.auth_token), await self(other.auth_token)]).toEqual([200, 401]);
    expect((await login(admin, email, PASSWORD)).status).toBe(401);
    expect((await login(admin, email, NEW)).status).toBe(200);
    const call = { key: ours.adminKey, body: { current_password: NEW, new_password: THIRD } };
    expect((await admin.post('/v1/auth/password', call)).status).toBe(401);
    const audits = await admin.dataSource.manager.findBy(AuditLogEntity, { resourceType: 'passwords' });
    expect(JSON.stringify(audits)).not.toContain(NEW);
    expect(audits.length).toBeGreaterThan(0);
  });

  it('end reset links when the password is changed in another way', async () => {
    const owner = await admin.user(ours.organisationId, 'owner');
    const target = await admin.user(ours.organisationId, 'member');
    const made = await admin.post<{ reset_link: string }>(`/v1/users/${target.id}/password-reset`, {
      token: await admin.login(owner.email),
    });
    const body = { current_password: PASSWORD, new_password: NEW };
    const token = await admin.login(target.email);
    expect((await admin.post('/v1/auth/password', { token, headers: elsewhere(), body })).status).toBe(200);
    const reset = { token: tokenOf(made.body.reset_link), password: THIRD };
    const late = await admin.post('/v1/auth/password/reset', { headers: elsewhere(), body: reset });
    expect(late.status).toBe(404);
  });

  it('let only an owner create a reset link, which works once and in this organisation only', async () => {
    const owner = await admin.user(ours.organisationId, 'owner');
    const boss = await admin.user(ours.organisationId, 'admin');
    const target = await admin.user(ours.organisationId, 'member');
    const path = `/v1/users/${target.id}/password-reset`;
    const [byOwner, byAdmin] = [await admin.login(owner.email), await admin.login(boss.email)];
    for (const by of [{ token: byAdmin }, { key: ours.adminKey }]) {
      expect((await admin.post(path, by)).status).toBe(403);
    }
    const above = await admin.post(`/v1/users/${owner.id}/password-reset`, { token: byAdmin });
    expect(above.status).toBe(403);
    const session = (await login(admin, target.email, PASSWORD)).body.auth_token;
    const first = await admin.post<{ reset_link: string }>(path, { token: byOwner });
    const second = await admin.post<{ reset_link: string }>(path, { token: byOwner });
    const reset = (link: string): Promise<GatewayResponse<Failure>> =>
      admin.post('/v1/auth/password/reset', {
        headers: elsewhere(),
        body: { token: tokenOf(link), password: NEW },
      });
    expect((await reset(first.body.reset_link)).status).toBe(404);
    expect((await reset(second.body.reset_link)).status).toBe(200);
    expect((await reset(second.body.reset_link)).status).toBe(404);
    expect((await admin.get('/v1/auth/self', { token: session })).status).toBe(401);
    const here = { organisation_id: ours.organisationId };
    expect((await login(admin, target.email, NEW, here)).status).toBe(200);
    expect((await login(admin, target.email, PASSWORD, here)).status).toBe(401);
    expect(await admin.dataSource.manager.count(PasswordResetEntity)).toBe(0);
  });

  it('return 403 feature_disabled for a forgotten password', async () => {
    const response = await admin.post<Failure>('/v1/auth/password/forgot', { body: { email: address() } });
    expect([response.status, response.body.error.type]).toEqual([403, 'feature_disabled']);
  });

  it("show an invite as a page without scripts, and accept it by the page's form", async () => {
    const email = address();
    const path = `/invite/${tokenOf(await invite(ours.adminKey, email))}`;
    const page = await admin.get(path);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(String(page.headers['content-security-policy'])).toContain("default-src 'none'");
    expect(String(page.headers['content-security-policy'])).not.toContain('unsafe');
    expect(page.text).toContain(email);
    expect(page.text).not.toMatch(/<script|https?:\/\//);
    const refused = await admin.post(path, form({ password: 'password', first_name: '<b>Ada' }));
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([400, true]);
    // A text that cannot be stored counts as missing.
    const done = await admin.post(path, form({ password: NEW, first_name: 'Ada', last_name: 'L\0' }));
    expect([done.status, done.text.includes('log in')]).toEqual([200, true]);
    expect((await login(admin, email, NEW)).status).toBe(200);
    for (const again of [await admin.get(path), await admin.post(path, form({ password: NEW }))]) {
      expect([again.status, String(again.headers['content-type'])]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
    }
    const records = await admin.dataSource.query<object[]>('SELECT * FROM audit_logs');
    expect(JSON.stringify(records)).not.toContain(tokenOf(path));
  });

  it('send no-store, nosniff, a content security policy and X-Frame-Options with every response', async () => {
    for (const path of ['/v1/auth/self', '/docs', '/', '/openapi.json']) {
      const { headers } = await admin.call('GET', path);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(headers['cache-control']).toContain('no-store');
      expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });
});

describe('accounts with mail', () => {
  const admin = new TestAdminApi({
    SMTP_HOST: 'mail.example.com',
    HOST: '0.0.0.0',
    ADMIN_PORT: '8788',
    HSTS_MAX_AGE: '31536000',
  });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  const nextLink = async (): Promise<string> =>
    (await claimMail(admin.dataSource.manager, sealingKeyring(MASTER_KEY)))?.message.action?.url ?? '';

  it('make a password that was set by a mailed invite valid in every organisation', async () => {
    const email = 'grace@example.com';
    const body = { email, role: 'member', workspaces: [] };
    await admin.post('/v1/admin/users/invites', { key: ours.adminKey, body });
    const link = await nextLink();
    expect(link).toMatch(/^http:\/\/localhost:8788\/invite\//);
    const accepted = { token: tokenOf(link), password: NEW };
    expect((await admin.post('/v1/invites/accept', { headers: elsewhere(), body: accepted })).status).toBe(
      200,
    );
    await admin.post('/v1/admin/users/invites', { key: theirs.adminKey, body });
    const second = { token: tokenOf(await nextLink()), password: THIRD };
    expect((await admin.post('/v1/invites/accept', { headers: elsewhere(), body: second })).status).toBe(401);
  });

  it('return the same response for known and unknown addresses, and mail one link that sets a new password', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const forgot = (to: string): Promise<GatewayResponse> =>
      admin.post('/v1/auth/password/forgot', { body: { email: to } });
    const [known, again, unknown] = [
      await forgot(email),
      await forgot(email),
      await forgot('none@example.com'),
    ];
    expect(new Set([known.text, again.text, unknown.text])).toEqual(new Set(['{}']));
    const link = await nextLink();
    expect(await nextLink()).toBe('');
    const path = `/reset/${tokenOf(link)}`;
    const page = await admin.get(path);
    expect([page.status, page.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    expect((await admin.post(path, form({ password: 'aaaaaaaaaaaa' }))).status).toBe(400);
    expect((await admin.post(path, form({ password: NEW }))).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
    expect((await login(admin, email, NEW)).status).toBe(200);
    expect((await login(admin, email, PASSWORD)).status).toBe(401);
  });
});
