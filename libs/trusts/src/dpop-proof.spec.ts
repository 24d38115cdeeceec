import { ecKeyPair, hmacOf, ProofKey, rsaKeyPair } from '@gw/testing';
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { checkProof, ProofFault } from './dpop-proof';

const TOKEN = `pat_${'t'.repeat(43)}`;
const REQUEST = { token: TOKEN, method: 'POST', url: 'https://gateway.example.com/v1/chat/completions' };

describe('checkProof (DPoP)', () => {
  const now = Math.floor(Date.now() / 1_000);
  const key = new ProofKey();
  const request = { ...REQUEST, thumbprint: key.thumbprint };
  const check = (proof: string, more: object = {}): unknown => {
    try {
      return checkProof(proof, { ...request, ...more }, now);
    } catch (error) {
      if (error instanceof ProofFault) return error.message;
      throw error;
    }
  };
  const other = new ProofKey();

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])(
    'accepts a proof of another library with algorithm %s',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const jwk = await exportJWK(publicKey);
      const proof = await new SignJWT({
        ...{ jti: 'one', htm: 'POST', htu: `${REQUEST.url}?a=1#b` },
        ath: createHash('sha256').update(TOKEN).digest('base64url'),
      })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk })
        .setIssuedAt(now)
        .sign(privateKey);
      const thumbprint = await calculateJwkThumbprint(jwk);
      expect(check(proof, { thumbprint, url: REQUEST.url })).toEqual({ id: 'one', usableUntil: now + 300 });
    },
  );

  const proof = (claims: object, header: object = {}): string => key.proof(request, claims, header);
  const private_ = { ...key.pair.jwk, ...key.pair.privateKey.export({ format: 'jwk' }) };
  const hmac = (): string => {
    const [header = '', payload = ''] = proof({}, { alg: 'HS256' }).split('.');
    return `${header}.${payload}.${hmacOf('secret', `${header}.${payload}`).toString('base64url')}`;
  };

  it.each<[string, string | (() => string), string]>([
    ['no JWT', 'x', 'it must be a JWT'],
    ['another method', proof({ htm: 'GET' }), 'htm is another method'],
    ['another path', proof({ htu: 'https://gateway.example.com/v1/models' }), 'htu is another URL'],
    ['another host', proof({ htu: REQUEST.url.replace('gateway', 'evil') }), 'htu is another URL'],
    ['another scheme', proof({ htu: REQUEST.url.replace('https', 'http') }), 'htu is another URL'],
    ['no URL', proof({ htu: 'x' }), 'htu is another URL'],
    ['another token', proof({ ath: 'x' }), 'ath is of another token'],
    ['no token', proof({ ath: undefined }), 'ath is of another token'],
    ['an old one', proof({ iat: now - 301 }), 'iat must be a time of the last five minutes'],
    ['one of the future', proof({ iat: now + 120 }), 'iat must be a time of the last five minutes'],
    ['a time as text', proof({ iat: String(now) }), 'iat must be a time of the last five minutes'],
    ['no id', proof({ jti: undefined }), 'jti must be a text of at most 512 characters'],
    ['a long id', proof({ jti: 'x'.repeat(513) }), 'jti must be a text of at most 512 characters'],
    ['another type', proof({}, { typ: 'JWT' }), 'typ must be dpop+jwt'],
    ['critical members', proof({}, { crit: ['x'] }), 'the header must not have crit'],
    ['no algorithm', proof({}, { alg: 'none' }), 'alg must be one of ES256, EdDSA, RS256, PS256'],
    ['a shared secret', hmac, 'alg must be one of ES256, EdDSA, RS256, PS256'],
    ['no key', proof({}, { jwk: undefined }), 'jwk must be a public key'],
    ['a private key', proof({}, { jwk: private_ }), 'jwk must be a public key'],
    ['a symmetric key', proof({}, { jwk: { kty: 'oct', k: 'eA' } }), 'jwk must be a public key'],
    [
      'a weak key',
      new ProofKey(rsaKeyPair('r', 1_024)).proof(request),
      'jwk must be an RSA, EC or Ed25519 key of good length',
    ],
    ['another key', other.proof(request), 'its key is not that of the token'],
    [
      'a key that did not sign the proof',
      other.proof(request, {}, { jwk: key.pair.jwk }),
      'its signature is not right',
    ],
    [
      'an algorithm that does not fit its key',
      new ProofKey(ecKeyPair('e')).proof(request, {}, { jwk: key.pair.jwk, alg: 'RS256' }),
      'its signature is not right',
    ],
  ])('refuses a proof with %s', (_, made, message) => {
    expect(check(typeof made === 'string' ? made : made())).toBe(message);
  });
});
