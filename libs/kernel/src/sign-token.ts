import { createPrivateKey, sign, type KeyObject } from 'node:crypto';

/** A private key of the curve P-256 that signs tokens. */
export interface TokenKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** Reads a private JSON Web Key of the curve P-256. Throws for other keys. */
export function tokenKey(jwk: Readonly<Record<string, unknown>>): TokenKey {
  const { kid } = jwk;
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  if (typeof kid !== 'string' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('The key that signs tokens must have an id and the curve P-256.');
  return { kid, key };
}

/** Signs claims as a JSON Web Token with ES256 (RFC 7519). */
export function signToken(
  { kid, key }: TokenKey,
  claims: Readonly<Record<string, unknown>>,
  type = 'JWT',
): string {
  const signed = `${encoded({ alg: 'ES256', kid, typ: type })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
