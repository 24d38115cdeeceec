import { LoginChallengeEntity, OrganisationUserEntity, PasswordResetEntity, UserEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

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
