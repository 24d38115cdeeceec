import { INTERNAL, type ClaimResponse } from '@gw/contracts';
import {
  AuditLogEntity,
  ClaimEntity,
  InstallationEntity,
  OrganisationUserEntity,
  SecondFactorEntity,
  SsoConnectionEntity,
  UserEntity,
} from '@gw/entities';
import { readSettings, uuidv7 } from '@gw/kernel';
import type { AdminApi } from '../../app';
import { ADMIN_SETTINGS } from '../../settings';
import {
  MASTER_KEY,
  PASSWORD,
  SERVICE_TOKEN,
  startAdminApi,
  TestAdminApi,
  type GatewayResponse,
  type Tenant,
} from '../../spec-support/admin-api';
import { connectionFields } from '../../spec-support/sso-connections';
import { withStoppedClock } from '../../spec-support/stopped-clock';

const CLAIM = '/v1/auth/claim';
const CONSOLE = { 'x-gw-console': '1' };
const NEW = 'quiet lamp under seven rivers';
const ENVIRONMENT = { CLAIM_ENABLED: 'true' };

const install = (admin: TestAdminApi, { organisationId }: Tenant): Promise<unknown> =>
  admin.dataSource.manager.insert(InstallationEntity, { id: 1, organisationId, keyCheck: 'unused' });

interface Opened {
  readonly object: string;
  readonly id: string;
  readonly auth_token: string;
  readonly challenge: string;
  readonly error: { readonly type: string; readonly param?: string };
}

