import { AuditLogEntity, OrganisationUserEntity, SecondFactorEntity } from '@gw/entities';
import { signClientAddress } from '@gw/kernel';
import { PASSWORD, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import {
  ATTESTED,
  Authenticator,
  ORIGIN,
  PRESENT,
  type CeremonyOptions,
  type DeviceChanges,
} from '../../spec-support/authenticator';

let network = 0;
const elsewhere = (): Record<string, string> => {
  network += 1;
  const address = `10.8.${String(network >> 8)}.${String(network & 255)}`;
  return { 'x-gw-client-address': signClientAddress(SERVICE_TOKEN, address) };
};

describe('passkeys', () => {
  const admin = new TestAdminApi({ CONSOLE_URL: ORIGIN });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const post = <T = Failure>(path: string, body: object, token?: string): Promise<GatewayResponse<T>> =>
    admin.post<T>(`/v1/auth/${path}`, { headers: elsewhere(), body, ...(token && { token }) });
  const login = (
    email: string,
  ): Promise<GatewayResponse<{ object: string; challenge: string; factors: string[] }>> =>
    post('login', { email, password: PASSWORD });
  const creation = async (token: string): Promise<CeremonyOptions> =>
    (await post<{ options: CeremonyOptions }>('mfa/passkeys/options', { password: PASSWORD }, token)).body
      .options;
  const request = async (body: object = {}): Promise<CeremonyOptions> =>
    (await post<{ options: CeremonyOptions }>('login/passkey/options', body)).body.options;
  const enter = (body: object): Promise<GatewayResponse<Failure & { auth_token: string }>> =>
    post('login/passkey', body);

  /** Creates a user with a passkey. */
  const registered = async (): Promise<{
    id: string;
    email: string;
    token: string;
    device: Authenticator;
  }> => {
    const user = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(user.email);
    const device = new Authenticator();
    const done = await post<{ recovery_codes: string[] }>(
      'mfa/passkeys',
      { name: 'Laptop', response: device.create(await creation(token)) },
      token,
    );
    expect([done.status, done.body.recovery_codes.length]).toEqual([200, 10]);
    return { ...user, token, device };
  };

  it('registers, lists, renames and removes a passkey', async () => {
    const { id, email, token } = await registered();
    const { id: factorId } = await admin.dataSource.manager.findOneByOrFail(SecondFactorEntity, {
      userId: id,
    });
    expect(
      (await admin.post(`/v1/auth/mfa/factors/${factorId}/rename`, { token, body: { name: 'Key' } })).status,
    ).toBe(200);
    const list = await admin.get('/v1/auth/mfa', { token });
    expect(list.body).toMatchObject({ factors: [{ id: factorId, type: 'passkey', name: 'Key' }] });
    expect((await login(email)).body.factors).toEqual(['passkey', 'recovery_code']);
    const other = await registered();
    const path = `/v1/auth/mfa/factors/${factorId}/rename`;
    expect((await admin.post(path, { token: other.token, body: { name: 'x' } })).status).toBe(404);
    const proof = { password: PASSWORD };
    expect((await post(`mfa/factors/${factorId}/remove`, proof, other.token)).status).toBe(404);
    expect((await post(`mfa/factors/${factorId}/remove`, proof, token)).status).toBe(200);
    expect((await login(email)).body.object).toBe('session');
  });

  it('registers a passkey with a self attestation, which browsers may keep although none was requested', async () => {
    const user = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(user.email);
    const device = new Authenticator();
    const response = device.create(await creation(token), { packed: 'self' });
    expect((await post('mfa/passkeys', { response }, token)).status).toBe(200);
    expect((await enter({ response: device.get(await request()) })).status).toBe(200);
  });

  it('refuses registrations from another origin, host or user, with a forged or certified attestation, without user verification, and repeated ones', async () => {
    const user = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(user.email);
    expect((await post('mfa/passkeys/options', {}, token)).status).toBe(400);
    const wrong: readonly DeviceChanges[] = [
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
      { flags: PRESENT | ATTESTED },
      { format: 'packed' },
      { packed: 'forged' },
      { packed: 'certificate' },
    ];
    for (const changes of wrong) {
      const response = new Authenticator().create(await creation(token), changes);
      expect([changes, (await post('mfa/passkeys', { response }, token)).status]).toEqual([changes, 401]);
    }
    const response = new Authenticator().create(await creation(token));
    const stranger = await admin.user(ours.organisationId, 'owner');
    expect((await post('mfa/passkeys', { response }, await admin.login(stranger.email))).status).toBe(401);
    const forged = new Authenticator().create({ challenge: Buffer.from('forged').toString('base64url') });
    expect((await post('mfa/passkeys', { response: forged }, token)).status).toBe(401);
    const both = await Promise.all([1, 2].map(() => post('mfa/passkeys', { response }, token)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('logs in with a passkey alone, once for each challenge, even concurrently', async () => {
    const { id, device } = await registered();
    const options = await request();
    expect(options.allowCredentials ?? []).toEqual([]);
    const response = device.get(options);
    const all = await Promise.all(Array.from({ length: 5 }, () => enter({ response })));
    const opened = all.filter(({ status }) => status === 200);
    expect([opened.length, all.filter(({ status }) => status === 401).length]).toEqual([1, 4]);
    const token = opened[0]?.body.auth_token ?? '';
    expect((await admin.get('/v1/auth/mfa', { token })).body).toMatchObject({ session_factor: 'passkey' });
    const audit = await admin.dataSource.manager.findBy(AuditLogEntity, { userId: id, action: 'login' });
    expect(audit.some(({ after }) => JSON.stringify(after).includes('passkey'))).toBe(true);
  });

  it('refuses a passkey alone without user verification, from another origin or host, or with a decreased count', async () => {
    const { device } = await registered();
    const wrong: readonly DeviceChanges[] = [
      { flags: PRESENT },
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
    ];
    for (const changes of wrong) {
      const response = device.get(await request(), changes);
      expect([changes, (await enter({ response })).status]).toEqual([changes, 401]);
    }
    expect((await enter({ response: device.get(await request(), { counter: 9 }) })).status).toBe(200);
    expect((await enter({ response: device.get(await request(), { counter: 9 }) })).status).toBe(401);
    expect((await enter({ response: new Authenticator().get(await request()) })).status).toBe(401);
  });

  it('accepts a passkey only as the second factor of the login that requested it', async () => {
    const [mine, other] = [await registered(), await registered()];
    const challenge = (await login(mine.email)).body.challenge;
    const options = await request({ challenge });
    expect(options.allowCredentials).toHaveLength(1);
    // This is a signature for another login, for a login without a password, or of another user.
    const second = (await login(mine.email)).body.challenge;
    expect((await enter({ challenge: second, response: mine.device.get(options) })).status).toBe(401);
    expect((await enter({ challenge, response: mine.device.get(await request()) })).status).toBe(401);
    expect((await enter({ challenge, response: other.device.get(options) })).status).toBe(401);
    expect((await enter({ response: mine.device.get(options) })).status).toBe(401);
    const right = { challenge, response: mine.device.get(options, { flags: PRESENT, counter: 50 }) };
    expect((await enter(right)).status).toBe(200);
    expect((await enter(right)).status).toBe(401);
  });

  it('returns no options for a challenge that has had five attempts', async () => {
    const { email, device } = await registered();
    const { challenge } = (await login(email)).body;
    const options = () => post('login/passkey/options', { challenge });
    const wrong = { challenge, response: device.get(await request()) };
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect((await options()).status).toBe(200);
      expect((await enter(wrong)).status).toBe(401);
    }
    expect(await options()).toMatchObject({ status: 401, body: { error: { type: 'unauthenticated' } } });
  });

  it('logs in to no organisation to which the user does not belong, nor with a passkey of another organisation', async () => {
    const { id, device } = await registered();
    const there = { organisation_id: theirs.organisationId };
    expect((await enter({ ...there, response: device.get(await request()) })).status).toBe(401);
    const { manager } = admin.dataSource;
    await manager.insert(OrganisationUserEntity, {
      organisationId: theirs.organisationId,
      userId: id,
      role: 'member',
    });
    await manager.update(SecondFactorEntity, { userId: id }, { organisationId: ours.organisationId });
    expect((await enter({ ...there, response: device.get(await request()) })).status).toBe(401);
  });
});
