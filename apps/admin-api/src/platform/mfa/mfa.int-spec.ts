import {
  AuditLogEntity,
  OrganisationUserEntity,
  RecoveryCodeEntity,
  SecondFactorEntity,
  UserEntity,
} from '@gw/entities';
import { signClientAddress, uuidv7 } from '@gw/kernel';
import { generateSync } from 'otplib';
import { resetLink } from '../../reset-password';
import {
  MASTER_KEY,
  PASSWORD,
  SERVICE_TOKEN,
  TestAdminApi,
  type GatewayResponse,
} from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { hashPassword } from '../auth/passwords';

interface LoginBody extends Failure {
  readonly auth_token: string;
  readonly challenge: string;
  readonly factors: readonly string[];
  readonly object: string;
}
interface Enrolled {
  readonly token: string;
  readonly secret: string;
  readonly factorId: string;
  readonly codes: readonly string[];
}

const STEP_SECONDS = 30;

/**
 * Returns the code of the next time step, which is accepted too, or of another nearby step. The
 * current one confirms an enrolment.
 */
const codeAt = (secret: string, step = 1): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + step * STEP_SECONDS });

let network = 0;
/**
 * Returns the headers of a client in another network for each call, so that the network throttle
 * does not affect the test.
 */
const elsewhere = (): Record<string, string> => {
  network += 1;
  const address = `10.7.${String(network >> 8)}.${String(network & 255)}`;
  return { 'x-gw-client-address': signClientAddress(SERVICE_TOKEN, address) };
};