describe('links of the launcher', () => {
  const admin = new TestAdminApi(ENVIRONMENT);
  const tenant = admin.sharedTenant();
  let owner: { readonly id: string; readonly email: string };
  /** Another admin API over the same database. */
  let second: AdminApi;

  beforeAll(async () => {
    owner = await admin.user(tenant.organisationId, 'owner');
    const settings = readSettings(ADMIN_SETTINGS, {
      ...ENVIRONMENT,
      DATABASE_URL: admin.database.url,
      ENCRYPTION_KEY: MASTER_KEY.toString('base64'),
      SERVICE_TOKEN,
    });
    second = await startAdminApi(settings);
    await install(admin, tenant);
  });
  afterAll(() => second.app.close());

  const make = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
    const { status, body } = await admin.post<ClaimResponse>(INTERNAL.claims, { headers });
    if (status !== 200) throw new Error(`The service route responded with ${String(status)}.`);
    return body.token;
  };
  const use = (token: string, headers: Record<string, string> = {}): Promise<GatewayResponse<Opened>> =>
    admin.post<Opened>(CLAIM, { headers, body: { token } });

  it('log in the owner once, from a client or a console', async () => {
    const token = await make();
    const opened = await use(token);
    expect([opened.status, opened.body.object]).toEqual([200, 'session']);
    const again = await use(token);
    expect([again.status, again.body.error.type]).toEqual([401, 'unauthenticated']);
    const console = await use(await make(), CONSOLE);
    expect([console.body.object, console.body.id]).toEqual(['user', owner.id]);
    expect(console.headers['set-cookie']).toMatch(/^tollgate=\w{112}; Path=\/; HttpOnly; SameSite=Strict$/);
    const where = { organisationId: tenant.organisationId, action: 'login' };
    const audited = await admin.dataSource.manager.findBy(AuditLogEntity, where);
    expect(audited.map(({ userId, after }) => [userId, after])).toEqual(
      Array(2).fill([owner.id, { claim: true }]),
    );
  });

  it('open one session when several admin APIs receive the token at the same time', async () => {
    const token = await make();
    const payload = { token };
    const calls = [admin.api, second].flatMap(({ app }) =>
      Array.from({ length: 4 }, () => app.inject({ method: 'POST', url: CLAIM, payload })),
    );
    const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(401)]);
  });

  it('expire after 15 minutes, and when a new link is created', async () => {
    const old = await make();
    const token = await make();
    expect((await use(old)).status).toBe(401);
    const at = Date.now() + 15 * 60_000 + 1;
    const now = jest.spyOn(Date, 'now').mockImplementation(() => at);
    const late = await use(token).finally(() => {
      now.mockRestore();
    });
    expect(late.status).toBe(401);
    await admin.dataSource.query(`UPDATE claims SET expires_at = now() - interval '1 millisecond'`);
    expect((await use(token)).status).toBe(401);
  });

  it("are created only for Tollgate's own processes, and stored as hashes", async () => {
    for (const credential of [{}, { key: tenant.adminKey }, { token: await admin.login(owner.email) }])
      expect((await admin.post(INTERNAL.claims, credential)).status).toBe(401);
    const token = await make();
    const rows = await admin.dataSource.manager.find(ClaimEntity);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('lead to a second factor, and to nothing for a user who is no longer an owner', async () => {
    const { manager } = admin.dataSource;
    const seat = { organisationId: tenant.organisationId, userId: owner.id };
    const asMember = await make();
    await manager.update(OrganisationUserEntity, seat, { role: 'member' });
    expect((await use(asMember)).status).toBe(401);
    await manager.update(OrganisationUserEntity, seat, { role: 'owner' });
    const factor = { id: uuidv7(), userId: owner.id, name: 'App', confirmedAt: new Date() };
    await manager.insert(SecondFactorEntity, factor);
    const challenged = await use(await make());
    expect(challenged.body).toMatchObject({ object: 'mfa-challenge' });
    expect(challenged.body).not.toHaveProperty('auth_token');
    await manager.delete(SecondFactorEntity, { id: factor.id });
  });

  it('are throttled by network after 20 wrong tokens in a minute', async () => {
    const token = await make();
    const statuses: number[] = [];
    const right = await withStoppedClock(async () => {
      for (let i = 0; i < 25; i += 1) statuses.push((await use(`wrong-${String(i)}`)).status);
      return use(token);
    });
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect([right.status, right.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });
});

describe('the first password', () => {
  const admin = new TestAdminApi(ENVIRONMENT);
  const tenant = admin.sharedTenant();
  let owner: { readonly id: string; readonly email: string };
  beforeAll(async () => {
    owner = await admin.user(tenant.organisationId, 'owner');
    await install(admin, tenant);
    await admin.dataSource.manager.update(UserEntity, { id: owner.id }, { passwordGenerated: true });
  });
  const claim = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
    const { body } = await admin.post<ClaimResponse>(INTERNAL.claims, { headers });
    return (await admin.post<Opened>(CLAIM, { body: { token: body.token } })).body.auth_token;
  };
  const change = (token: string, current?: string): Promise<GatewayResponse<Opened>> =>
    admin.post<Opened>('/v1/auth/password', {
      ...{ token, body: { new_password: NEW, ...(current !== undefined && { current_password: current }) } },
    });

  it('can be set without the current one only in a session from a launcher link, once, and ends other sessions', async () => {
    const byPassword = await admin.login(owner.email);
    const refused = await change(byPassword);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'current_password']);
    const token = await claim();
    const bootstrap = () => admin.get<{ needs_password: boolean }>('/v1/console/bootstrap', { token });
    expect((await bootstrap()).body.needs_password).toBe(true);
    expect((await change(token, 'a wrong password')).status).toBe(401);
    expect((await change(token)).status).toBe(200);
    expect((await bootstrap()).body.needs_password).toBe(false);
    expect((await admin.get('/v1/auth/self', { token: byPassword })).status).toBe(401);
    expect((await change(token)).status).toBe(400);
    expect((await change(await claim())).status).toBe(400);
    const login = { email: owner.email, password: NEW };
    expect((await admin.post('/v1/auth/login', { body: login })).status).toBe(200);
    expect((await admin.post('/v1/auth/login', { body: { ...login, password: PASSWORD } })).status).toBe(401);
  });
});

describe('links of the launcher with enforced single sign-on', () => {
  const admin = new TestAdminApi({ ...ENVIRONMENT, SSO_BREAK_GLASS: 'false' });
  const tenant = admin.sharedTenant();

  it('bypass single sign-on only as far as a password does', async () => {
    await admin.user(tenant.organisationId, 'owner');
    await install(admin, tenant);
    const { body } = await admin.post<Opened>('/v1/admin/organisation/sso-connections', {
      ...{ key: tenant.adminKey, body: connectionFields('Okta') },
    });
    const enforced = { enforced: true, domains: ['example.com'] };
    await admin.dataSource.manager.update(SsoConnectionEntity, { id: body.id }, enforced);
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
    const { token } = (await admin.post<ClaimResponse>(INTERNAL.claims, { headers })).body;
    const refused = await admin.post<Opened>(CLAIM, { body: { token } });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'sso_login_refused']);
  });
});

describe('links of the launcher without CLAIM_ENABLED', () => {
  const admin = new TestAdminApi();

  it('do not exist', async () => {
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
    expect((await admin.post(INTERNAL.claims, { headers })).status).toBe(403);
    expect((await admin.post(CLAIM, { body: { token: 'x' } })).status).toBe(403);
  });
});
