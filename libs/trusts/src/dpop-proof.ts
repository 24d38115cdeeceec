import { createHash } from 'node:crypto';
import type { TokenBinding } from '@gw/contracts';
import { isObject, isSigned, readSigningKey, type SigningKey } from '@gw/kernel';
import { CONTROL, isTokenForm, objectIn } from './trust-token';

/** Maximum age of a proof in seconds. */
const AGE_MAX = 300;
/** Maximum seconds by which a client's clock may be ahead. */
const AHEAD_MAX = 60;
const ID_MAX = 512;
/** Algorithms of proofs. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'RS256', 'PS256'];
/** Members of a key by its type, in the order of RFC 7638. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** A request that must be proven. */
export interface Provable {
  /** The access token as it was sent. */
  readonly token: string;
  /** Thumbprint of the key that the token is bound to (RFC 7638, SHA-256, base64url). */
  readonly thumbprint: string;
  readonly method: string;
  /** URL of the request without query and fragment. */
  readonly url: string;
}

/** A valid proof. It may be used once, until `usableUntil` in Unix seconds. */
export interface CheckedProof {
  readonly id: string;
  readonly usableUntil: number;
}

/** A request with the proof that its caller possesses the token's key. */
export interface ProvenRequest {
  /** The access token as it was sent. */
  readonly token: string;
  /** The header `DPoP`; null when the token was sent as a bearer token. */
  readonly proof: string | null;
  readonly method: string;
  /** Path of the request, with or without its query. */
  readonly path: string;
}

/** Why a proof is refused. */
export class ProofFault extends Error {
  override readonly name = 'ProofFault';

  constructor(
    message: string,
    readonly error: 'invalid_token' | 'invalid_dpop_proof' = 'invalid_dpop_proof',
  ) {
    super(message);
  }

  /** The error for the caller (RFC 9449, section 7.1). */
  get refusal(): { readonly message: string; readonly headers: Readonly<Record<string, string>> } {
    const isOfProof = this.error === 'invalid_dpop_proof';
    return {
      message: isOfProof ? `The header DPoP is not accepted: ${this.message}.` : this.message,
      headers: { 'www-authenticate': `DPoP error="${this.error}", algs="${PROOF_ALGORITHMS.join(' ')}"` },
    };
  }
}

/**
 * Checks that the caller possesses the key that its token is bound to. Throws `ProofFault` for a
 * bound token without a valid proof, and for an unbound token with a proof. `now`: Unix seconds.
 */
export function checkBound(
  boundTo: TokenBinding | null,
  { token, proof, method, path }: ProvenRequest,
  now: number,
): CheckedProof & Pick<TokenBinding, 'thumbprint'> {
  if (boundTo === null)
    throw new ProofFault('The token is not bound to a key; send it as Bearer.', 'invalid_token');
  if (proof === null)
    throw new ProofFault('The token is bound to a key; send it as DPoP with a proof.', 'invalid_token');
  const { thumbprint, origin } = boundTo;
  const url = origin + (path.split('?')[0] ?? '');
  return { ...checkProof(proof, { token, thumbprint, method, url }, now), thumbprint };
}

/**
 * Checks a proof of possession of the key that a token is bound to (RFC 9449, section 4.3). `now`:
 * Unix seconds. Throws `ProofFault`.
 */
export function checkProof(proof: string, request: Provable, now: number): CheckedProof {
  if (!isTokenForm(proof)) throw new ProofFault('it must be a JWT');
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const [head, claims] = [read(header), read(payload)];
  const { key, thumbprint } = keyIn(head);
  if (thumbprint !== request.thumbprint) throw new ProofFault('its key is not that of the token');
  const signed = Buffer.from(`${header}.${payload}`, 'latin1');
  const isRight = isSigned(key, {
    ...{ algorithm: String(head['alg']), signed },
    signature: Buffer.from(signature, 'base64url'),
  });
  if (!isRight) throw new ProofFault('its signature is not right');
  return checkClaims(claims, request, now);
}

function read(part: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(part);
  } catch (error) {
    throw new ProofFault((error as Error).message);
  }
}

function keyIn({ typ, alg, jwk, crit }: Readonly<Record<string, unknown>>): {
  readonly key: SigningKey;
  readonly thumbprint: string;
} {
  if (typ !== 'dpop+jwt') throw new ProofFault('typ must be dpop+jwt');
  if (crit !== undefined) throw new ProofFault('the header must not have crit');
  if (typeof alg !== 'string' || !PROOF_ALGORITHMS.includes(alg))
    throw new ProofFault(`alg must be one of ${PROOF_ALGORITHMS.join(', ')}`);
  if (!isObject(jwk) || ['d', 'k', 'p', 'oth'].some((name) => name in jwk))
    throw new ProofFault('jwk must be a public key');
  const key = readSigningKey({ ...jwk, kid: 'proof', use: undefined, key_ops: undefined });
  if (key === null) throw new ProofFault('jwk must be an RSA, EC or Ed25519 key of good length');
  return { key, thumbprint: thumbprintOf(jwk) };
}

/** Returns the thumbprint of a key (RFC 7638, SHA-256, base64url). */
function thumbprintOf(jwk: Readonly<Record<string, unknown>>): string {
  const members = (MEMBERS[String(jwk['kty'])] ?? []).map((name) => [name, jwk[name]]);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}

function checkClaims(
  { jti, iat, htm, htu, ath }: Readonly<Record<string, unknown>>,
  { token, method, url }: Provable,
  now: number,
): CheckedProof {
  if (typeof jti !== 'string' || jti === '' || jti.length > ID_MAX || CONTROL.test(jti))
    throw new ProofFault(`jti must be a text of at most ${String(ID_MAX)} characters`);
  if (typeof iat !== 'number' || !(iat > now - AGE_MAX && iat <= now + AHEAD_MAX))
    throw new ProofFault('iat must be a time of the last five minutes');
  if (htm !== method) throw new ProofFault('htm is another method');
  if (typeof htu !== 'string' || addressOf(htu) !== addressOf(url))
    throw new ProofFault('htu is another URL');
  if (ath !== createHash('sha256').update(token).digest('base64url'))
    throw new ProofFault('ath is of another token');
  return { id: jti, usableUntil: iat + AGE_MAX };
}

/** Returns a URL in normal form without query and fragment; null for an invalid URL. */
function addressOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}
