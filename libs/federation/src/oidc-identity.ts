import { isStorableText } from '@gw/kernel';
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

/** Maximum characters of a subject and of a name, and of an address. */
const [TEXT_MAX, EMAIL_MAX] = [255, 320];

/**
 * Reads a user's identity. The address and its verification come from one source: the ID token if
 * it has either claim. Throws for a subject or an address that cannot be stored as it is.
 */
export function identityOf(idToken: Claims, userInfo: Claims, names: ClaimNames): OidcIdentity {
  const all = { ...userInfo, ...idToken };
  const isUsual = names.email === USUAL;
  const inToken = names.email in idToken || (isUsual && 'email_verified' in idToken);
  const contact = inToken ? idToken : userInfo;
  const subject = textIn(idToken, 'sub');
  if (subject === '' || subject.length > TEXT_MAX || !isStorableText(subject))
    throw new Error(`sub must be a text of at most ${String(TEXT_MAX)} characters.`);
  const email = textIn(contact, names.email).toLowerCase();
  if (email.length > EMAIL_MAX || !isStorableText(email))
    throw new Error(`${names.email} must be an address of at most ${String(EMAIL_MAX)} characters.`);
  return {
    subject,
    email: email === '' ? null : email,
    // `email_verified` concerns only the claim `email`, not an address in another claim.
    isEmailVerified: isUsual ? booleanIn(contact, 'email_verified') : null,
    givenName: shortIn(all, names.givenName),
    familyName: shortIn(all, names.familyName),
    groups: groupsIn(all, names.groups),
    session: shortIn(idToken, 'sid') || null,
  };
}

const textIn = (claims: Claims, name: string): string =>
  typeof claims[name] === 'string' ? claims[name] : '';

/** Reads the first 255 characters of a text; an empty text for one that cannot be stored. */
function shortIn(claims: Claims, name: string): string {
  const text = textIn(claims, name);
  return isStorableText(text) ? Array.from(text).slice(0, TEXT_MAX).join('') : '';
}

/** Reads a boolean or its text. Any value other than true is false; a missing claim is null. */
const booleanIn = (claims: Claims, name: string): boolean | null =>
  claims[name] === undefined || claims[name] === null
    ? null
    : claims[name] === true || claims[name] === 'true';
