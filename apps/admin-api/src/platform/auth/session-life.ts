import { PlaygroundKeyEntity, type OrganisationEntity } from '@gw/entities';
import type { Write } from '../unit-of-work/writes';
import { playgroundDocuments } from './playground-keys';

export const SESSION_SECONDS_MIN = 900;
/** Maximum and default session lifetime, in seconds. */
export const SESSION_SECONDS_MAX = 30 * 86_400;

type Organisation = Pick<OrganisationEntity, 'id' | 'settings'>;

export const sessionSecondsOf = ({ settings }: Pick<Organisation, 'settings'>): number =>
  settings.max_session_ttl ?? SESSION_SECONDS_MAX;

/**
 * Shortens existing sessions to the organisation's lifetime. A longer lifetime applies only to new
 * sessions.
 */
export async function cutSessions(
  write: Pick<Write, 'manager' | 'changed'>,
  organisation: Organisation,
): Promise<void> {
  const { manager } = write;
  await manager.query(
    `UPDATE sessions SET expires_at = created_at + make_interval(secs => $2)
     WHERE organisation_id = $1 AND revoked_at IS NULL AND expires_at > created_at + make_interval(secs => $2)`,
    [organisation.id, sessionSecondsOf(organisation)],
  );
  const { id: organisationId } = organisation;
  const keys = await manager.find(PlaygroundKeyEntity, {
    where: { organisationId },
    select: { keyHash: true },
  });
  write.changed(playgroundDocuments(keys));
}
