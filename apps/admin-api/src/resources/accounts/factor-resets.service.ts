import {
  LoginChallengeEntity,
  OrganisationUserEntity,
  RecoveryCodeEntity,
  SecondFactorEntity,
  type SessionEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { endSessions } from '../../platform/accounts/membership-ends';
import { activeSeatBelow } from '../../platform/accounts/active-seat';
import { isLoggedIn, type Principal } from '../../platform/common/principal';
import { Writes } from '../../platform/unit-of-work/writes';

/** Removes the second factors of users who have lost them. */
@Injectable()
export class FactorResetsService {
  constructor(private readonly writes: Writes) {}

  /**
   * Removes all second factors and recovery codes of another user, and ends the user's sessions.
   * Throws `forbidden` for callers without a session, for the caller's own factors, for a higher
   * role, and for factors that also protect other organisations.
   */
  reset(caller: Principal, userId: string): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const seat = await activeSeatBelow(manager, caller, userId);
      assertAnotherUser(caller, seat.userId);
      await removeFactorsOfOrganisation(manager, seat);
      await endSessions(write, seat);
      write.audit({ action: 'reset', resourceType: 'mfa', resourceId: seat.userId });
      return {};
    });
  }
}

/**
 * Throws `forbidden` for the caller's own factors and for callers without a session, because a key,
 * a token or a stolen session must not remove its user's factors.
 */
function assertAnotherUser(caller: Principal, userId: string): void {
  if (!isLoggedIn(caller)) {
    throw new GatewayError('forbidden', {
      message: 'Only a logged-in user can reset the second factors of another one.',
    });
  }
  if (caller.userId !== userId) return;
  throw new GatewayError('forbidden', {
    message: 'Remove your own factors with POST /v1/auth/mfa/factors/{factorId}/remove.',
  });
}

/**
 * Removes the factors of this organisation, and those that are valid in all organisations if the
 * user belongs to no other one: an administrator here must not weaken the login to another
 * organisation.
 */
async function removeFactorsOfOrganisation(
  manager: EntityManager,
  { userId, organisationId }: Pick<SessionEntity, 'userId' | 'organisationId'>,
): Promise<void> {
  const elsewhere = { userId, organisationId: Not(organisationId), status: 'active' as const };
  const isShared = await manager.existsBy(OrganisationUserEntity, elsewhere);
  const where = isShared ? { userId, organisationId } : { userId };
  await manager.delete(SecondFactorEntity, where);
  await manager.delete(RecoveryCodeEntity, where);
  await manager.delete(LoginChallengeEntity, { userId, organisationId });
  if (!(await manager.existsBy(SecondFactorEntity, { userId, organisationId: IsNull() }))) return;
  throw new GatewayError('forbidden', {
    message:
      'The user belongs to other organisations too; only the operator of this installation can reset the factors.',
  });
}
