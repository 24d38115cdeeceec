import { OrganisationEntity, type OrganisationSettings, type ScimSettings } from '@gw/entities';
import type { EntityManager } from 'typeorm';

const DEFAULTS: Required<ScimSettings> = {
  workspace_name_prefix: 'ws-',
  workspace_role_separator: '-role-',
  adopt_existing: true,
  group_based_user_provisioning: false,
  manage_organisation: false,
};

/** Returns the SCIM settings of an organisation, completed with the defaults. */
export const scimSettingsInForce = ({ scim }: OrganisationSettings): Required<ScimSettings> => ({
  ...DEFAULTS,
  ...scim,
});

/** Reads the SCIM settings of an organisation. */
export async function scimSettingsOf(
  manager: EntityManager,
  organisationId: string,
): Promise<Required<ScimSettings>> {
  const { settings } = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  return scimSettingsInForce(settings);
}
