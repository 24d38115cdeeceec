import { OrganisationDomainEntity, SessionEntity, UserEntity } from '@gw/entities';
import { In, IsNull, type EntityManager } from 'typeorm';
import { covers, domainOf } from './verified-domains';

/**
 * Ends the sessions that single sign-on has opened for addresses of a domain that the organisation gives up: no provider of it may speak
 * for them any more. Memberships, keys and sessions by password stay.
 */
export async function endSessionsOfDomain(
  manager: EntityManager,
  given: OrganisationDomainEntity,
): Promise<void> {
  const { organisationId, verifiedAt } = given;
  if (verifiedAt === null) return;
  const live = { organisationId, byPassword: false, revokedAt: IsNull() };
  const users = await manager
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
    return domain !== null && covers(given, domain);
  });
  if (ended.length === 0) return;
  await manager.update(
    SessionEntity,
    { ...live, userId: In(ended.map(({ id }) => id)) },
    { revokedAt: new Date() },
  );
}
