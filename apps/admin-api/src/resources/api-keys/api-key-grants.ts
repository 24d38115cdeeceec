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

/** Throws unless the caller may hand out a secret that works with these scopes as this key. */
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

/** Throws unless the caller may hand out the secret, and no limits of a higher role are gone round by it. */
export async function assertMayMakeKey(
  manager: EntityManager,
  caller: Principal,
  key: GrantedKey,
): Promise<void> {
  await assertMayGrantKey(manager, caller, key);
  await assertNoLimitsPassed(manager, caller, key);
}

/** A service key stays bound as its maker is now, and so do the keys that it makes in turn. */
export const makerOf = (
  caller: Principal,
  userId: string | null,
): Pick<ApiKeyEntity, 'madeBy' | 'boundAs'> =>
  userId === null
    ? { madeBy: caller.userId ?? caller.makerId, boundAs: caller.standing }
    : { madeBy: null, boundAs: null };

/** Throws unless the caller may see a new secret of the key. The secret of a user key is for its user alone. */
export async function assertMayRotate(
  manager: EntityManager,
  caller: Principal,
  key: GrantedKey,
): Promise<void> {
  if (key.userId !== null && key.userId !== caller.userId) {
    throw new GatewayError('forbidden', {
      message: 'Only its user can rotate a user key. Delete the key to end its secret at once.',
    });
  }
  await assertMayGrantKey(manager, caller, key);
}

/**
 * A further key is a way that the limits of the other keys of its user, and of the key that makes it, do not bind. Keys that a
 * lower role has ended count: ending a key is never refused, since its secret may have leaked, and lifts nothing.
 */
async function assertNoLimitsPassed(
  manager: EntityManager,
  caller: Principal,
  { workspaceId, userId }: Pick<ApiKeyEntity, 'workspaceId' | 'userId'>,
): Promise<void> {
  const limited: FindOptionsWhere<ApiKeyEntity>[] = [
    { rateLimits: Not(IsNull()) },
    { usageLimits: Not(IsNull()) },
    { allowConfigOverride: false },
  ];
  const owners: FindOptionsWhere<ApiKeyEntity>[] = [
    ...(userId === null || workspaceId === null ? [] : [{ workspaceId, userId }]),
    ...(caller.apiKeyId === null ? [] : [{ id: caller.apiKeyId }]),
  ];
  const where = owners.flatMap((owner) => limited.map((limit) => ({ ...owner, ...limit })));
  if (where.length === 0) return;
  const setBy = (await manager.maximum(ApiKeyEntity, 'limitsRank', where)) ?? 0;
  const wayOut = 'only that role or a higher one can make a further key. To end its secret alone, rotate it.';
  assertNotBound(caller, setBy, 'A key of this user, or the key that you call with,', wayOut);
}

type Limits = Pick<
  ApiKeyEntity,
  'rateLimits' | 'usageLimits' | 'expiresAt' | 'defaultConfigId' | 'allowConfigOverride'
>;

/** What restricts a key. */
export const limitsOf = (row: Limits): readonly unknown[] => [
  row.rateLimits,
  row.usageLimits,
  row.expiresAt,
  row.defaultConfigId,
  row.allowConfigOverride ? null : 'own config only',
];
