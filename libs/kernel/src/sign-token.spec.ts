import { generateKeyPairSync } from 'node:crypto';
import { isSigned, readSigningKey } from './signing-keys';
import { signToken, tokenKey } from './sign-token';

describe('signToken', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'k1' };

  it('signs claims so that the published key verifies them', () => {
    const token = signToken(tokenKey(jwk), { sub: 'ada', n: 1 });
    const [header = '', payload = '', signature = ''] = token.split('.');
    const read = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
    expect(read(header)).toEqual({ alg: 'ES256', kid: 'k1', typ: 'JWT' });
    expect(read(payload)).toEqual({ sub: 'ada', n: 1 });
    const { d: _d, ...open } = jwk;
    const key = readSigningKey(open);
    const signed = (text: string): boolean =>
      key !== null &&
      isSigned(key, {
        algorithm: 'ES256',
        signed: Buffer.from(text),
        signature: Buffer.from(signature, 'base64url'),
      });
    expect(signed(`${header}.${payload}`)).toBe(true);
    expect(signed(`${header}.${payload}x`)).toBe(false);
  });

  it('refuses keys of other curves and keys without an id', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });
    for (const wrong of [
      { ...other, kid: 'k1' },
      { ...jwk, kid: undefined },
    ])
      expect(() => tokenKey(wrong)).toThrow('the curve P-256');
  });
});
