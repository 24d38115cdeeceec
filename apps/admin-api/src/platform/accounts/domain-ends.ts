import { OrganisationDomainEntity, SessionEntity, UserEntity } from '@gw/entities';
import { Any } from 'typeorm';
import { endSessionsWhere } from '../auth/session-ends';
import type { Write } from '../unit-of-work/writes';
import { domainMatches, domainOf } from './verified-domains';

/**
 * Ends the sessions that single sign-on opened for addresses of a domain that the organisation
 * gives up, because its identity providers may no longer vouch for these addresses. `retained` is
 * the part of the domain that the organisation keeps, such as the domain without its subdomains;
 * null when it keeps nothing. Memberships, keys and sessions opened by password stay.
 */
export async function endSessionsOfDomain(
  write: Pick<Write, 'manager' | 'removed'>,
  releasedDomain: OrganisationDomainEntity,
  retained: OrganisationDomainEntity | null = null,
): Promise<void> {
  const { organisationId, verifiedAt } = releasedDomain;
  if (verifiedAt === null) return;
  const openedBySso = { organisationId, byPassword: false };
  const users = await write.manager
    .createQueryBuilder(SessionEntity, 'session')
    .innerJoin(UserEntity, 'person', 'person.id = session.userId')
    .select('person.id', 'id')
    .addSelect('person.email', 'email')
    .distinct(true)
    .where('session.organisationId = :organisationId', { organisationId })
    .andWhere('NOT session.byPassword AND session.revokedAt IS NULL AND session.expiresAt > now()')
    .getRawMany<Pick<UserEntity, 'id' | 'email'>>();
  const affectedUsers = users.filter(({ email }) => {
    const domain = domainOf(email);
    return (
      domain !== null &&
      domainMatches(releasedDomain, domain) &&
      !(retained !== null && domainMatches(retained, domain))
    );
  });
  if (affectedUsers.length === 0) return;
  const where = { ...openedBySso, userId: Any(affectedUsers.map(({ id }) => id)) };
  write.removed((await endSessionsWhere(write.manager, where)).documents);
}
