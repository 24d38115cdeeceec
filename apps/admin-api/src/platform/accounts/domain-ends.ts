import { OrganisationDomainEntity, SessionEntity, UserEntity } from '@gw/entities';
import { Any } from 'typeorm';
import { endSessionsWhere } from '../auth/session-ends';
import type { Write } from '../unit-of-work/writes';
import { domainMatches, domainOf } from './verified-domains';

/**
 * Ends the sessions that single sign-on has opened for addresses of a domain that the organisation gives up: no provider of it may speak
 * for them any more. `kept`: what it keeps of the domain. Memberships, keys and sessions by password stay.
 */
export async function endSessionsOfDomain(
  write: Pick<Write, 'manager' | 'removed'>,
  given: OrganisationDomainEntity,
  kept: OrganisationDomainEntity | null = null,
): Promise<void> {
  const { organisationId, verifiedAt } = given;
  if (verifiedAt === null) return;
  const live = { organisationId, byPassword: false };
  const users = await write.manager
    .createQueryBuilder(SessionEntity, 'session')
    .innerJoin(UserEntity, 'person', 'person.id = session.userId')
    .select('person.id', 'id')
    .addSelect('person.email', 'email')
    .distinct(true)
    .where('session.organisationId = :organisationId', { organisationId })
    .andWhere('NOT session.byPassword AND session.revokedAt IS NULL AND session.expiresAt > now()')
    .getRawMany<Pick<UserEntity, 'id' | 'email'>>();
  const ended = users.filter(({ email }) => {
    const domain = domainOf(email);
    return domain !== null && domainMatches(given, domain) && !(kept !== null && domainMatches(kept, domain));
  });
  if (ended.length === 0) return;
  const where = { ...live, userId: Any(ended.map(({ id }) => id)) };
  write.removed((await endSessionsWhere(write.manager, where)).documents);
}
