import { generateKeyPairSync } from 'node:crypto';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi } from '../../spec-support/admin-api';

const CONNECTIONS = '/v1/admin/organisation/sso-connections';

const rsa = (modulusLength: number): object =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' });
const ec = (namedCurve: string): object =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' });

describe('private keys of connections', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const save = async (key: object): Promise<unknown> => {
    const body = {
      name: uuidv7(),
      issuer: 'https://idp.example.org',
      client_id: 'tollgate',
      jwks: { keys: [key] },
    };
    const made = await api.post<{ error?: { param: string } }>(CONNECTIONS, { key: tenant.adminKey, body });
    return made.status === 200 ? 200 : made.body.error?.param;
  };

  it.each([
    ['RSA', rsa(2_048)],
    ['RSA for PS256', { ...rsa(2_048), alg: 'PS256', kid: 'a' }],
    ['P-256', ec('P-256')],
    ['P-384 without an algorithm', ec('P-384')],
  ])('can be %s', async (_, key) => {
    expect(await save(key)).toBe(200);
  });

  it.each([
    ['RSA of 1,024 bits', rsa(1_024)],
    ['a key without its modulus', { ...rsa(2_048), n: undefined }],
    ['a text', { kty: 'RSA', d: 'x' }],
    ['P-521', ec('P-521')],
    ['a key of another algorithm', { ...rsa(2_048), alg: 'RS512' }],
    ['a key for encryption', { ...rsa(2_048), use: 'enc' }],
    ['a key with an id that is no text', { ...rsa(2_048), kid: 7 }],
    ['a key with the name of a prototype as its algorithm', { ...rsa(2_048), alg: 'constructor' }],
  ])('cannot be %s, with which no login could sign', async (_, key) => {
    expect(await save(key)).toBe('jwks.keys.0');
  });
});
