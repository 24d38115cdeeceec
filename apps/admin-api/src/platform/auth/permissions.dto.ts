import { ResponseField } from '@gw/web';

class SettingEffect {
  @ResponseField.text({ example: 'membersWriteMcpServers' }) readonly name!: string;
  @ResponseField.boolean({ description: 'Whether the setting allows the scopes here.' })
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
    description: 'What gave the membership: a user, a mapping of SCIM groups, or single sign-on.',
  })
  readonly source!: string;
}

class ClosedCapability {
  @ResponseField.text({ example: 'WriteConfigs' }) readonly capability!: string;
  @ResponseField.text({ description: 'The security setting that is off.', example: 'membersWriteConfigs' })
  readonly setting!: string;
  @ResponseField.oneOf(['organisation', 'workspace'], { description: 'Whose setting is in force here.' })
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

/** The same for the caller, and what holds in the workspace that the request names. */
export class OwnPermissionsResponse extends PermissionsResponse {
  @ResponseField.texts({
    optional: true,
    description: 'Scopes in the workspace of workspace_id. This and what follows is absent without it.',
    example: ['completions.write'],
  })
  readonly scopes?: string[];
  @ResponseField.list(() => ClosedCapability, {
    optional: true,
    description: 'What security settings take away from the role of the caller there.',
  })
  readonly closed?: ClosedCapability[];
  @ResponseField.integer({
    optional: true,
    description: 'Admins of the workspace, with the owners and admins of the organisation.',
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
