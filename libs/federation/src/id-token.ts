import { createHash } from 'node:crypto';

/** Claims of a token, or members of a user info response. */
export type Claims = Readonly<Record<string, unknown>>;

/** Maximum difference between the clocks of a provider and of this machine. */
export const SKEW_SECONDS = 60;
const AGE_MAX_SECONDS = 600;

/** Hash of each signature algorithm. Ed25519 uses SHA-512. */
const HASH_OF: Readonly<Record<string, string>> = {
  RS256: 'sha256',
  PS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  EdDSA: 'sha512',
  Ed25519: 'sha512',
};

interface IdTokenContext {
  readonly accessToken: string;
  readonly clientId: string;
  /** Authentication context classes (`acr`), one of which the token must name; empty: any. */
  readonly acrValues: readonly string[];
}

/**
 * Checks a verified ID token for what the client library does not check: `azp`, `acr`, the age of
 * `iat`, and `at_hash`. Throws an error that names the claim.
 */
export function assertIdToken(
  token: string,
  claims: Claims,
  { accessToken, clientId, acrValues }: IdTokenContext,
): void {
  const { azp, iat, acr, at_hash: accessTokenHash } = claims;
  if (azp !== undefined && azp !== clientId) throw new Error('azp names another client.');
  if (acrValues.length > 0 && !acrValues.some((each) => each === acr))
    throw new Error('acr is none of the acr_values of the connection.');
  const age = Math.floor(Date.now() / 1_000) - Number(iat);
  if (!(age <= AGE_MAX_SECONDS)) throw new Error('iat is more than 10 minutes ago.');
  if (age < -SKEW_SECONDS) throw new Error('iat is in the future.');
  if (accessTokenHash === undefined) return;
  const hash = HASH_OF[algorithmOf(token)];
  if (hash === undefined || accessTokenHash !== leftHalf(hash, accessToken)) {
    throw new Error('at_hash is not that of the access token.');
  }
}

function algorithmOf(token: string): string {
  const [head = ''] = token.split('.', 1);
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg?: unknown };
  return String(alg);
}

function leftHalf(hash: string, text: string): string {
  const digest = createHash(hash).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
