import type { ClaimCondition } from '@gw/contracts';
import { OrganisationEntity, TrustEntity } from '@gw/entities';
import { conditionFault, isOwnAudience, isSharedIssuer, issuerDigest, issuerFault } from '@gw/trusts';
import { isPointer } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Not, type EntityManager } from 'typeorm';
import type { TrustMapDto } from './trusts.dto';

type Admitted = Pick<TrustEntity, 'issuer' | 'conditions'> & {
  readonly maps: readonly { readonly conditions?: readonly ClaimCondition[] }[];
};

/**
 * Throws `validation_failed` for an issuer that cannot be used, or whose conditions also admit
 * tokens of other customers.
 */
export function assertIssuer({ issuer, conditions, maps }: Admitted): void {
  assertConditions(conditions, 'conditions');
  const fault = issuerFault(issuer, conditions, maps);
  if (fault !== null) throw invalid(fault.field, fault.message);
}

/**
 * Ensures that an audience belongs to one organisation only when other organisations may trust the
 * issuer too, so that no organisation can take over or block the callers of another one with a
 * trust for the same tokens. `kept` contains audiences that the trust already has. The lock
 * serialises concurrent writes for one issuer. Throws `validation_failed`.
 */
export async function assertOwnAudiences(
  manager: EntityManager,
  { organisationId, issuer, audiences }: Pick<TrustEntity, 'organisationId' | 'issuer' | 'audiences'>,
  kept: readonly string[] = [],
): Promise<void> {
  const index = audiences.findIndex(
    (audience) => !kept.includes(audience) && !isOwnAudience(audience, organisationId),
  );
  if (index < 0) return;
  const digest = issuerDigest(issuer);
  await manager.query(`SELECT pg_advisory_xact_lock(hashtext($1))`, [digest]);
  const isContested = isSharedIssuer(issuer)
    ? await manager.existsBy(OrganisationEntity, { id: Not(organisationId) })
    : await manager.existsBy(TrustEntity, {
        ...{ issuerDigest: digest, organisationId: Not(organisationId), kind: Not('id_jag' as const) },
      });
  if (!isContested) return;
  throw invalid(
    `audiences.${String(index)}`,
    `other organisations can trust this issuer, so the audience must contain the organisation's id, such as https://gateway.example.com/${organisationId}`,
  );
}

/** Maximum lifetime of an assertion, in seconds. */
export const ASSERTION_TTL_MAX = 300;

type TrustForm = Pick<TrustEntity, 'kind' | 'maps' | 'audiences' | 'maxTtl' | 'linkUsers' | 'requireJtiOnce'>;

/**
 * Maximum number of active trusts of one organisation and issuer; a token is checked against all of
 * them.
 */
const PER_ISSUER_MAX = 20;

/**
 * Throws `validation_failed` when the organisation has the maximum number of other trusts for the
 * issuer.
 */
export async function assertIssuerTrustsMax(
  manager: EntityManager,
  {
    id,
    organisationId,
    issuer,
  }: { readonly id?: string; readonly organisationId: string; readonly issuer: string },
): Promise<void> {
  const others = { organisationId, issuerDigest: issuerDigest(issuer), status: 'active' as const };
  const count = await manager.countBy(TrustEntity, id === undefined ? others : { ...others, id: Not(id) });
  if (count >= PER_ISSUER_MAX)
    throw invalid('issuer', `an organisation can have ${String(PER_ISSUER_MAX)} active trusts of one issuer`);
}

/**
 * Checks the form of a trust for assertions, which live for minutes, are only for Tollgate's OAuth
 * server, and are mapped to users instead of workspaces. `issuer` is that of the OAuth server; null
 * when there is none. Throws `validation_failed`.
 */
export function assertForm(
  { kind, maps, audiences, maxTtl, linkUsers, requireJtiOnce }: TrustForm,
  issuer: string | null,
): void {
  if (linkUsers && kind !== 'jwt') throw invalid('link_users', 'link_users is only for the kind jwt');
  if (linkUsers && requireJtiOnce)
    throw invalid('link_users', 'tokens that work once work at gateways alone');
  if (kind !== 'id_jag') {
    if (maps.length === 0) throw invalid('maps', 'maps is required');
    return;
  }
  if (issuer === null) throw invalid('kind', 'id_jag needs the setting PUBLIC_URL');
  if (maps.length > 0)
    throw invalid('maps', 'id_jag takes no maps: what its tokens may do is what their users may');
  if (audiences.some((audience) => audience !== issuer)) throw invalid('audiences', `must be ${issuer}`);
  if (maxTtl > ASSERTION_TTL_MAX)
    throw invalid('max_ttl', `must be at most ${String(ASSERTION_TTL_MAX)} with id_jag`);
}

/** Maximum lifetime of a token that works once, in seconds. */
export const ONCE_TTL_MAX = 3_600;

/**
 * Throws `validation_failed` when tokens that work once may live too long, because used tokens are
 * remembered until they expire.
 */
export function assertOnce({ requireJtiOnce, maxTtl }: Pick<TrustEntity, 'requireJtiOnce' | 'maxTtl'>): void {
  if (requireJtiOnce && maxTtl > ONCE_TTL_MAX)
    throw invalid('max_ttl', `must be at most ${String(ONCE_TTL_MAX)} with require_jti_once`);
}

/** Throws `validation_failed` for the first condition that cannot be used. */
export function assertConditions(conditions: readonly ClaimCondition[], path: string): void {
  for (const [index, condition] of conditions.entries()) {
    const fault = conditionFault(condition);
    if (fault !== null) throw invalid(`${path}.${String(index)}`, fault);
  }
}

/** Throws `validation_failed` for the first map that cannot be used. */
export function assertValidMaps(maps: readonly TrustMapDto[]): void {
  for (const [index, { conditions = [], metadata = {} }] of maps.entries()) {
    const path = `maps.${String(index)}`;
    assertConditions(conditions, `${path}.conditions`);
    for (const [name, pointer] of Object.entries(metadata)) {
      if (name.startsWith('_'))
        throw invalid(`${path}.metadata`, 'names that begin with an underscore are reserved');
      if (!isPointer(pointer))
        throw invalid(`${path}.metadata`, `${name} must be a JSON pointer, such as /sub`);
    }
  }
}
