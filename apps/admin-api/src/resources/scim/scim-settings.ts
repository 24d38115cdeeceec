import { OrganisationEntity, type ScimSettings } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import { scimSettingsInForce } from '../../platform/tenant-settings/scim-settings';

/** What an organisation sets for its identity provider. */
export async function scimSettingsOf(
  manager: EntityManager,
  organisationId: string,
): Promise<Required<ScimSettings>> {
  const { settings } = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  return scimSettingsInForce(settings);
}
