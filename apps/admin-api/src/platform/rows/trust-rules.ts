import type { TrustRule } from '@gw/contracts';
import { OrganisationEntity, TrustEntity } from '@gw/entities';
import type { TokenRule } from '@gw/trusts';
import type { DataSource, EntityManager, FindOptionsWhere, SelectQueryBuilder } from 'typeorm';

/** Selects the active trusts of active organisations, oldest first, with the alias `trust`. */
export const activeTrusts = (
  source: DataSource | EntityManager,
  where: FindOptionsWhere<TrustEntity>,
): SelectQueryBuilder<TrustEntity> =>
  source
    .createQueryBuilder(TrustEntity, 'trust')
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = trust.organisationId AND organisation.status = 'active'`,
    )
    .where({ ...where, status: 'active' })
    .orderBy('trust.createdAt')
    .addOrderBy('trust.id');

/** Returns a trust of callers in the form that gateways read. */
export const toTrustRule = (row: CallerTrust): TrustRule => ({
  ...toTokenRule(row),
  tokenKind: row.kind,
  maps: row.maps,
});

/**
 * A trust whose tokens are callers of gateways; those of kind `id_jag` are for the OAuth server.
 */
export type CallerTrust = TrustEntity & { readonly kind: TrustRule['tokenKind'] };

export const isCallerTrust = (row: TrustEntity): row is CallerTrust => row.kind !== 'id_jag';

/** Returns the rules of a trust for its tokens, without its claim maps. */
export const toTokenRule = (row: TrustEntity): TokenRule => ({
  id: row.id,
  organisationId: row.organisationId,
  name: row.name,
  preset: row.preset,
  issuer: row.issuer,
  jwksUrls: row.jwksUrls,
  keys: row.keys,
  audiences: row.audiences,
  algorithms: row.algorithms,
  conditions: row.conditions,
  maxTtl: row.maxTtl,
  ...(row.requireJtiOnce && { requireJtiOnce: true }),
});
