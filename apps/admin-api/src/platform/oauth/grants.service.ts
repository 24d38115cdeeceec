import { OauthConsentEntity, OrganisationUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan, type FindOptionsWhere } from 'typeorm';
import { assertNotAbove, rankOfRole } from '../auth/grants';
import { idOf, inOrganisation } from '../auth/tenancy';
import type { Principal } from '../common/principal';
import { toGrant, type GrantResponse, type ListAllGrantsQuery, type ListGrantsQuery } from './grants.dto';
import { endGrant } from './oauth-grants';
import { OauthTransactions } from './oauth-transactions';

/** Lists and ends grants to OAuth clients, for users and administrators. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: OauthTransactions,
  ) {}

  /** The caller's own grants in the organisation of the session. */
  listOwn(caller: Principal, query: ListGrantsQuery): Promise<ListResponse<GrantResponse>> {
    return this.list(ownOf(caller), query);
  }

  listAll(caller: Principal, query: ListAllGrantsQuery): Promise<ListResponse<GrantResponse>> {
    const { organisationId } = inOrganisation(caller);
    const userId = query.user_id;
    return this.list({ organisationId, ...(userId === undefined ? {} : { userId }) }, query);
  }

  /**
   * Ends a grant with all its tokens, and the grants that were written because the user had agreed
   * to this one. Throws `not_found` for a grant of another user.
   */
  endOwn(caller: Principal, id: string): Promise<object> {
    return this.end(caller, { ...ownOf(caller), id: idOf(id) }, 'revoked by the user');
  }

  /**
   * Ends a grant of any user in the same way as `endOwn`. Throws `forbidden` for a user whose role
   * is above the caller's.
   */
  async endAny(caller: Principal, id: string): Promise<object> {
    const { organisationId } = inOrganisation(caller);
    const where = { organisationId, id: idOf(id) };
    const { userId } = await this.find(where);
    const seat = await this.dataSource.manager.findOneBy(OrganisationUserEntity, { organisationId, userId });
    assertNotAbove(caller, rankOfRole(seat?.role ?? 'member', null));
    return this.end(caller, where, 'revoked by an administrator');
  }

  private async list(
    where: FindOptionsWhere<OauthConsentEntity>,
    query: ListGrantsQuery,
  ): Promise<ListResponse<GrantResponse>> {
    const clientId = query.client_id;
    const [rows, total] = await this.dataSource.manager.findAndCount(OauthConsentEntity, {
      where: { ...where, expiresAt: MoreThan(new Date()), ...(clientId === undefined ? {} : { clientId }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toGrant), total]);
  }

  private async end(
    caller: Principal,
    where: FindOptionsWhere<OauthConsentEntity>,
    reason: string,
  ): Promise<object> {
    const { id: named, rememberedFrom } = await this.find(where);
    const agreed = rememberedFrom ?? named;
    await this.transactions.within(async (work) => {
      const family = [{ id: agreed }, { rememberedFrom: agreed }];
      const grants = await work.manager.find(OauthConsentEntity, { where: family, order: { id: 'ASC' } });
      for (const { id } of grants) await endGrant(work, id, reason, caller);
    });
    return {};
  }

  private async find(where: FindOptionsWhere<OauthConsentEntity>): Promise<OauthConsentEntity> {
    const row = await this.dataSource.manager.findOneBy(OauthConsentEntity, where);
    if (row === null) throw new GatewayError('not_found');
    return row;
  }
}

const ownOf = ({ organisationId, userId }: Principal): { organisationId: string; userId: string } => ({
  organisationId,
  userId: userId ?? '',
});