describe('second factors', () => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const post = <T = Failure>(path: string, body: object, token?: string): Promise<GatewayResponse<T>> =>
    admin.post<T>(`/v1/auth/${path}`, {
      headers: elsewhere(),
      body,
      ...(token === undefined ? {} : { token }),
    });
  const login = (email: string, more: object = {}): Promise<GatewayResponse<LoginBody>> =>
    post('login', { email, password: PASSWORD, ...more });
  const challengeOf = async (email: string): Promise<string> => (await login(email)).body.challenge;
  const answer = (challenge: string, code: string): Promise<GatewayResponse<LoginBody>> =>
    post('login/mfa', { challenge, code });

  /** Enrols an authenticator app. */
  const enrol = async (token: string, proof: object = { password: PASSWORD }): Promise<Enrolled> => {
    const begun = await post<{ id: string; secret: string }>('mfa/totp', proof, token);
    expect(begun.status).toBe(200);
    const { id, secret } = begun.body;
    const done = await post<{ recovery_codes: string[] }>(
      'mfa/totp/confirm',
      { id, code: codeAt(secret, 0) },
      token,
    );
    expect(done.status).toBe(200);
    return { token, secret, factorId: id, codes: done.body.recovery_codes };
  };
  const owner = (): Promise<{ id: string; email: string }> => admin.user(ours.organisationId, 'owner');
  const self = async (token: string): Promise<number> => (await admin.get('/v1/auth/self', { token })).status;

  it('requires an authenticator app only after its first code, then returns a challenge instead of a session', async () => {
    const { id, email } = await owner();
    const token = await admin.login(email);
    const other = await admin.login(email);
    const begun = await post<{ id: string; secret: string; otpauth_uri: string }>(
      'mfa/totp',
      { password: PASSWORD, name: 'Phone' },
      token,
    );
    expect(begun.body.otpauth_uri).toContain(encodeURIComponent(email));
    expect((await login(email)).body.object).toBe('session');
    const wrong = await post('mfa/totp/confirm', { id: begun.body.id, code: '000000' }, token);
    expect(wrong.status).toBe(401);
    const first = { id: begun.body.id, code: codeAt(begun.body.secret, 0) };
    const done = await post<{ recovery_codes: string[] }>('mfa/totp/confirm', first, token);
    expect([done.status, done.body.recovery_codes.length]).toEqual([200, 10]);
    // Sessions without the new factor end.
    expect([await self(token), await self(other)]).toEqual([200, 401]);
    const row = await admin.dataSource.manager.findOneByOrFail(SecondFactorEntity, { userId: id });
    expect(row.sealedSecret).not.toContain(begun.body.secret);
    const second = await login(email);
    expect(second.body).toMatchObject({ object: 'mfa-challenge', factors: ['totp', 'recovery_code'] });
    expect(second.body.auth_token).toBeUndefined();
    const list = await admin.get('/v1/auth/mfa', { token });
    expect(list.body).toMatchObject({
      factors: [{ id: begun.body.id, name: 'Phone', type: 'totp' }],
      recovery_codes_left: 10,
      session_factor: 'totp',
    });
    expect(list.text).not.toContain(begun.body.secret);
  });

  it('opens one session for one code that two logins send at the same time', async () => {
    const { email } = await owner();
    const { secret } = await enrol(await admin.login(email));
    const challenges = [await challengeOf(email), await challengeOf(email)];
    const [earlier, code] = [codeAt(secret, 0), codeAt(secret)];
    const responses = await Promise.all(challenges.map((challenge) => answer(challenge, code)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await answer(await challengeOf(email), code)).status).toBe(401);
    // A code of an earlier step is still refused although its step was never used.
    expect((await answer(await challengeOf(email), earlier)).status).toBe(401);
  });

  it('opens one session for one challenge to which two calls send different codes', async () => {
    const { email } = await owner();
    const { codes } = await enrol(await admin.login(email));
    const challenge = await challengeOf(email);
    const responses = await Promise.all(codes.slice(0, 4).map((code) => answer(challenge, code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('accepts a recovery code once when 20 logins send it at the same time', async () => {
    const { id, email } = await owner();
    const { codes } = await enrol(await admin.login(email));
    const challenges: string[] = [];
    for (let i = 0; i < 20; i += 1) challenges.push(await challengeOf(email));
    const code = (codes[0] ?? '').toUpperCase().replaceAll('-', ' ');
    const responses = await Promise.all(challenges.map((challenge) => answer(challenge, code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(19);
    expect(await admin.dataSource.manager.countBy(RecoveryCodeEntity, { userId: id })).toBe(9);
  });

  it('responds to a wrong password of a user with a factor in the same way as to an unknown user', async () => {
    const { email } = await owner();
    await enrol(await admin.login(email));
    const responses = [
      await post('login', { email, password: 'wrong' }),
      await post('login', { email: 'nobody@example.com', password: 'wrong' }),
    ];
    const [known, unknown] = responses.map(({ status, body }) => ({
      status,
      error: { ...body.error, request_id: '' },
    }));
    expect(known).toEqual(unknown);
    expect(known?.status).toBe(401);
    expect((await answer('x'.repeat(43), '123456')).status).toBe(401);
  });

  it('ends a challenge after five codes, and audits each wrong code', async () => {
    const { id, email } = await owner();
    const { secret } = await enrol(await admin.login(email));
    const challenge = await challengeOf(email);
    const wrong = codeAt(secret) === '000000' ? '000001' : '000000';
    for (let i = 0; i < 5; i += 1) expect((await answer(challenge, wrong)).status).toBe(401);
    expect((await answer(challenge, codeAt(secret))).status).toBe(401);
    const refused = await admin.dataSource.manager.countBy(AuditLogEntity, {
      ...{ userId: id, action: 'login', responseStatusCode: 401 },
    });
    expect(refused).toBe(5);
    expect((await answer(await challengeOf(email), codeAt(secret))).status).toBe(200);
  });

  it('refuses codes after ten wrong ones from different networks, and still accepts a recovery code', async () => {
    const { email } = await owner();
    const { secret, codes } = await enrol(await admin.login(email));
    const wrong = codeAt(secret) === '000000' ? '000001' : '000000';
    for (let round = 0; round < 2; round += 1) {
      const challenge = await challengeOf(email);
      for (let i = 0; i < 5; i += 1) expect((await answer(challenge, wrong)).status).toBe(401);
    }
    const late = await answer(await challengeOf(email), codeAt(secret));
    expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await answer(await challengeOf(email), codes[1] ?? '')).status).toBe(200);
  });

  it('throttles a network that tries codes of one user', async () => {
    const { email } = await owner();
    const { codes } = await enrol(await admin.login(email));
    const headers = elsewhere();
    // The clock does not advance, because a slow machine logs in for longer than the first wait.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const statuses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const body = { challenge: await challengeOf(email), code: 'not-a-code' };
      statuses.push((await admin.post('/v1/auth/login/mfa', { headers, body })).status);
    }
    clock.mockRestore();
    expect(statuses.slice(-1)).toEqual([429]);
    expect((await answer(await challengeOf(email), codes[0] ?? '')).status).toBe(200);
  });

  it('changes no factors for a session alone, nor for the password in a session without a factor', async () => {
    const { id, email } = await owner();
    const token = await admin.login(email);
    for (const proof of [{}, { password: PASSWORD, code: '123456' }]) {
      expect((await post('mfa/totp', proof, token)).status).toBe(400);
    }
    expect((await post('mfa/totp', { password: 'wrong' }, token)).status).toBe(401);
    const { secret, factorId, codes } = await enrol(token);
    // The session is like one from single sign-on, which requires no factor.
    await admin.dataSource.query(`UPDATE sessions SET mfa = NULL WHERE user_id = $1`, [id]);
    const remove = `mfa/factors/${factorId}/remove`;
    for (const path of ['mfa/totp', 'mfa/recovery-codes', remove]) {
      expect((await post(path, { password: PASSWORD }, token)).status).toBe(403);
      expect((await post(path, { code: 'wrong' }, token)).status).toBe(401);
    }
    const renewed = await post<{ recovery_codes: string[] }>(
      'mfa/recovery-codes',
      { code: codeAt(secret) },
      token,
    );
    expect(renewed.body.recovery_codes).toHaveLength(10);
    expect((await post(remove, { code: codes[0] ?? '' }, token)).status).toBe(401);
    expect((await post(remove, { code: renewed.body.recovery_codes[0] ?? '' }, token)).status).toBe(200);
    expect((await login(email)).body.object).toBe('session');
    expect(await admin.dataSource.manager.countBy(RecoveryCodeEntity, { userId: id })).toBe(0);
    const actions = await admin.dataSource.manager.findBy(AuditLogEntity, { userId: id });
    const seen = actions.map(({ action, resourceType }) => `${resourceType} ${action}`);
    for (const one of ['mfa create', 'mfa_recovery_codes rotate', 'mfa delete', 'mfa prove']) {
      expect(seen).toContain(one);
    }
  });

  it('keeps factors when the password is reset, and ends logins that wait for a factor', async () => {
    const boss = await owner();
    const target = await admin.user(ours.organisationId, 'member');
    const { codes } = await enrol(await admin.login(target.email));
    const challenge = await challengeOf(target.email);
    const { body } = await admin.post<{ reset_link: string }>(`/v1/users/${target.id}/password-reset`, {
      token: await admin.login(boss.email),
    });
    const password = 'quiet lamp under seven rivers';
    const token = body.reset_link.split('/').at(-1);
    expect((await post('password/reset', { token, password })).status).toBe(200);
    expect((await answer(challenge, codes[0] ?? '')).status).toBe(401);
    const again = await login(target.email, { password });
    expect(again.body.object).toBe('mfa-challenge');
    expect((await answer(again.body.challenge, codes[0] ?? '')).status).toBe(200);
  });

  it('accepts factors that were set up with the password of one organisation in no other organisation', async () => {
    const { id, email } = await owner();
    const { manager } = admin.dataSource;
    // Another organisation has set a password for this address, without proof of the address.
    const passwordHash = await hashPassword('nine green kites over water');
    const seat = { organisationId: theirs.organisationId, userId: id, role: 'member' as const };
    await manager.insert(OrganisationUserEntity, { ...seat, passwordHash });
    const there = { password: 'nine green kites over water', organisation_id: theirs.organisationId };
    const intruder = (await login(email, there)).body.auth_token;
    const { codes } = await enrol(intruder, { password: there.password });
    expect((await login(email, { organisation_id: ours.organisationId })).body.object).toBe('session');
    const challenge = (await login(email, there)).body;
    expect(challenge.object).toBe('mfa-challenge');
    // Even when the user's own password is valid there too, the factors of that organisation reach
    // no others.
    await manager.update(
      OrganisationUserEntity,
      { userId: id, organisationId: theirs.organisationId },
      {
        passwordHash: null,
      },
    );
    const more = await post<{ id: string; secret: string }>('mfa/totp', { code: codes[0] ?? '' }, intruder);
    expect(more.status).toBe(200);
    const rows = await manager.findBy(SecondFactorEntity, { userId: id });
    expect(rows.map(({ organisationId }) => organisationId)).toEqual([
      theirs.organisationId,
      theirs.organisationId,
    ]);
    expect((await login(email, { organisation_id: ours.organisationId })).body.object).toBe('session');
  });

  it('lets a user of the same or a higher role reset factors, ends the sessions, and audits the reset', async () => {
    const [boss, chief, target] = [
      await admin.user(ours.organisationId, 'admin'),
      await owner(),
      await admin.user(ours.organisationId, 'member'),
    ];
    const chiefs = await enrol(await admin.login(chief.email));
    const targets = await enrol(await admin.login(target.email));
    const reset = (userId: string, by: object): Promise<GatewayResponse> =>
      admin.post(`/v1/users/${userId}/mfa-reset`, by);
    const token = await admin.login(boss.email);
    expect((await reset(chief.id, { token })).status).toBe(403);
    expect((await reset(target.id, { key: ours.adminKey })).status).toBe(403);
    expect((await reset(target.id, { token: targets.token })).status).toBe(403);
    expect((await reset(chief.id, { token: chiefs.token })).status).toBe(403);
    const stranger = await admin.user(theirs.organisationId, 'owner');
    expect((await reset(target.id, { token: await admin.login(stranger.email) })).status).toBe(404);
    expect((await reset(target.id, { token })).status).toBe(200);
    expect(await self(targets.token)).toBe(401);
    expect((await login(target.email)).body.object).toBe('session');
    const audits = await admin.dataSource.manager.findBy(AuditLogEntity, {
      ...{ resourceType: 'mfa', action: 'reset', resourceId: target.id, responseStatusCode: 200 },
    });
    expect(audits.map(({ userId }) => userId)).toEqual([boss.id]);
    // The factors of a member of other organisations protect those too.
    const shared = await admin.user(ours.organisationId, 'member');
    await enrol(await admin.login(shared.email));
    const seat = { organisationId: theirs.organisationId, userId: shared.id, role: 'owner' as const };
    await admin.dataSource.manager.insert(OrganisationUserEntity, seat);
    expect((await reset(shared.id, { token })).status).toBe(403);
    expect((await login(shared.email)).body.object).toBe('mfa-challenge');
  });

  it('removes the factors of a user when the operator of the machine requests it, and audits the removal', async () => {
    const { id, email } = await owner();
    await enrol(await admin.login(email));
    const environment = {
      DATABASE_URL: admin.database.url,
      ENCRYPTION_KEY: MASTER_KEY.toString('base64'),
    };
    const seat = { organisationId: theirs.organisationId, userId: id, role: 'member' as const };
    await admin.dataSource.manager.insert(OrganisationUserEntity, seat);
    await resetLink(environment, email);
    expect((await login(email)).body.object).toBe('mfa-challenge');
    const token = (await resetLink(environment, email, true)).split('/').at(-1);
    const password = 'quiet lamp under seven rivers';
    expect((await post('password/reset', { token, password })).status).toBe(200);
    expect((await login(email, { password })).body.object).toBe('session');
    const audit = await admin.dataSource.manager.findBy(AuditLogEntity, {
      ...{ resourceType: 'mfa', action: 'reset', resourceId: id },
    });
    expect(audit.map(({ userType, organisationId }) => [userType, organisationId]).sort()).toEqual(
      [ours, theirs].map(({ organisationId }) => ['system', organisationId]).sort(),
    );
  });

  it('allows three authenticator apps', async () => {
    const { id, email } = await owner();
    const token = await admin.login(email);
    await enrol(token);
    await enrol(token);
    await enrol(token);
    expect((await post('mfa/totp', { password: PASSWORD }, token)).status).toBe(409);
    expect(await admin.dataSource.manager.countBy(SecondFactorEntity, { userId: id })).toBe(3);
  });

  it('refuses an enrolment that is unknown, another user’s, or older than ten minutes', async () => {
    const [mine, other] = [await owner(), await owner()];
    const token = await admin.login(mine.email);
    const begun = await post<{ id: string; secret: string }>('mfa/totp', { password: PASSWORD }, token);
    const confirm = { id: begun.body.id, code: codeAt(begun.body.secret) };
    expect((await post('mfa/totp/confirm', confirm, await admin.login(other.email))).status).toBe(404);
    expect((await post('mfa/totp/confirm', { ...confirm, id: uuidv7() }, token)).status).toBe(404);
    await admin.dataSource.query(
      `UPDATE second_factors SET created_at = now() - interval '11 minutes' WHERE id = $1`,
      [confirm.id],
    );
    expect((await post('mfa/totp/confirm', confirm, token)).status).toBe(404);
  });

  it('refuses a code from a user who has been deactivated since sending the password', async () => {
    const { id, email } = await owner();
    const { codes } = await enrol(await admin.login(email));
    const challenge = await challengeOf(email);
    await admin.dataSource.manager.update(UserEntity, { id }, { status: 'archived' });
    expect((await answer(challenge, codes[0] ?? '')).status).toBe(401);
  });

  it('lets a session by password without a factor only add one when the organisation requires a factor', async () => {
    const { organisationId, adminKey } = await admin.tenant();
    const boss = await admin.user(organisationId, 'owner');
    const member = await admin.user(organisationId, 'owner');
    const path = '/v1/admin/organisation/settings';
    const require = (by: object, require_mfa: boolean): Promise<GatewayResponse<Failure>> =>
      admin.put(path, { ...by, body: { session_settings: { require_mfa } } });
    const token = await admin.login(boss.email);
    for (const by of [{ token }, { key: adminKey }]) {
      const { status, body } = await require(by, true);
      expect([status, body.error.param]).toEqual([403, 'session_settings.require_mfa']);
    }
    const { factorId, codes } = await enrol(token);
    const early = await admin.login(member.email);
    expect((await require({ token }, true)).status).toBe(200);
    for (const narrow of [early, await admin.login(member.email)]) {
      const refused = await admin.get<Failure>(path, { token: narrow });
      expect([refused.status, refused.body.error.type]).toEqual([403, 'mfa_required']);
      for (const way of ['keys', 'password', 'permissions'] as const) {
        const url = way === 'keys' ? '/v1/api-keys' : `/v1/auth/${way}`;
        const method = way === 'password' ? 'POST' : 'GET';
        const { body } = await admin.call<Failure>(method, url, { token: narrow });
        expect(body.error.type).toBe('mfa_required');
      }
      expect(await self(narrow)).toBe(200);
    }
    expect((await admin.get(path, { key: adminKey })).status).toBe(200);
    // A session from single sign-on is not affected.
    await admin.dataSource.query(
      `UPDATE sessions SET by_password = false WHERE user_id = $1 AND created_at =
         (SELECT min(created_at) FROM sessions WHERE user_id = $1)`,
      [member.id],
    );
    expect((await admin.get(path, { token: early })).status).toBe(200);
    const last = await admin.login(member.email);
    await enrol(last);
    expect((await admin.get(path, { token: last })).status).toBe(200);
    expect((await require({ key: adminKey }, false)).status).toBe(403);
    // Without the last factor, a session may again only add one.
    const removal = await post(`mfa/factors/${factorId}/remove`, { code: codes[0] ?? '' }, token);
    expect(removal.status).toBe(200);
    expect((await admin.get(path, { token })).status).toBe(403);
    await enrol(token);
    expect((await require({ token }, false)).status).toBe(200);
  });
});
