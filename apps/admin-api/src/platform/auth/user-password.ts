import { OrganisationUserEntity, UserEntity, type PasswordResetEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/**
 * Sets the password of a user in one organisation. With `organisationId` null, sets it everywhere and removes the
 * passwords of single organisations.
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
  if (organisationId !== null) {
    await manager.update(OrganisationUserEntity, { organisationId, userId }, { passwordHash });
    return;
  }
  await manager.update(UserEntity, { id: userId }, { passwordHash });
  await manager.update(OrganisationUserEntity, { userId }, { passwordHash: null });
}
