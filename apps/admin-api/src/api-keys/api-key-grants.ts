import { OrganisationUserEntity, WorkspaceUserEntity, type ApiKeyEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import {
  assertHolds,
  assertMayChangeLimits,
  assertMayGrant,
  rankOf,
  rightsOfServiceKey,
  rightsOfUserKey,
} from '../auth/grants';
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
  'rateLimits' | 'usageLimits' | 'expiresAt' | 'defaultConfigId' | 'allowConfigOverride' | 'lastResetAt'
>;

/** What restricts a key, in a form that can be compared. */
export const limitsOf = (row: Limits): string =>
  JSON.stringify([
    row.rateLimits,
    row.usageLimits,
    row.expiresAt,
    row.defaultConfigId,
    row.allowConfigOverride,
    row.lastResetAt,
  ]);

const isLimited = (row: Limits): boolean =>
  row.rateLimits !== null ||
  row.usageLimits !== null ||
  row.expiresAt !== null ||
  row.defaultConfigId !== null ||
  !row.allowConfigOverride;

/** The rank to store with the limits that the caller has set. */
export const limitsRankOf = (caller: Principal, row: Limits): number => (isLimited(row) ? rankOf(caller) : 0);

/** Call it after a change, with `limitsOf` from before it. Throws `forbidden` for limits that the caller may not change. */
export function holdLimits(caller: Principal, row: ApiKeyEntity, before: string): void {
  if (limitsOf(row) === before) return;
  assertMayChangeLimits(caller, row.limitsRank, row.id);
  row.limitsRank = limitsRankOf(caller, row);
}
