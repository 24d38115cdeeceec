import { AuditLogEntity, OrganisationUserEntity, SecondFactorEntity } from '@gw/entities';
import { signClientAddress } from '@gw/kernel';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { PASSWORD, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const ORIGIN = 'https://gateway.example.com';
const RP_ID = 'gateway.example.com';
const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly user?: { readonly id: string };
  readonly allowCredentials?: readonly { readonly id: string }[];
}
interface Changes {
  readonly origin?: string;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly format?: string;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** A software authenticator with one ES256 key. */
class Authenticator {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly id = randomBytes(32);
  private handle = '';
  private count = 0;

  create({ challenge, user }: Options, changes: Changes = {}): object {
    this.handle = user?.id ?? '';
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const data = this.data({ flags: PRESENT | VERIFIED | ATTESTED, ...changes }, attested);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...['fmt', changes.format ?? 'none', 'attStmt'].map(cborText),
      Buffer.from([0xa0]),
      cborText('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    const client = clientData('webauthn.create', challenge, changes);
    return this.credential({
      clientDataJSON: client.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
    });
  }

  get({ challenge }: Options, changes: Changes = {}): object {
    this.count += 1;
    const data = this.data({ flags: PRESENT | VERIFIED, counter: this.count, ...changes });
    const client = clientData('webauthn.get', challenge, changes);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey);
    return this.credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: this.handle,
    });
  }

  private data({ rpId = RP_ID, flags = 0, counter = 0 }: Changes, attested = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested]);
  }

  private credential(response: object): object {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

const clientData = (type: string, challenge: string, { origin = ORIGIN }: Changes): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

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
  const creation = async (token: string): Promise<Options> =>
    (await post<{ options: Options }>('mfa/passkeys/options', { password: PASSWORD }, token)).body.options;
  const request = async (body: object = {}): Promise<Options> =>
    (await post<{ options: Options }>('login/passkey/options', body)).body.options;
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

  it('refuses registrations from another origin, host or user, in another format, without user verification, and repeated ones', async () => {
    const user = await admin.user(ours.organisationId, 'owner');
    const token = await admin.login(user.email);
    expect((await post('mfa/passkeys/options', {}, token)).status).toBe(400);
    const wrong: readonly Changes[] = [
      { origin: 'https://evil.example.com' },
      { rpId: 'evil.example.com' },
      { flags: PRESENT | ATTESTED },
      { format: 'packed' },
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
    const wrong: readonly Changes[] = [
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
