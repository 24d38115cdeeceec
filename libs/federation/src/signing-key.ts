import { webcrypto } from 'node:crypto';
import type { PrivateKey } from 'openid-client';

/** A private key as a JWK (RFC 7517). */
export interface PrivateJwk {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly [member: string]: unknown;
}

const ALGORITHMS: ReadonlyMap<string, { readonly name: string; hash?: string; namedCurve?: string }> =
  new Map([
    ['RS256', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
    ['PS256', { name: 'RSA-PSS', hash: 'SHA-256' }],
    ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
    ['ES384', { name: 'ECDSA', namedCurve: 'P-384' }],
  ]);
const RSA_MIN = 2_048;

/**
 * Returns the key that signs assertions at a provider: RSA of at least 2,048 bits, P-256 or P-384.
 * Rejects for a key that cannot sign.
 */
export async function signingKey(jwk: PrivateJwk): Promise<PrivateKey> {
  const algorithm = ALGORITHMS.get(jwk.alg ?? usualAlgorithm(jwk));
  if (algorithm === undefined) throw new Error('the algorithm is not supported');
  const key = await webcrypto.subtle.importKey('jwk', jwk as webcrypto.JsonWebKey, algorithm, false, [
    'sign',
  ]);
  const { modulusLength = RSA_MIN } = key.algorithm as Partial<webcrypto.RsaKeyAlgorithm>;
  if (modulusLength < RSA_MIN) throw new Error('the key is too short');
  return jwk.kid === undefined ? { key } : { key, kid: jwk.kid };
}

const usualAlgorithm = ({ kty, crv }: PrivateJwk): string =>
  kty !== 'EC' ? 'RS256' : crv === 'P-384' ? 'ES384' : 'ES256';
