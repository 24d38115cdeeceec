import { ResponseField } from '@gw/web';

class SettingEffect {
  @ResponseField.text({ example: 'membersWriteMcpServers' }) readonly name!: string;
  @ResponseField.boolean({
    description: 'Whether the security setting allows the scopes in this workspace or organisation.',
  })
  readonly allows!: boolean;
  @ResponseField.texts({
    description: 'Scopes of the role that depend on this setting.',
    example: ['mcp_servers.create'],
  })
  readonly scopes!: string[];
}

class RoleRights {
  @ResponseField.texts({ example: ['completions.write'] }) readonly scopes!: string[];
  @ResponseField.list(() => SettingEffect, {
    description: 'Security settings that decide about scopes of this role.',
  })
  readonly settings!: SettingEffect[];
}

class OrganisationRights extends RoleRights {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.oneOf(['owner', 'admin', 'member']) readonly role!: string;
}

class WorkspaceRights extends RoleRights {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ws-search-3f9a1c' }) readonly slug!: string;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: string;
  @ResponseField.oneOf(['manual', 'scim', 'sso'], {
    description:
      'How the membership was created: by a user, by a mapping of SCIM groups, or by single sign-on.',
  })
  readonly source!: string;
}

class ClosedCapability {
  @ResponseField.text({ example: 'WriteConfigs' }) readonly capability!: string;
  @ResponseField.text({ description: 'Security setting that is off.', example: 'membersWriteConfigs' })
  readonly setting!: string;
  @ResponseField.oneOf(['organisation', 'workspace'], {
    description: 'Whether the setting of the organisation or of the workspace is in force.',
  })
  readonly from!: 'organisation' | 'workspace';
}

/** Rights of a user, with the role, membership and security setting that decide each. */
export class PermissionsResponse {
  @ResponseField.kind('permissions') readonly object!: 'permissions';
  @ResponseField.uuid() readonly user_id!: string;
  @ResponseField.one(() => OrganisationRights, {
    description: 'Rights outside workspaces. For owners and admins they apply in every workspace too.',
  })
  readonly organisation!: OrganisationRights;
  @ResponseField.list(() => WorkspaceRights, {
    description: 'Rights by membership, in at most 1,000 workspaces, newest membership first.',
  })
  readonly workspaces!: WorkspaceRights[];
}

/** The caller's own rights, and those in the workspace that the request names. */
export class OwnPermissionsResponse extends PermissionsResponse {
  @ResponseField.texts({
    optional: true,
    description:
      'Scopes in the workspace of workspace_id. This member and the following ones are absent without workspace_id.',
    example: ['completions.write'],
  })
  readonly scopes?: string[];
  @ResponseField.list(() => ClosedCapability, {
    optional: true,
    description: "Scopes that security settings remove from the caller's role in that workspace.",
  })
  readonly closed?: ClosedCapability[];
  @ResponseField.integer({
    optional: true,
    description:
      'Number of users who can administer the workspace: its admins and the owners and admins of the organisation.',
    example: 2,
  })
  readonly admins_count?: number;
  @ResponseField.texts({
    optional: true,
    description: 'Features that the installation has switched off.',
    example: ['scim'],
  })
  readonly features_off?: string[];
}
