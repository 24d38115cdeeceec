import { createHash, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { keyProof, newProofKey, readNonce, readProofKey } from './key-proof';

describe('keyProof', () => {
  const call = {
    ...{ method: 'POST', url: 'https://mcp.example.com/mcp?tenant=1#a', accessToken: 'the-token' },
    ...{ nonce: 'n-1', now: Date.now() },
  };

  it('proves the key for one method, address, token and nonce', async () => {
    const text = await newProofKey();
    const { payload, protectedHeader } = await jwtVerify(keyProof(readProofKey(text), call), EmbeddedJWK);
    expect(payload).toEqual({
      ...{ htm: 'POST', htu: 'https://mcp.example.com/mcp', nonce: 'n-1', jti: expect.any(String) },
      ...{ iat: expect.any(Number), ath: createHash('sha256').update('the-token').digest('base64url') },
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'dpop+jwt' });
    expect(await calculateJwkThumbprint(protectedHeader.jwk ?? {})).toBe(
      await calculateJwkThumbprint(text as never),
    );
  });

  it('contains only the public part of the key', async () => {
    const proof = keyProof(readProofKey(await newProofKey()), call);
    const header = JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString()) as object;
    expect(Object.keys((header as { jwk: object }).jwk)).toEqual(['kty', 'crv', 'x', 'y']);
  });

  it('omits an absent token and nonce, and has a unique id', async () => {
    const key = readProofKey(await newProofKey());
    const proofs = [1, 2].map(() => keyProof(key, { ...call, accessToken: null, nonce: null }));
    const payloads = await Promise.all(
      proofs.map(async (proof) => (await jwtVerify(proof, EmbeddedJWK)).payload),
    );
    expect(Object.keys(payloads[0] ?? {})).toEqual(['jti', 'htm', 'htu', 'iat']);
    expect(payloads[0]?.jti).not.toBe(payloads[1]?.jti);
  });

  it('throws for a key of another curve', () => {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });
    expect(() => readProofKey(jwk as never)).toThrow();
  });
});

describe('readNonce', () => {
  it('accepts 1 to 512 visible characters', () => {
    expect(readNonce('abc.DEF-1_2~')).toBe('abc.DEF-1_2~');
    for (const header of ['', 'a b', 'a"b', 'ä', 'a\r\nb', 'x'.repeat(513), null, undefined])
      expect(readNonce(header)).toBeNull();
  });
});
