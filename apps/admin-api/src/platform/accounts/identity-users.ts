import type { OrganisationRole } from '@gw/auth-scopes';
import { isStorableText } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { hasVerifiedDomain } from './verified-domains';

/** Claims of a trusted issuer about a user. */
export interface NamedUser {
  readonly organisationId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Verified address in lower case; null when the token has none. */
  readonly email: string | null;
}

/** A member of the organisation. */
export interface FoundUser {
  readonly id: string;
  readonly role: OrganisationRole;
  readonly isActive: boolean;
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the verified email address of a token in lower case; null when it has none. With
 * `orSilent`, an address also counts when the token has no `email_verified` claim.
 */
export function provenEmail({ email, email_verified: verified }: Claims, orSilent: boolean): string | null {
  // Some providers write booleans as text.
  const isProven = verified === true || verified === 'true' || (orSilent && verified === undefined);
  const isAddress = typeof email === 'string' && email !== '' && isStorableText(email);
  return isAddress && isProven ? email.toLowerCase() : null;
}

/**
 * Returns the user whom an issuer's token identifies in an organisation: the user whom a login at
 * the issuer has linked to the subject, else the member with the email address. The address counts
 * only if the organisation has verified its domain and no login at the issuer has linked the member
 * to another subject, so that an address alone never moves an account. Returns null for an unknown
 * user, for a subject with several users, and for owners, because otherwise anyone who may save a
 * trust could act as an owner.
 */
export async function userNamed(manager: EntityManager, named: NamedUser): Promise<FoundUser | null> {
  const { organisationId, issuer, subject, email } = named;
  const isOwn = email !== null && (await hasVerifiedDomain(manager, organisationId, email));
  const [first, second] = await manager.query<FoundUser[]>(
    `WITH links AS (
       SELECT link.user_id, link.subject, connection.status FROM sso_links AS link
       JOIN sso_connections AS connection ON connection.id = link.connection_id
       WHERE connection.organisation_id = $1 AND connection.issuer = $2 AND connection.type = 'oidc'
         AND (link.subject = $3 OR link.user_id = (SELECT id FROM users WHERE email = $4))),
     linked AS (SELECT DISTINCT user_id FROM links WHERE subject = $3 AND status = 'active')
     SELECT person.id, seat.role, (seat.status = 'active' AND person.status = 'active') AS "isActive"
     FROM users AS person
     JOIN organisation_users AS seat ON seat.user_id = person.id AND seat.organisation_id = $1
     WHERE seat.role <> 'owner' AND (SELECT count(*) FROM linked) < 2
       AND (person.id IN (SELECT user_id FROM linked)
            OR person.email = $4 AND NOT EXISTS (SELECT 1 FROM linked)
               AND NOT EXISTS (SELECT 1 FROM links WHERE user_id = person.id AND subject <> $3))`,
    [organisationId, issuer, subject, isOwn ? email : null],
  );
  return second === undefined ? (first ?? null) : null;
}
