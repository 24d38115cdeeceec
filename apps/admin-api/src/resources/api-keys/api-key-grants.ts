import { ApiKeyEntity, OrganisationUserEntity, WorkspaceUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import {
  assertHolds,
  assertMayGrant,
  assertNotBound,
  rightsOfServiceKey,
  rightsOfUserKey,
} from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';

type GrantedKey = Pick<
  ApiKeyEntity,
  'type' | 'organisationId' | 'workspaceId' | 'userId' | 'boundAs' | 'scopes'
>;

const WHAT = 'A key';

/**
 * Throws `scope_exceeds_creator` or `forbidden` unless the caller holds all rights that a secret of
 * this key with these scopes gives to its holder.
 */
export async function assertMayGrantKey(
  manager: EntityManager,
  caller: Principal,
  key: GrantedKey,
): Promise<void> {
  const { organisationId, workspaceId, userId, scopes } = key;
  if (userId === null) {
    const settings = await securityOf(manager, organisationId, workspaceId);
    assertMayGrant(caller, rightsOfServiceKey(key, scopes, settings), WHAT, 'scopes');
    return;
  }
  if (userId === caller.userId) {
    assertHolds(caller, scopes, WHAT, 'scopes');
    return;
  }
  const seat = await manager.findOneBy(OrganisationUserEntity, { organisationId, userId });
  const member = workspaceId && (await manager.findOneBy(WorkspaceUserEntity, { workspaceId, userId }));
  const rights = rightsOfUserKey(seat?.role ?? 'member', member ? member.role : null, scopes);
  assertMayGrant(caller, rights, WHAT, 'scopes');
}

/**
 * Throws as `assertMayGrantKey` does, and `forbidden` if the new key would bypass limits that a
 * higher role set.
 */
export async function assertMayMakeKey(
  manager: EntityManager,
  caller: Principal,
  key: GrantedKey,
): Promise<void> {
  await assertMayGrantKey(manager, caller, key);
  await assertLimitsNotBypassed(manager, caller, key);
}

/**
 * Returns the columns that record who creates a service key. The security settings that bind the
 * creator then also bind the key and the keys that it creates.
 */
export const makerOf = (
  caller: Principal,
  userId: string | null,
): Pick<ApiKeyEntity, 'madeBy' | 'boundAs'> =>
  userId === null
    ? { madeBy: caller.userId ?? caller.makerId, boundAs: caller.settingGroup }
    : { madeBy: null, boundAs: null };

/**
 * Throws unless the caller may see a new secret of the key. Only the user of a user key may see its
 * secret.
 */
export async function assertMayRotate(
  manager: EntityManager,
  caller: Principal,
  key: GrantedKey,
): Promise<void> {
  if (key.userId !== null && key.userId !== caller.userId) {
    throw new GatewayError('forbidden', {
      message: 'Only its own user can rotate a user key. Delete the key to end its secret at once.',
    });
  }
  await assertMayGrantKey(manager, caller, key);
}

/**
 * Throws `forbidden` if a higher role has limited a key of the same user or the key that the caller
 * uses, because a further key would bypass these limits. Archived keys count too: a lower role may
 * always archive a key, since its secret may have leaked, but this must not remove the limits.
 */
async function assertLimitsNotBypassed(
  manager: EntityManager,
  caller: Principal,
  { workspaceId, userId }: Pick<ApiKeyEntity, 'workspaceId' | 'userId'>,
): Promise<void> {
  const limited: FindOptionsWhere<ApiKeyEntity>[] = [
    { rateLimits: Not(IsNull()) },
    { usageLimits: Not(IsNull()) },
    { allowConfigOverride: false },
    { mcp: Not(IsNull()) },
  ];
  const owners: FindOptionsWhere<ApiKeyEntity>[] = [
    ...(userId === null || workspaceId === null ? [] : [{ workspaceId, userId }]),
    ...(caller.apiKeyId === null ? [] : [{ id: caller.apiKeyId }]),
  ];
  const where = owners.flatMap((owner) => limited.map((limit) => ({ ...owner, ...limit })));
  if (where.length === 0) return;
  const setBy = (await manager.maximum(ApiKeyEntity, 'limitsRank', where)) ?? 0;
  const wayOut =
    'only that role or a higher one can create a further key. To end only its secret, rotate it.';
  assertNotBound(caller, setBy, 'A key of this user, or the key that you use,', wayOut);
}

type Limits = Pick<
  ApiKeyEntity,
  'rateLimits' | 'usageLimits' | 'expiresAt' | 'defaultConfigId' | 'allowConfigOverride' | 'mcp'
>;

/** Returns the values that restrict a key: limits, expiry, config and MCP servers. */
export const limitsOf = (row: Limits): readonly unknown[] => [
  row.rateLimits,
  row.usageLimits,
  row.expiresAt,
  row.defaultConfigId,
  row.allowConfigOverride ? null : 'own config only',
  row.mcp,
];
