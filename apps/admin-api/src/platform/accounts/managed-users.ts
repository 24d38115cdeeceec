import { ScimUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Any, type EntityManager } from 'typeorm';
import { scimSettingsOf } from '../tenant-settings/scim-settings';
import { FOR_UPDATE } from '../unit-of-work/writes';
import type { OrganisationMembership } from './organisation-membership';

/**
 * Throws `conflict` for a user whom only the identity provider may change, if the organisation has
 * enabled that restriction.
 */
export async function assertNotManaged(
  manager: EntityManager,
  { organisationId, userId }: OrganisationMembership,
): Promise<void> {
  const { manage_organisation: isManaged } = await scimSettingsOf(manager, organisationId);
  if (!isManaged) return;
  if (!(await manager.existsBy(ScimUserEntity, { organisationId, userId }))) return;
  throw new GatewayError('conflict', {
    message:
      'The identity provider manages this user; change the user there, or set scim_settings.manage_organisation to false.',
  });
}

/**
 * Locks the SCIM rows of the users that a transaction changes, in the order of their ids, so that
 * concurrent changes wait for each other instead of causing a deadlock. Call it after locking groups
 * of SCIM, and before locking or changing users, memberships and the members of a group.
 */
export async function lockManaged(
  manager: EntityManager,
  organisationId: string,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  await manager.find(ScimUserEntity, {
    where: { organisationId, userId: Any(userIds) },
    select: { userId: true },
    order: { userId: 'ASC' },
    lock: FOR_UPDATE,
  });
}

/**
 * Gives the user another ETag in SCIM after a change of the membership, since SCIM shows only
 * members as active. The user must be locked. Does nothing for users whom the identity provider has
 * deactivated, and for those whom SCIM does not manage.
 */
export async function touchManaged(
  manager: EntityManager,
  { organisationId, userId }: OrganisationMembership,
): Promise<void> {
  await manager.update(ScimUserEntity, { organisationId, userId, active: true }, { active: true });
}
