import type { TrustRule } from '@gw/contracts';
import type { TrustEntity } from '@gw/entities';

/** A trust as gateways read it. */
export const toTrustRule = (row: TrustEntity): TrustRule => ({
  id: row.id,
  organisationId: row.organisationId,
  name: row.name,
  tokenKind: row.kind,
  preset: row.preset,
  issuer: row.issuer,
  jwksUrls: row.jwksUrls,
  keys: row.keys,
  audiences: row.audiences,
  algorithms: row.algorithms,
  conditions: row.conditions,
  maps: row.maps,
  maxTtl: row.maxTtl,
  ...(row.requireJtiOnce && { requireJtiOnce: true }),
});
