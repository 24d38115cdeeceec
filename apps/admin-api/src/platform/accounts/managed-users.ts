import { ScimUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { scimSettingsOf } from '../tenant-settings/scim-settings';
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
