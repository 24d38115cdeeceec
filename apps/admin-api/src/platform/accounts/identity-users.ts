import type { EntityManager } from 'typeorm';
import { hasVerifiedDomain } from './verified-domains';

/** Whom a trusted issuer names. */
export interface NamedUser {
  readonly organisationId: string;
  readonly issuer: string;
  readonly subject: string;
  /** In lower case, and verified; else null. */
  readonly email: string | null;
}

/**
 * The user whom an issuer names in an organisation: whom a login at it has linked to the subject, else the member with the address, if
 * its domain is one of the organisation. Null for nobody, for a subject of several users, and for owners: who may save a trust could
 * else act as one.
 */
export async function userNamed(manager: EntityManager, named: NamedUser): Promise<string | null> {
  const { organisationId, email } = named;
  const linked = await linkedUsers(manager, named);
  if (linked.length > 1) return null;
  const isOwn = email !== null && (await hasVerifiedDomain(manager, organisationId, email));
  const [row] = await manager.query<{ readonly id: string }[]>(
    `SELECT person.id FROM users AS person
     JOIN organisation_users AS seat ON seat.user_id = person.id AND seat.organisation_id = $1
     WHERE seat.role <> 'owner' AND ($2::uuid IS NOT NULL AND person.id = $2 OR $2 IS NULL AND person.email = $3)`,
    [organisationId, linked[0] ?? null, isOwn ? email : null],
  );
  return row?.id ?? null;
}

async function linkedUsers(
  manager: EntityManager,
  { organisationId, issuer, subject }: NamedUser,
): Promise<string[]> {
  const rows = await manager.query<{ readonly id: string }[]>(
    `SELECT DISTINCT link.user_id AS id FROM sso_links AS link
     JOIN sso_connections AS connection ON connection.id = link.connection_id
     WHERE connection.organisation_id = $1 AND connection.issuer = $2 AND connection.type = 'oidc'
       AND connection.status = 'active' AND link.subject = $3
     LIMIT 2`,
    [organisationId, issuer, subject],
  );
  return rows.map(({ id }) => id);
}
