import { documentKey } from '@gw/contracts';
import { SsoConnectionEntity, SsoFlowEntity, SsoLinkEntity, type OrganisationUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { activeSeat, activeSeatBelow } from '../../platform/accounts/active-seat';
import { endSessions } from '../../platform/accounts/membership-ends';
import { assertMayNameProvider } from '../../platform/auth/identity-provider-rights';
import { found, idOf } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { Writes } from '../../platform/unit-of-work/writes';
import type { SsoLinkResponse } from './sso-links.dto';

/**
 * Maximum number of listed links, and of links in one audit record; a provider may create any
 * number of subjects.
 */
const [LINKS_MAX, AUDITED_MAX] = [1_000, 20];

/** Lists and removes the links between users and subjects of identity providers. */
@Injectable()
export class SsoLinksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /** Lists the links of a user. Throws `not_found` for a user of another organisation. */
  async list(caller: Principal, userId: string): Promise<ListResponse<SsoLinkResponse>> {
    const { manager } = this.dataSource;
    const links = await linksOf(manager, await activeSeat(manager, caller, userId));
    return listOf([links, links.length]);
  }

  /**
   * Unlinks all subjects of a connection from a user and ends the user's sessions; at the next
   * login, the rules of the connection determine the subject's user again. Throws as `list` does,
   * and `forbidden` for a role above the caller's and for callers who may not configure an identity
   * provider.
   */
  remove(caller: Principal, userId: string, connectionId: string): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const seat = await activeSeatBelow(manager, caller, userId);
      await assertMayNameProvider(manager, caller, 'connection_id');
      const { organisationId } = seat;
      const { id } = found(
        await manager.findOneBy(SsoConnectionEntity, { id: idOf(connectionId), organisationId }),
      );
      const of = { connectionId: id, userId: seat.userId };
      const [links, total] = await manager.findAndCount(SsoLinkEntity, {
        ...{ where: of, order: { lastLoginAt: 'DESC', subject: 'ASC' }, take: AUDITED_MAX },
      });
      if (total === 0) throw new GatewayError('not_found');
      await manager.delete(SsoLinkEntity, of);
      // A login of the subject that is in progress then opens no session.
      await manager.delete(SsoFlowEntity, of);
      await endSessions(write, seat);
      write.changed(documentKey.user(organisationId, seat.userId));
      write.audit({
        ...{ action: 'delete', resourceType: 'sso_links', resourceId: seat.userId },
        before: { sso_client_id: id, total, subjects: links.map(({ subject }) => subject) },
      });
      return {};
    });
  }
}

async function linksOf(
  manager: EntityManager,
  { organisationId, userId }: OrganisationUserEntity,
): Promise<SsoLinkResponse[]> {
  const rows = await manager
    .createQueryBuilder(SsoLinkEntity, 'link')
    .innerJoin(
      SsoConnectionEntity,
      'connection',
      'connection.id = link.connectionId AND connection.organisationId = :organisationId',
      { organisationId },
    )
    .select('link.connectionId', 'connectionId')
    .addSelect('link.subject', 'subject')
    .addSelect('link.lastLoginAt', 'lastLoginAt')
    .addSelect('connection.name', 'name')
    .where('link.userId = :userId', { userId })
    .orderBy('link.lastLoginAt', 'DESC')
    .addOrderBy('link.subject', 'ASC')
    .limit(LINKS_MAX)
    .getRawMany<Pick<SsoLinkEntity, 'connectionId' | 'subject' | 'lastLoginAt'> & { name: string }>();
  return rows.map(({ connectionId, subject, lastLoginAt, name }) => ({
    ...{ object: 'sso-link', sso_client_id: connectionId, connection_name: name, subject },
    last_login_at: lastLoginAt.toISOString(),
  }));
}
