import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { PUBLIC_URL } from './oauth-journey';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The public key of `clientAssertion`. */
export const CLIENT_JWK = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' };

/**
 * Returns a signed assertion of a client (RFC 7523), valid for a minute. `more` replaces claims.
 */
export function clientAssertion(clientId: string, more: object = {}, key: KeyObject = privateKey): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: clientId, sub: clientId, aud: PUBLIC_URL, jti: randomUUID(), exp: now + 60, ...more };
  const text = [{ alg: 'ES256', kid: 'k1' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Returns the parameters with which a client authenticates by an assertion. */
export const asserted = (jwt: string): Readonly<Record<string, string>> => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: jwt,
});
