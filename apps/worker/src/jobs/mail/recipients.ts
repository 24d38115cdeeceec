import type { EntityManager } from 'typeorm';

/** Maximum number of recipients of one mail. */
export const RECIPIENTS_MAX = 50;

/**
 * Returns the addresses of the owners and admins of an organisation. If a user is given, that
 * user's address comes first.
 */
export async function administratorsOf(
  manager: EntityManager,
  { organisationId, userId = null }: { readonly organisationId: string; readonly userId?: string | null },
): Promise<readonly string[]> {
  const rows = await manager.query<{ email: string }[]>(
    `SELECT u.email FROM organisation_users seat JOIN users u ON u.id = seat.user_id
     WHERE seat.organisation_id = $1 AND seat.status = 'active' AND u.status = 'active'
       AND (seat.role IN ('owner', 'admin') OR seat.user_id = $2)
     ORDER BY seat.user_id = $2 DESC NULLS LAST, seat.role DESC, u.email LIMIT $3`,
    [organisationId, userId, RECIPIENTS_MAX],
  );
  return rows.map(({ email }) => email);
}
