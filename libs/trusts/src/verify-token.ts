import type { TrustRule } from '@gw/contracts';
import { isSigned, type SigningKey } from '@gw/kernel';
import type { KeySets } from './key-sets';
import { callerOf, checkConditions, type TokenCaller } from './token-caller';
import { checkClaims, idOf, isOwnAudience, issuerOf } from './token-claims';
import { TOKEN_CHECKS, TokenFault, type ReadToken } from './trust-token';

export interface VerifiedToken {
  readonly rule: TrustRule;
  readonly key: SigningKey;
  readonly caller: TokenCaller;
  /** Unix seconds. */
  readonly expiresAt: number;
  /** `jti` of a token that is accepted only once; null for other tokens. */
  readonly oneTimeId: string | null;
}

/** The part of a trust that a token is checked against before its maps. */
export type TokenRule = Omit<TrustRule, 'tokenKind' | 'maps'>;

interface Parts {
  readonly sets: KeySets;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * Checks a token against one trust. Rejects with `TokenFault`, and `KeysUnavailable` when its keys
 * cannot be read.
 */
export async function verifyToken(
  rule: TrustRule,
  token: ReadToken,
  { sets, now }: Parts,
): Promise<VerifiedToken> {
  return prove(rule, token, { sets, expiresAt: checkUnproven(rule, token, now) });
}

/**
 * Runs all checks that need no key. They run first, so that no key set is read for a token that the
 * trust refuses anyway. Returns the token's expiry in Unix seconds. Throws `TokenFault`.
 */
function checkUnproven(rule: TokenRule, { claims }: ReadToken, now: number): number {
  if (issuerOf(claims) !== rule.issuer) throw new TokenFault('issuer', 'The token is of another issuer.');
  const expiresAt = checkClaims(rule, claims, now);
  if (rule.requireJtiOnce === true) idOf(claims);
  checkConditions(rule, claims);
  return expiresAt;
}

/**
 * Verifies an assertion (ID-JAG) against one trust without its maps. Returns the expiry in Unix
 * seconds. Rejects like `verifyToken`.
 */
export async function verifyAssertion(
  rule: TokenRule,
  token: ReadToken,
  { sets, now }: Parts,
): Promise<{ readonly id: string; readonly expiresAt: number }> {
  const expiresAt = checkUnproven(rule, token, now);
  const id = idOf(token.claims);
  await proveKey(rule, token, sets);
  return { id, expiresAt };
}

/**
 * Verifies the signature, and then applies the maps: only a verified token may learn whether one
 * matches.
 */
async function prove(
  rule: TrustRule,
  token: ReadToken,
  { sets, expiresAt }: { readonly sets: KeySets; readonly expiresAt: number },
): Promise<VerifiedToken> {
  const key = await proveKey(rule, token, sets);
  const oneTimeId = rule.requireJtiOnce === true ? idOf(token.claims) : null;
  return { rule, key, caller: callerOf(rule, token.claims), expiresAt, oneTimeId };
}

async function proveKey(rule: TokenRule, token: ReadToken, sets: KeySets): Promise<SigningKey> {
  if (!rule.algorithms.includes(token.algorithm)) {
    throw new TokenFault('key', `The trust does not list the algorithm ${token.algorithm.slice(0, 16)}.`);
  }
  const key = await sets.keyOf(rule, token.keyId);
  if (key === null) throw new TokenFault('key', 'No key set of the trust has the key of the token.');
  if (!isSigned(key, token)) throw new TokenFault('signature', 'The signature is not right.');
  return key;
}

/** Maximum number of organisations whose key sets are read for one token. */
const ORGANISATIONS_MAX = 8;

/**
 * Verifies a token against all trusts in its issuer. When a trust lists an audience of the token
 * that contains the id of the trust's organisation, only trusts of such organisations are checked.
 * Rejects with the fault that ranks highest in `TOKEN_CHECKS`, or with `KeysUnavailable`. Rejects
 * also when trusts of several organisations accept the token, so that no organisation can take over
 * the callers of another one, and when trusts of more than eight organisations match before keys
 * are read.
 */
export async function verifyAny(
  rules: readonly TrustRule[],
  token: ReadToken,
  { sets, now }: Parts,
): Promise<VerifiedToken> {
  const faults: Error[] = [];
  const fitting = addressed(rules, token.claims).flatMap((rule) => {
    try {
      return [{ rule, expiresAt: checkUnproven(rule, token, now) }];
    } catch (error) {
      faults.push(error as Error);
      return [];
    }
  });
  if (new Set(fitting.map(({ rule }) => rule.organisationId)).size > ORGANISATIONS_MAX) throw ambiguous();
  const results = await Promise.allSettled(
    fitting.map(({ rule, expiresAt }) => prove(rule, token, { sets, expiresAt })),
  );
  const accepted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = accepted;
  if (first !== undefined) {
    if (accepted.some(({ rule }) => rule.organisationId !== first.rule.organisationId)) throw ambiguous();
    return first;
  }
  faults.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : [])));
  throw (
    faults.sort((one, other) => progress(other) - progress(one))[0] ??
    new TokenFault('issuer', 'There is no trust of the issuer.')
  );
}

/**
 * Returns the trusts of the organisations whose own trusts list an audience of the token that
 * contains the organisation's id; all trusts when there is no such organisation.
 */
function addressed(
  rules: readonly TrustRule[],
  { aud }: Readonly<Record<string, unknown>>,
): readonly TrustRule[] {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const owners = new Set(
    rules.flatMap(({ audiences, organisationId }) =>
      audiences.some((each) => named.includes(each) && isOwnAudience(each, organisationId))
        ? [organisationId]
        : [],
    ),
  );
  return owners.size === 0 ? rules : rules.filter(({ organisationId }) => owners.has(organisationId));
}

const ambiguous = (): TokenFault =>
  new TokenFault(
    'organisation',
    "Trusts of several organisations accept the token; use an audience that contains the organisation's id, or the claim gw_oid.",
  );

/**
 * Returns the rank of a fault in `TOKEN_CHECKS`. Other errors, such as `KeysUnavailable`, rank
 * highest, because the token may be valid.
 */
const progress = (error: Error): number =>
  error instanceof TokenFault ? TOKEN_CHECKS.indexOf(error.check) : TOKEN_CHECKS.length;
