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
  /** Id of a token that works once; null for others. */
  readonly oneTimeId: string | null;
}

/** Rules that a token is checked against before it is mapped. */
export type TokenRule = Omit<TrustRule, 'tokenKind' | 'maps'>;

interface Parts {
  readonly sets: KeySets;
  /** Unix seconds. */
  readonly now: number;
}

/** Checks a token against one trust. Rejects with `TokenFault`, and `KeysUnavailable` when its keys cannot be read. */
export async function verifyToken(
  rule: TrustRule,
  token: ReadToken,
  { sets, now }: Parts,
): Promise<VerifiedToken> {
  return prove(rule, token, { sets, expiresAt: checkUnproven(rule, token, now) });
}

/**
 * Checks all that needs no key. It comes first, so that no key set is read for a token that the trust would not accept anyway. Returns
 * the end of the token in Unix seconds. Throws `TokenFault`.
 */
function checkUnproven(rule: TokenRule, { claims }: ReadToken, now: number): number {
  if (issuerOf(claims) !== rule.issuer) throw new TokenFault('issuer', 'The token is of another issuer.');
  const expiresAt = checkClaims(rule, claims, now);
  if (rule.requireJtiOnce === true) idOf(claims);
  checkConditions(rule, claims);
  return expiresAt;
}

/** Checks an assertion against one trust, whose tokens are mapped by what they say of a user. Returns its end. Rejects as `verifyToken` does. */
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

/** Checks the signature, and then what only a proven token may learn: whether a map fits. */
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

/** Organisations whose key sets one token may cause to be read. */
const ORGANISATIONS_MAX = 8;

/**
 * Checks a token against all trusts of its issuer. An audience that contains the id of an organisation is for the trusts of that
 * organisation alone. Rejects with the fault of the trust that came furthest, and when trusts of several organisations accept the
 * token: no organisation can take over the callers of another one.
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

/** The trusts of the organisations whose own audiences a token names; without such an audience, all. */
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

/** Unavailable keys come last, since the token may be valid. */
const progress = (error: Error): number =>
  error instanceof TokenFault ? TOKEN_CHECKS.indexOf(error.check) : TOKEN_CHECKS.length;
