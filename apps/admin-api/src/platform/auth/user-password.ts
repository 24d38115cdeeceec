import {
  LoginChallengeEntity,
  OrganisationUserEntity,
  PasswordResetEntity,
  RecoveryCodeEntity,
  SecondFactorEntity,
  SessionEntity,
  UserEntity,
} from '@gw/entities';
import { IsNull, type EntityManager } from 'typeorm';

/**
 * Sets the password of a user in one organisation. With `organisationId` null, sets it for all
 * organisations and removes the passwords of single organisations. Ends logins that wait for a
 * second factor, since they were opened with the old password, and all links for setting a
 * password.
 */
export async function setPassword(
  manager: EntityManager,
  {
    userId,
    organisationId,
    passwordHash,
  }: Pick<PasswordResetEntity, 'userId' | 'organisationId'> & {
    readonly passwordHash: string;
  },
): Promise<void> {
  await manager.delete(LoginChallengeEntity, { userId });
  await manager.delete(PasswordResetEntity, { userId });
  if (organisationId !== null) {
    await manager.update(OrganisationUserEntity, { organisationId, userId }, { passwordHash });
    return;
  }
  await manager.update(UserEntity, { id: userId }, { passwordHash, passwordGenerated: false });
  await manager.update(OrganisationUserEntity, { userId }, { passwordHash: null });
}

/**
 * Limits the password, second factors and sessions of a user to one organisation. Called when an
 * identity provider of that organisation changes the user's address: they were valid everywhere
 * because the user had proven the previous address (decision 0028).
 */
export async function limitLogins(
  manager: EntityManager,
  { userId, organisationId }: Pick<OrganisationUserEntity, 'userId' | 'organisationId'>,
): Promise<void> {
  const { passwordHash } = await manager.findOneByOrFail(UserEntity, { id: userId });
  const seat = { organisationId, userId };
  if (passwordHash !== null) {
    await manager.update(OrganisationUserEntity, { ...seat, passwordHash: IsNull() }, { passwordHash });
    await manager.update(UserEntity, { id: userId }, { passwordHash: null, passwordGenerated: false });
  }
  const everywhere = { userId, organisationId: IsNull() };
  await manager.update(SecondFactorEntity, everywhere, { organisationId });
  await manager.update(RecoveryCodeEntity, everywhere, { organisationId });
  await manager.update(SessionEntity, seat, { countsEverywhere: false });
  await manager.delete(LoginChallengeEntity, { userId });
  await manager.delete(PasswordResetEntity, { userId });
}
