import type { OrganisationSettings, ScimSettings } from '@gw/entities';

const DEFAULTS: Required<ScimSettings> = {
  workspace_name_prefix: 'ws-',
  workspace_role_separator: '-role-',
  adopt_existing: true,
  group_based_user_provisioning: false,
  manage_organisation: false,
};

/** What an organisation sets for its identity provider, with the defaults. */
export const scimSettingsInForce = ({ scim }: OrganisationSettings): Required<ScimSettings> => ({
  ...DEFAULTS,
  ...scim,
});
