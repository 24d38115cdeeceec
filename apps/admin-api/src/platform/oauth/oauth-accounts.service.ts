import { OauthConsentEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import type { Account } from 'oidc-provider';
import { oauthSettingsOf } from '../tenant-settings/oauth-settings';
import { resourceTypeOf } from './oauth-resources';
import { seatOf } from './oauth-seats';
import { OauthTransactions } from './oauth-transactions';
import { oidcErrors } from './oidc-library';

/** Provides users, clients and grants to the protocol engine. */
@Injectable()
export class OauthAccounts {
  constructor(private readonly transactions: OauthTransactions) {}

  /**
   * Returns the account of a user. Returns undefined for a user who may no longer act within the
   * grant, so that no token is issued.
   */
  async find(id: string, grantId: string | undefined): Promise<Account | undefined> {
    const { manager } = this.transactions;
    const grant =
      grantId === undefined ? null : await manager.findOneBy(OauthConsentEntity, { id: grantId, userId: id });
    if (grant === null || (await seatOf(manager, grant)) === null) return undefined;
    return { accountId: id, claims: () => ({ sub: id }) };
  }

  /**
   * Returns the claims of a token of the grant, in addition to its scopes. Throws
   * `invalid_dpop_proof` for a token without a key when the organisation requires one.
   */
  async claimsOf(
    grantId: string,
    { isBound }: { readonly isBound: boolean },
  ): Promise<Record<string, string | null>> {
    const { manager } = this.transactions;
    const grant = await manager.findOneByOrFail(OauthConsentEntity, { id: grantId });
    if (!isBound && (await oauthSettingsOf(manager, grant.organisationId)).require_dpop)
      throw new (oidcErrors().InvalidDpopProof)(
        'the organisation requires tokens that are bound to a key (DPoP)',
      );
    return {
      organisation_id: grant.organisationId,
      workspace_id: grant.workspaceId,
      resource_type: resourceTypeOf(grant.resource),
      resource_id: grant.resource,
    };
  }
}
