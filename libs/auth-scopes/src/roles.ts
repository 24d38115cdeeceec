import { SCOPES, scopesAllowedFor } from './catalogue';
import {
  removedCapabilities,
  openedForMembers,
  scopesOf,
  type SecuritySettings,
  type SettingGroup,
} from './security-settings';

export type OrganisationRole = 'owner' | 'admin' | 'member';
export type WorkspaceRole = 'admin' | 'manager' | 'member';

/** A higher rank has more rights. A caller never grants a role above their own. */
const RANK: Readonly<Record<WorkspaceRole, number>> = { member: 1, manager: 2, admin: 3 };

export const workspaceRank = (role: WorkspaceRole): number => RANK[role];

const ALL: ReadonlySet<string> = new Set(SCOPES);

/** Resources of a workspace that its members may read. */
const VIEWABLE = [
  'prompts',
  'configs',
  'guardrails',
  'virtual_keys',
  'providers',
  'workspace_integrations',
  'workspace_mcp_integrations',
  'mcp_servers',
  'workspace_agent_integrations',
  'agent_servers',
];

/** Scopes of a member's own user keys. The service limits which keys a member sees and changes. */
const OWN_KEYS = ['create', 'read', 'update', 'delete', 'list', 'rotate'].map(
  (action) => `workspace_user_api_keys.${action}`,
);

const MEMBER: ReadonlySet<string> = new Set([
  ...VIEWABLE.flatMap((resource) => [`${resource}.read`, `${resource}.list`]),
  ...OWN_KEYS,
  'workspaces.read',
  'workspaces.list',
  'workspace_users.read',
  'workspace_users.list',
  'policies.read',
  'policies.list',
  'organisation_integrations.list',
  'organisation_mcp_integrations.list',
  'organisation_agent_integrations.list',
  'completions.write',
  'prompts.render',
  'guardrails.invoke',
  'mcp.invoke',
  'agents.invoke',
  'logs.list',
  'logs.view',
  'logs.write',
  'analytics.view',
]);

/** Scopes of workspace managers and admins: all that a workspace key may have. */
const MANAGER: ReadonlySet<string> = new Set(scopesAllowedFor('workspace-service'));

/** Scopes of a member of the organisation outside any workspace. */
const ORGANISATION_MEMBER: ReadonlySet<string> = new Set(['workspaces.list', 'workspaces.read']);

/**
 * Returns which group's security settings restrict a user; null for none. `workspaceRole` is null
 * outside a workspace.
 */
export function settingGroupOf(
  organisationRole: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
): SettingGroup | null {
  if (organisationRole !== 'member') return 'organisationAdmins';
  switch (workspaceRole) {
    case 'manager':
      return 'managers';
    case 'member':
      return 'members';
    case 'admin':
    case null:
      return null;
  }
}

/** Returns the scopes of a user by role, before security settings remove any. */
function scopesOfRole(
  organisationRole: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
  settings: SecuritySettings,
): ReadonlySet<string> {
  if (organisationRole !== 'member') return ALL;
  switch (workspaceRole) {
    case 'admin':
    case 'manager':
      return MANAGER;
    case 'member':
      return new Set([...MEMBER, ...openedForMembers(settings)]);
    case null:
      return ORGANISATION_MEMBER;
  }
}

/**
 * Returns the maximum scopes of a user, and of any key that the user creates.
 * Owners and admins of the organisation have every scope in every workspace. `workspaceRole` is
 * null outside a workspace; `settings` are the ones in force there.
 */
export function ceilingOf(
  organisationRole: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
  settings: SecuritySettings,
): ReadonlySet<string> {
  const roleScopes = scopesOfRole(organisationRole, workspaceRole, settings);
  return scopesAllowedBy(settingGroupOf(organisationRole, workspaceRole), roleScopes, settings);
}

/** Returns the scopes that the settings allow to a group. */
export function scopesAllowedBy(
  settingGroup: SettingGroup | null,
  scopes: ReadonlySet<string>,
  settings: SecuritySettings,
): ReadonlySet<string> {
  const closed = removedCapabilities(settingGroup, settings);
  if (closed.size === 0) return scopes;
  const removed = new Set(scopesOf(closed));
  return new Set([...scopes].filter((scope) => !removed.has(scope)));
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Returns the maximum scopes of a user's key in its workspace, by the user's current roles.
 * `organisationRole` is null when the user has left the organisation. A plain member who is not in
 * the workspace has none there.
 */
export function userKeyCeiling(
  organisationRole: OrganisationRole | null,
  workspaceRole: WorkspaceRole | null,
  settings: SecuritySettings,
): ReadonlySet<string> {
  const isOutside = organisationRole === null || (organisationRole === 'member' && workspaceRole === null);
  return isOutside ? NOTHING : ceilingOf(organisationRole, workspaceRole, settings);
}
