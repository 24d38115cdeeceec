import { OrganisationUserEntity, WorkspaceUserEntity, type ApiKeyEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { assertHolds, assertMayGrant, rightsOfServiceKey, rightsOfUserKey } from '../auth/grants';
import type { Principal } from '../auth/principal';
import { securityOf } from '../auth/security';

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
