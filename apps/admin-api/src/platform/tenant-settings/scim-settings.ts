import { OrganisationEntity, type OrganisationSettings, type ScimSettings } from '@gw/entities';
import type { EntityManager } from 'typeorm';

const DEFAULTS: Required<ScimSettings> = {
  workspace_name_prefix: 'ws-',
  workspace_role_separator: '-role-',
  adopt_existing: true,
  group_based_user_provisioning: false,
  manage_organisation: false,
};

/** Settings of an organisation for its identity provider, with the defaults. */
export const scimSettingsInForce = ({ scim }: OrganisationSettings): Required<ScimSettings> => ({
  ...DEFAULTS,
  ...scim,
});

/** Reads what an organisation sets for its identity provider. */
export async function scimSettingsOf(
  manager: EntityManager,
  organisationId: string,
): Promise<Required<ScimSettings>> {
  const { settings } = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
  return scimSettingsInForce(settings);
}
