import type { TrustRule } from '@gw/contracts';
import { isSigned, type SigningKey } from './signing-keys';
import type { KeySets } from './key-sets';
import { callerOf, type TokenCaller } from './token-caller';
import { checkClaims, issuerOf } from './token-claims';
import { TOKEN_CHECKS, TokenFault, type ReadToken } from './trust-token';

export interface VerifiedToken {
  readonly rule: TrustRule;
  readonly key: SigningKey;
  readonly caller: TokenCaller;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Checks a token against one trust. Rejects with `TokenFault`, and `KeysUnavailable` when its keys cannot be read. */
export async function verifyToken(
  rule: TrustRule,
  token: ReadToken,
  { sets, now }: { readonly sets: KeySets; readonly now: number },
): Promise<VerifiedToken> {
  if (issuerOf(token.claims) !== rule.issuer)
    throw new TokenFault('issuer', 'The token is of another issuer.');
  if (!rule.algorithms.includes(token.algorithm)) {
    throw new TokenFault(
      'signature',
      `The trust does not list the algorithm ${token.algorithm.slice(0, 16)}.`,
    );
  }
  // Before any key is read, so that tokens which cannot be accepted cause no calls.
  const expiresAt = checkClaims(rule, token.claims, now);
  const key = await sets.keyOf(rule, token.keyId);
  if (key === null) throw new TokenFault('key', 'No key set of the trust has the key of the token.');
  if (!isSigned(key, token)) throw new TokenFault('signature', 'The signature is not right.');
  return { rule, key, caller: callerOf(rule, token.claims), expiresAt };
}

/**
 * Checks a token against all trusts of its issuer. Rejects with the fault of the trust that came furthest, and when trusts of several
 * organisations accept the token: no organisation can take over the callers of another one.
 */
export async function verifyAny(
  rules: readonly TrustRule[],
  token: ReadToken,
  parts: { readonly sets: KeySets; readonly now: number },
): Promise<VerifiedToken> {
  const results = await Promise.allSettled(rules.map((rule) => verifyToken(rule, token, parts)));
  const accepted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = accepted;
  if (first !== undefined) {
    if (accepted.some(({ rule }) => rule.organisationId !== first.rule.organisationId)) {
      throw new TokenFault(
        'organisation',
        'Trusts of several organisations accept the token; name one by the claim gw_oid.',
      );
    }
    return first;
  }
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  throw (
    faults.sort((one, other) => progress(other) - progress(one))[0] ??
    new TokenFault('issuer', 'There is no trust of the issuer.')
  );
}

/** Unavailable keys come last, since the token may be valid. */
const progress = (error: Error): number =>
  error instanceof TokenFault ? TOKEN_CHECKS.indexOf(error.check) : TOKEN_CHECKS.length;
