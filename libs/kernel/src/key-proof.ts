import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { signedBy } from './client-key';
import { randomHex } from './ids';

/** Signature algorithm of DPoP proofs. */
export const PROOF_ALGORITHM = 'ES256';

/** A private P-256 JSON Web Key to which an access token is bound. */
export type ProofKeyText = Readonly<Record<string, unknown>>;

/** A parsed key that signs proofs. */
export interface ProofKey {
  readonly key: KeyObject;
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

/** Generates a key for one grant. */
export async function newProofKey(): Promise<ProofKeyText> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

/** Parses a private key; throws for a key that is not on the curve P-256. */
export function readProofKey(jwk: ProofKeyText): ProofKey {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('The key of a token must have the curve P-256.');
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { key, publicJwk: { kty, crv, x, y } };
}

/** The request that a proof covers. */
export interface ProvenCall {
  readonly method: string;
  readonly url: string;
  /** Access token of the request; null for a request to the token endpoint. */
  readonly accessToken: string | null;
  /** The latest nonce of the server; null without one. */
  readonly nonce: string | null;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Returns a DPoP proof: it proves possession of the key for one request (RFC 9449, section 4.2).
 */
export function keyProof(
  { key, publicJwk }: ProofKey,
  { method, url, accessToken, nonce, now }: ProvenCall,
): string {
  const header = { alg: PROOF_ALGORITHM, typ: 'dpop+jwt', jwk: publicJwk };
  return signedBy(key, header, {
    ...{ jti: randomHex(16), htm: method, htu: withoutQuery(url), iat: Math.floor(now / 1_000) },
    ...(accessToken !== null && {
      ath: createHash('sha256').update(accessToken, 'latin1').digest('base64url'),
    }),
    ...(nonce !== null && { nonce }),
  });
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/;

/** Reads the header `DPoP-Nonce`; null if it is missing or invalid (RFC 9449, section 8.1). */
export const readNonce = (header: unknown): string | null =>
  typeof header === 'string' && NONCE.test(header) ? header : null;
