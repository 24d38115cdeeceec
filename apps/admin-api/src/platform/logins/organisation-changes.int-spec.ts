import {
  AuditLogEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  SecondFactorEntity,
  SessionEntity,
  SsoConnectionEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { hashPassword } from '../auth/passwords';
import { PASSWORD, TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import { connectionFields } from '../../spec-support/sso-connections';

const CHANGE = '/v1/auth/organisation';
const CONSOLE = { 'x-gw-console': '1' };

interface Changed {
  readonly object: string;
  readonly auth_token: string;
  readonly challenge: string;
  readonly organisation: { readonly id: string };
  readonly error: { readonly type: string; readonly param?: string };
}

describe('POST /auth/organisation', () => {
  const admin = new TestAdminApi();
  const home = admin.sharedTenant();
  let away: Tenant;
  let user: { readonly id: string; readonly email: string };

  beforeEach(async () => {
    away = await admin.tenant();
    user = await admin.user(home.organisationId, 'owner');
    await join(away);
  });

  const join = (tenant: Tenant, more: Partial<OrganisationUserEntity> = {}): Promise<unknown> =>
    admin.dataSource.manager.insert(OrganisationUserEntity, {
      ...{ organisationId: tenant.organisationId, userId: user.id, role: 'member', ...more },
    });
  const change = (token: string, to = away.organisationId): Promise<GatewayResponse<Changed>> =>
    admin.post<Changed>(CHANGE, { token, body: { organisation_id: to } });
  const login = async (): Promise<string> => {
    const { body } = await admin.post<Changed>('/v1/auth/login', {
      body: { email: user.email, password: PASSWORD, organisation_id: home.organisationId },
    });
    return body.auth_token;
  };
  const seatAway = (): { organisationId: string; userId: string } => ({
    ...{ organisationId: away.organisationId, userId: user.id },
  });
  const refusal = ({ status, body }: GatewayResponse<Changed>): unknown => [status, body.error.type];

  it('opens a session in the other organisation, ends the previous one, and records both', async () => {
    const token = await login();
    const changed = await change(token, away.organisationId.toUpperCase());
    expect([changed.status, changed.body.object]).toEqual([200, 'session']);
    const self = await admin.get<Changed>('/v1/auth/self', { token: changed.body.auth_token });
    expect(self.body.organisation.id).toBe(away.organisationId);
    expect((await admin.get('/v1/auth/self', { token })).status).toBe(401);
    const audited = await admin.dataSource.manager.findBy(AuditLogEntity, {
      ...{ organisationId: away.organisationId, action: 'login', userId: user.id },
    });
    expect(audited).toHaveLength(1);
    const back = await change(changed.body.auth_token, home.organisationId);
    expect(back.status).toBe(200);
  });

  it('gives a console a new cookie', async () => {
    const opened = await admin.post('/v1/auth/login', {
      headers: CONSOLE,
      body: { email: user.email, password: PASSWORD, organisation_id: home.organisationId },
    });
    const cookie = String(opened.headers['set-cookie']).split(';', 1)[0] ?? '';
    const body = { organisation_id: away.organisationId };
    for (const headers of [{ cookie }, { cookie, ...CONSOLE, 'sec-fetch-site': 'cross-site' }])
      expect((await admin.post(CHANGE, { headers, body })).status).toBe(401);
    const changed = await admin.post<Changed>(CHANGE, { headers: { cookie, ...CONSOLE }, body });
    expect(changed.body.organisation.id).toBe(away.organisationId);
    expect(changed.text).not.toContain('token');
    expect((await admin.get('/v1/auth/self', { headers: { cookie, ...CONSOLE } })).status).toBe(401);
    const next = String(changed.headers['set-cookie']).split(';', 1)[0] ?? '';
    expect((await admin.get('/v1/auth/self', { headers: { cookie: next, ...CONSOLE } })).status).toBe(200);
  });

  it('never lengthens a session, and changes it once for concurrent requests', async () => {
    const token = await login();
    const expiresAt = new Date(Date.now() + 1_800_000);
    await admin.dataSource.manager.update(SessionEntity, { userId: user.id }, { expiresAt });
    const all = await Promise.all(Array.from({ length: 5 }, () => change(token)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const rows = await admin.dataSource.manager.findBy(SessionEntity, seatAway());
    expect(rows.map((row) => row.expiresAt.getTime())).toEqual([expiresAt.getTime()]);
  });

  it('hides other organisations, and refuses the current one', async () => {
    const token = await login();
    const stranger = await admin.tenant();
    expect(refusal(await change(token, stranger.organisationId))).toEqual([404, 'not_found']);
    expect(refusal(await change(token, uuidv7()))).toEqual([404, 'not_found']);
    expect(refusal(await change(token, home.organisationId))).toEqual([400, 'validation_failed']);
    await admin.dataSource.manager.update(OrganisationUserEntity, seatAway(), { status: 'archived' });
    expect(refusal(await change(token))).toEqual([404, 'not_found']);
    await admin.dataSource.manager.update(OrganisationUserEntity, seatAway(), { status: 'active' });
    const { organisationId: id } = away;
    await admin.dataSource.manager.update(OrganisationEntity, { id }, { status: 'archived' });
    expect(refusal(await change(token))).toEqual([404, 'not_found']);
    expect((await admin.post(CHANGE, { key: home.adminKey, body: { organisation_id: id } })).status).toBe(
      401,
    );
    expect((await admin.get('/v1/auth/self', { token })).status).toBe(200);
  });

  it('refuses proofs that are not valid elsewhere: single sign-on, and a password that one organisation set', async () => {
    const token = await login();
    const sessions = { userId: user.id };
    await admin.dataSource.manager.update(SessionEntity, sessions, {
      ...{ byPassword: false, countsEverywhere: false },
    });
    expect(refusal(await change(token))).toEqual([403, 'forbidden']);
    const own = await hashPassword(PASSWORD);
    await admin.dataSource.manager.update(OrganisationUserEntity, seatAway(), { passwordHash: own });
    expect(refusal(await change(await login()))).toEqual([403, 'forbidden']);
    const there = await admin.post<Changed>('/v1/auth/login', {
      body: { email: user.email, password: PASSWORD, organisation_id: away.organisationId },
    });
    const back = await change(there.body.auth_token, home.organisationId);
    expect(refusal(back)).toEqual([403, 'forbidden']);
  });

  it('requires a second factor that is valid in the other organisation, and its single sign-on', async () => {
    const token = await login();
    const factor = { id: uuidv7(), userId: user.id, organisationId: away.organisationId, name: 'App' };
    await admin.dataSource.manager.insert(SecondFactorEntity, { ...factor, confirmedAt: new Date() });
    const challenged = await change(token);
    expect([challenged.status, challenged.body.object]).toEqual([200, 'mfa-challenge']);
    expect((await admin.get('/v1/auth/self', { token })).status).toBe(200);
    await admin.dataSource.manager.delete(SecondFactorEntity, { id: factor.id });
    const { body } = await admin.post<{ id: string }>('/v1/admin/organisation/sso-connections', {
      ...{ key: away.adminKey, body: connectionFields('Okta') },
    });
    const enforced = { enforced: true, domains: ['example.com'] };
    await admin.dataSource.manager.update(SsoConnectionEntity, { id: body.id }, enforced);
    expect(refusal(await change(token))).toEqual([403, 'sso_login_refused']);
    expect((await admin.get('/v1/auth/self', { token })).status).toBe(200);
  });

  it('opens a session that may only add a second factor when the other organisation requires one', async () => {
    await admin.dataSource.manager.update(
      OrganisationEntity,
      { id: away.organisationId },
      { settings: { require_mfa: true } },
    );
    const { body } = await change(await login());
    const self = await admin.get('/v1/auth/self', { token: body.auth_token });
    const other = await admin.get<Changed>('/v1/workspaces', { token: body.auth_token });
    expect([self.status, refusal(other)]).toEqual([200, [403, 'mfa_required']]);
    // The session may also change to an organisation that requires none, where it proves only a
    // login.
    const back = await change(body.auth_token, home.organisationId);
    const there = await admin.get('/v1/workspaces', { token: back.body.auth_token });
    expect([back.status, there.status]).toEqual([200, 200]);
    expect((await admin.get('/v1/auth/self', { token: body.auth_token })).status).toBe(401);
  });
});
