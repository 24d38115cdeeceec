import { AuditLogEntity, OrganisationUserEntity, SessionEntity, UserEntity } from '@gw/entities';
import { signClientAddress, uuidv7 } from '@gw/kernel';
import { randomBytes } from 'node:crypto';
import {
  PASSWORD,
  MASTER_KEY,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
} from '../../spec-support/admin-api';
import { Secrets } from '../../settings';
import { hashPassword } from './passwords';
import { signSessionToken } from './session-token';

interface Tokens {
  readonly auth_token: string;
  readonly refresh_token: string;
  readonly expires_at: string;
  readonly object: string;
}
interface Failure {
  readonly error: { readonly type: string; readonly code: string; readonly message: string };
}

describe('sessions', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();

  const login = (email: string, password = PASSWORD): Promise<{ status: number; body: Tokens & Failure }> =>
    admin.post('/v1/auth/login', { body: { email, password } });
  const self = (token: string): Promise<{ status: number; body: Failure }> =>
    admin.get('/v1/auth/self', { token });

  it('returns tokens for the correct password, ignoring the case of the email address', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const { status, body } = await login(email.toUpperCase());
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'session' });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now() + 3_500_000);
    expect((await self(body.auth_token)).status).toBe(200);
  });

  it('responds in the same way to a wrong password and an unknown user, so that addresses cannot be probed', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const wrong = await login(email, 'wrong');
    const unknown = await login('nobody@example.com', 'wrong');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect({ ...wrong.body.error, request_id: '' }).toEqual({ ...unknown.body.error, request_id: '' });
    const { id: userId } = await admin.dataSource.manager.findOneByOrFail(UserEntity, { email });
    const [audit] = await admin.dataSource.manager.findBy(AuditLogEntity, { userId });
    expect(audit).toMatchObject({ action: 'login', responseStatusCode: 401 });
  });

  it("throttles a network that guesses one user's password, and admits that user from another network", async () => {
    const target = await admin.user(ours.organisationId, 'owner');
    const other = await admin.user(ours.organisationId, 'owner');
    const from = (address: string, email: string, password: string): Promise<GatewayResponse> =>
      admin.post('/v1/auth/login', {
        headers: { 'x-gw-client-address': signClientAddress(SERVICE_TOKEN, address) },
        body: { email, password },
      });
    // The clock does not advance, because a slow machine checks passwords for longer than the first wait.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      statuses.push((await from('198.51.100.1', target.email, 'guess')).status);
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    const { status, headers } = await from('198.51.100.1', target.email, PASSWORD);
    expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await from('198.51.100.1', other.email, PASSWORD)).status).toBe(200);
    expect((await from('198.51.100.2', target.email, PASSWORD)).status).toBe(200);
    clock.mockRestore();
    const [audit] = await admin.dataSource.manager.find(AuditLogEntity, {
      where: { action: 'login', organisationId: ours.organisationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: 1,
    });
    expect(audit?.clientIp).toBe('198.51.100.2');
  });

  it("accepts a client address only from a trusted proxy or one of Tollgate's own processes", async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const forged = signClientAddress('another-service-token-0123456789abcd', '198.51.100.9');
    for (const headers of [{ 'x-gw-client-address': forged }, { 'x-forwarded-for': '198.51.100.9' }]) {
      await admin.post('/v1/auth/login', { headers, body: { email, password: PASSWORD } });
    }
    const rows = await admin.dataSource.manager.find(AuditLogEntity, {
      where: { action: 'login', organisationId: ours.organisationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: 2,
    });
    expect(rows.map(({ clientIp }) => clientIp)).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('limits sessions and their tokens to the lifetime that the organisation sets, including existing sessions', async () => {
    const own = await admin.tenant();
    const { email } = await admin.user(own.organisationId, 'owner');
    const settle = (max_session_ttl: number | null): Promise<{ status: number }> =>
      admin.put('/v1/admin/organisation/settings', {
        key: own.adminKey,
        body: { session_settings: { max_session_ttl } },
      });
    const sessions = () =>
      admin.dataSource.manager.find(SessionEntity, {
        where: { organisationId: own.organisationId },
        order: { createdAt: 'ASC' },
      });
    /** Logs in and expects that the new session ends this number of seconds after the login. */
    const loginFor = async (seconds: number): Promise<Tokens> => {
      const before = Date.now();
      const { body } = await login(email);
      const endsAt = (await sessions()).at(-1)?.expiresAt.getTime();
      expect(endsAt).toBeGreaterThanOrEqual(before + seconds * 1_000);
      expect(endsAt).toBeLessThanOrEqual(Date.now() + seconds * 1_000);
      return body;
    };
    const old = await loginFor(30 * 86_400);
    expect((await settle(899)).status).toBe(400);
    expect((await settle(900)).status).toBe(200);
    const [cut] = await sessions();
    expect(cut?.expiresAt.getTime()).toBe((cut?.createdAt.getTime() ?? 0) + 900_000);
    const tokens = await loginFor(900);
    expect(Date.parse(tokens.expires_at)).toBeLessThanOrEqual(Date.now() + 900_000);
    const refreshed = await admin.post<Tokens>('/v1/auth/refresh', {
      body: { refresh_token: tokens.refresh_token },
    });
    expect(Date.parse(refreshed.body.expires_at)).toBeLessThanOrEqual(Date.now() + 900_000);
    await admin.dataSource.query(
      `UPDATE sessions SET expires_at = now() WHERE organisation_id = '${own.organisationId}'`,
    );
    for (const token of [old.auth_token, refreshed.body.auth_token]) {
      expect((await self(token)).status).toBe(401);
    }
    await settle(null);
    await loginFor(30 * 86_400);
  });

  it('ends a session at logout, although its token has not expired', async () => {
    const { email } = await admin.user(ours.organisationId, 'admin');
    const { auth_token: token } = (await login(email)).body;
    expect((await admin.post('/v1/auth/logout', { token })).status).toBe(200);
    const { status, body } = await self(token);
    expect([status, body.error.code]).toEqual([401, 'AB05']);
  });

  it('ends the oldest session beyond 100 in one organisation, and none in another organisation', async () => {
    const { manager } = admin.dataSource;
    const { id: userId, email } = await admin.user(ours.organisationId, 'owner');
    const { auth_token: token } = (await login(email)).body;
    const { organisationId } = await admin.tenant();
    const passwordHash = await hashPassword('set by another admin');
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role: 'member', passwordHash });
    const there = Array.from({ length: 100 }, (_unused, at) => ({
      ...{ id: uuidv7(), organisationId, userId, expiresAt: new Date(Date.now() + 60_000) },
      createdAt: new Date(Date.now() - 100_000 + at),
      refreshTokenHash: randomBytes(32).toString('hex'),
    }));
    await manager.insert(SessionEntity, there);
    const { status } = await login(email, 'set by another admin');
    expect(status).toBe(200);
    expect(await manager.countBy(SessionEntity, { userId, organisationId })).toBe(100);
    expect(await manager.existsBy(SessionEntity, { id: there[0]?.id ?? '' })).toBe(false);
    expect((await self(token)).status).toBe(200);

    // Sessions that were logged out do not count.
    await manager.update(SessionEntity, { userId, organisationId }, { revokedAt: new Date() });
    const oldest = (await login(email, 'set by another admin')).body.auth_token;
    for (let times = 0; times < 2; times += 1) await login(email, 'set by another admin');
    expect(await manager.countBy(SessionEntity, { userId, organisationId })).toBe(3);
    expect((await self(oldest)).status).toBe(200);
  });

  it("ends a session with its user's membership", async () => {
    const { id, email } = await admin.user(ours.organisationId, 'admin');
    const { auth_token: token } = (await login(email)).body;
    await admin.dataSource.manager.update(OrganisationUserEntity, { userId: id }, { status: 'archived' });
    expect((await self(token)).status).toBe(401);
  });

  it('accepts a refresh token once; a second use ends the session, since the token was copied', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const first = (await login(email)).body;
    const refresh = (token: string): Promise<{ status: number; body: Tokens }> =>
      admin.post('/v2/auth/refresh', { body: { refresh_token: token } });
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect((await self(second.body.auth_token)).status).toBe(200);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
    expect((await self(second.body.auth_token)).status).toBe(401);
  });

  it('ends a session when an older refresh token is used, but not for a token of another form', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const refresh = (token: string): Promise<{ status: number; body: Tokens }> =>
      admin.post('/v2/auth/refresh', { body: { refresh_token: token } });
    const first = (await login(email)).body;
    const second = (await refresh(first.refresh_token)).body;
    const third = (await refresh(second.refresh_token)).body;
    const forged = `${first.refresh_token.slice(0, -1)}${first.refresh_token.endsWith('0') ? '1' : '0'}`;
    expect((await refresh(forged)).status).toBe(401);
    expect((await self(third.auth_token)).status).toBe(200);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await self(third.auth_token)).status).toBe(401);
    expect((await refresh(third.refresh_token)).status).toBe(401);
  });

  it('stores neither refresh tokens nor passwords in clear text', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const { refresh_token: token } = (await login(email)).body;
    const { manager } = admin.dataSource;
    const rows = JSON.stringify([await manager.find(SessionEntity), await manager.find(UserEntity)]);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(PASSWORD);
  });

  it('refuses tokens that are signed with another key, unsigned or expired', async () => {
    const { id, email } = await admin.user(ours.organisationId, 'owner');
    const { auth_token: token } = (await login(email)).body;
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sid: string;
    };
    const { sessionKey } = new Secrets(MASTER_KEY, SERVICE_TOKEN);
    const now = Math.floor(Date.now() / 1000);
    const sign = (key: Buffer, until: number): string =>
      signSessionToken(key, { sub: id, sid: claims.sid }, now - 7200, until);
    const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`;
    expect((await self(sign(sessionKey, now + 60))).status).toBe(200);
    expect((await self(sign(Buffer.alloc(32, 1), now + 60))).status).toBe(401);
    expect((await self(sign(sessionKey, now - 1))).status).toBe(401);
    expect((await self(none)).status).toBe(401);
    expect((await self(`${none}x`)).status).toBe(401);
  });

  it('[CTL-14 in part] describes the user of a session, and refuses an API key', async () => {
    const { id, email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'manager' });
    const token = await admin.login(email);
    const { body } = await admin.get('/v1/auth/self', { token });
    expect(body).toMatchObject({
      object: 'user',
      id,
      email,
      organisation: { id: ours.organisationId, role: 'member' },
      workspaces: [{ id: ours.workspaceId, role: 'manager' }],
      auth_type: 'session',
    });
    for (const key of [ours.key, ours.adminKey]) {
      const { status, body: refused } = await admin.get<Failure>('/v1/auth/self', { key });
      expect([status, refused.error.code]).toEqual([401, 'AB05']);
    }
  });

  it('prefers x-gw-api-key to Authorization, and accepts an API key as a bearer token', async () => {
    const { email } = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(email);
    expect((await admin.get('/v1/workspaces', { token: ours.key })).status).toBe(200);
    expect((await admin.get('/v1/workspaces', { key: 'nothing', token })).status).toBe(401);
  });

  it('limits a member to their workspaces, with the rights of their role in each', async () => {
    const second = await admin.workspace(ours.organisationId);
    const hidden = await admin.workspace(ours.organisationId);
    const { email } = await admin.user(ours.organisationId, 'member', {
      [ours.workspaceId]: 'admin',
      [second]: 'member',
    });
    const token = await admin.login(email);
    const { body } = await admin.get<{ data: { id: string }[] }>('/v1/workspaces', { token });
    expect(body.data.map(({ id }) => id).sort()).toEqual([ours.workspaceId, second].sort());
    const rename = (id: string): Promise<{ status: number }> =>
      admin.put(`/v1/workspaces/${id}`, { token, body: { description: 'x' } });
    expect((await rename(ours.workspaceId)).status).toBe(200);
    expect((await rename(second)).status).toBe(403);
    expect((await rename(hidden)).status).toBe(404);
    expect((await admin.get('/v1/admin/organisation', { token })).status).toBe(403);
  });
});
