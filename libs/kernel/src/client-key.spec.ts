import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { clientKeyForm, readClientKey, type ClientKeyUse } from './client-key';
import { VendorError } from './vendor-calls';

const ISSUER = 'https://as.example.com';
const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const ec = (namedCurve: string): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const p256 = ec('P-256');
const rsa2048 = rsa(2_048);
const use = (more: Partial<ClientKeyUse> = {}): ClientKeyUse => ({
  ...{ clientId: 'tollgate', issuer: ISSUER, keyId: null, algorithm: null, announced: [], now: Date.now() },
  ...more,
});
const assertionOf = (text: string, more: Partial<ClientKeyUse> = {}): string =>
  String(clientKeyForm(text, use(more))['client_assertion']);

describe('clientKeyForm', () => {
  it.each<[string, KeyObject, readonly string[], string]>([
    ['RSA', rsa2048, [], 'RS256'],
    ['RSA where the server accepts only PS256', rsa2048, ['PS256'], 'PS256'],
    [
      'RSA where the server accepts PS384 and symmetric algorithms',
      rsa2048,
      ['none', 'HS256', 'PS384'],
      'PS384',
    ],
    ['P-256', p256, [], 'ES256'],
    ['P-384', ec('P-384'), ['ES256', 'ES384'], 'ES384'],
    ['Ed25519', generateKeyPairSync('ed25519').privateKey, [], 'EdDSA'],
  ])('signs an assertion with a key of %s that the server can verify', async (_what, key, announced, alg) => {
    const assertion = assertionOf(pem(key), { announced });
    const { payload, protectedHeader } = await jwtVerify(assertion, createPublicKey(key), {
      ...{ issuer: 'tollgate', subject: 'tollgate', audience: ISSUER, algorithms: [alg] },
    });
    expect(protectedHeader).toEqual({ alg, typ: 'JWT' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(60);
    expect(payload.aud).toBe(ISSUER);
  });

  it('signs a new assertion for each request', () => {
    const [one, other] = [assertionOf(pem(p256)), assertionOf(pem(p256))];
    expect(one).not.toBe(other);
  });

  it('sends the id of the client and no secret', () => {
    const form = clientKeyForm(pem(p256), use());
    expect(form).toEqual({
      client_id: 'tollgate',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: expect.any(String),
    });
  });

  it('sends the key id that the administrator set, else the id of the JSON Web Key', () => {
    const jwk = JSON.stringify({ ...p256.export({ format: 'jwk' }), kid: 'jwk-id' });
    expect(decodeProtectedHeader(assertionOf(jwk)).kid).toBe('jwk-id');
    expect(decodeProtectedHeader(assertionOf(jwk, { keyId: 'set-id' })).kid).toBe('set-id');
    expect(decodeProtectedHeader(assertionOf(pem(p256), { keyId: 'set-id' })).kid).toBe('set-id');
  });

  it.each<[string, Partial<ClientKeyUse>]>([
    ['the server accepts only unsigned and symmetric tokens', { announced: ['none', 'HS256'] }],
    ['the server accepts only algorithms of another key type', { announced: ['RS256', 'PS256'] }],
    ['the administrator chose an algorithm of another key type', { algorithm: 'RS256' }],
    ['the server does not accept the chosen algorithm', { algorithm: 'ES256', announced: ['ES384'] }],
  ])('throws where %s', (_what, more) => {
    expect(() => assertionOf(pem(p256), more)).toThrow(VendorError);
  });

  it('throws for a text that is no key, and does not repeat the text', () => {
    expect(() => assertionOf('my-secret-text')).toThrow(/^The key of the client must be a private key/);
    expect(() => assertionOf('my-secret-text')).not.toThrow(/my-secret-text/);
  });
});

describe('readClientKey', () => {
  const encrypted = p256.export({
    format: 'pem',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  });

  it('reads PKCS #1, SEC 1 and JSON Web Keys', () => {
    expect(readClientKey(rsa2048.export({ format: 'pem', type: 'pkcs1' }) as string)).not.toBeNull();
    expect(readClientKey(p256.export({ format: 'pem', type: 'sec1' }) as string)).not.toBeNull();
    expect(readClientKey(JSON.stringify(rsa2048.export({ format: 'jwk' })))).not.toBeNull();
  });

  it.each<[string, string]>([
    ['a public key', createPublicKey(p256).export({ format: 'pem', type: 'spki' }) as string],
    ['a public JSON Web Key', JSON.stringify(createPublicKey(p256).export({ format: 'jwk' }))],
    ['a key with a passphrase', encrypted as string],
    ['a short RSA key', pem(rsa(1_024))],
    ['another curve', pem(ec('secp256k1'))],
    ['a key for agreement', pem(generateKeyPairSync('x25519').privateKey)],
    ['a symmetric JSON Web Key', '{"kty":"oct","k":"c2VjcmV0"}'],
    ['a JSON value that is no key', '{"kty":{"a":1}}'],
    ['an empty text', ''],
    ['a text that is too long', ` ${pem(p256)}${' '.repeat(8_192)}`],
  ])('refuses %s', (_what, text) => {
    expect(readClientKey(text)).toBeNull();
  });
});
