import { groupsIn, type ProvidedGroups } from './groups';
import type { Claims } from './id-token';

const USUAL = 'email';

/** Names of the claims that identify a user. */
export interface ClaimNames {
  readonly email: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly groups: string;
}

/** Claims of the provider about a user, from a token whose signature was verified. */
export interface OidcIdentity {
  readonly subject: string;
  readonly email: string | null;
  /** Null when the provider does not state it. */
  readonly isEmailVerified: boolean | null;
  readonly givenName: string;
  readonly familyName: string;
  readonly groups: ProvidedGroups;
  /** Id of the session at the provider; null when the provider names none. */
  readonly session: string | null;
}

/**
 * Reads a user's identity. The address and its verification come from one source: the ID token if
 * it has either claim.
 */
export function identityOf(idToken: Claims, userInfo: Claims, names: ClaimNames): OidcIdentity {
  const all = { ...userInfo, ...idToken };
  const isUsual = names.email === USUAL;
  const inToken = names.email in idToken || (isUsual && 'email_verified' in idToken);
  const contact = inToken ? idToken : userInfo;
  const subject = textIn(idToken, 'sub');
  if (subject === '' || subject.length > 255)
    throw new Error('sub must be a text of at most 255 characters.');
  const email = textIn(contact, names.email).toLowerCase();
  return {
    subject,
    email: email === '' ? null : email,
    // `email_verified` concerns only the claim `email`, not an address in another claim.
    isEmailVerified: isUsual ? booleanIn(contact, 'email_verified') : null,
    givenName: textIn(all, names.givenName).slice(0, 255),
    familyName: textIn(all, names.familyName).slice(0, 255),
    groups: groupsIn(all, names.groups),
    session: textIn(idToken, 'sid').slice(0, 255) || null,
  };
}

const textIn = (claims: Claims, name: string): string =>
  typeof claims[name] === 'string' ? claims[name] : '';

/** Reads a boolean or its text. Any value other than true is false; a missing claim is null. */
const booleanIn = (claims: Claims, name: string): boolean | null =>
  claims[name] === undefined || claims[name] === null
    ? null
    : claims[name] === true || claims[name] === 'true';
