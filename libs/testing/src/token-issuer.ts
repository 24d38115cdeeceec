import { uuidv7 } from '@gw/kernel';
import type { TrustRule } from '@gw/contracts';
import { constants, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export const TOKEN_ISSUER = 'https://idp.example.org';
export const TOKEN_AUDIENCE = 'https://gateway.example.org';

export interface TokenKeyPair {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

export function rsaKeyPair(id: string, modulusLength = 2_048): TokenKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    id,
    algorithm: 'RS256',
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig' },
  };
}

export function ecKeyPair(id: string, namedCurve = 'P-256'): TokenKeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const algorithm = namedCurve === 'P-256' ? 'ES256' : 'ES384';
  return { id, algorithm, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig' } };
}

export const encodedPart = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs with the algorithm of the key, whatever the header of the token names. */
export function signatureOf({ algorithm, privateKey }: TokenKeyPair, signed: string): Buffer {
  const hash = `sha${algorithm.slice(2)}`;
  const data = Buffer.from(signed);
  return algorithm.startsWith('RS')
    ? sign(hash, data, { key: privateKey, padding: constants.RSA_PKCS1_PADDING })
    : sign(hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** Returns a JSON Web Token with these claims and header, signed by the key. */
export function signedToken(
  key: TokenKeyPair,
  claims: object,
  header: object = { alg: key.algorithm, kid: key.id, typ: 'JWT' },
): string {
  const signed = `${encodedPart(header)}.${encodedPart(claims)}`;
  return `${signed}.${signatureOf(key, signed).toString('base64url')}`;
}

export const hmacOf = (secret: string, signed: string): Buffer =>
  createHmac('sha256', secret).update(signed).digest();

/** Returns a trust that allows every token of the issuer completions in one workspace. */
export const trustOf = (more: Partial<TrustRule> = {}): TrustRule => ({
  id: uuidv7(),
  organisationId: 'organisation-1',
  name: 'idp',
  tokenKind: 'jwt',
  preset: null,
  issuer: TOKEN_ISSUER,
  jwksUrls: [],
  keys: [],
  audiences: [TOKEN_AUDIENCE],
  algorithms: ['RS256', 'ES256'],
  conditions: [],
  maps: [{ conditions: [], workspaceId: 'workspace-1', scopes: ['completions.write'], metadata: {} }],
  maxTtl: 86_400,
  ...more,
});
