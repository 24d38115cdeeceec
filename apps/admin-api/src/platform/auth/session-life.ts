import type { OrganisationEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

export const SESSION_SECONDS_MIN = 900;
/** Also how long a session lasts where its organisation says nothing. */
export const SESSION_SECONDS_MAX = 30 * 86_400;

type Organisation = Pick<OrganisationEntity, 'id' | 'settings'>;

export const sessionSecondsOf = ({ settings }: Pick<Organisation, 'settings'>): number =>
  settings.max_session_ttl ?? SESSION_SECONDS_MAX;

/** Sessions that stand keep to a shorter life too; a longer one is that of new sessions. */
export async function cutSessions(manager: EntityManager, organisation: Organisation): Promise<void> {
  await manager.query(
    `UPDATE sessions SET expires_at = created_at + make_interval(secs => $2)
     WHERE organisation_id = $1 AND revoked_at IS NULL AND expires_at > created_at + make_interval(secs => $2)`,
    [organisation.id, sessionSecondsOf(organisation)],
  );
}
