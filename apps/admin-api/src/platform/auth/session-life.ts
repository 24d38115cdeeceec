import type { OrganisationEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

export const SESSION_SECONDS_MIN = 900;
/** Maximum and default session lifetime, in seconds. */
export const SESSION_SECONDS_MAX = 30 * 86_400;

type Organisation = Pick<OrganisationEntity, 'id' | 'settings'>;

export const sessionSecondsOf = ({ settings }: Pick<Organisation, 'settings'>): number =>
  settings.max_session_ttl ?? SESSION_SECONDS_MAX;

/** Shortens existing sessions to the organisation's lifetime. A longer lifetime applies only to new sessions. */
export async function cutSessions(manager: EntityManager, organisation: Organisation): Promise<void> {
  await manager.query(
    `UPDATE sessions SET expires_at = created_at + make_interval(secs => $2)
     WHERE organisation_id = $1 AND revoked_at IS NULL AND expires_at > created_at + make_interval(secs => $2)`,
    [organisation.id, sessionSecondsOf(organisation)],
  );
}
