import type { WorkspaceRole } from '@gw/auth-scopes';
import type { ScimSettings } from '@gw/entities';

/**
 * Patterns of group names that give a role in a workspace without a mapping. Such a name consists
 * of prefix, workspace, separator and role, by default `ws-<workspace>-role-<role>`.
 */
type NamePattern = Pick<ScimSettings, 'workspace_name_prefix' | 'workspace_role_separator'>;

const ROLES: readonly WorkspaceRole[] = ['admin', 'manager', 'member'];

/**
 * Returns the workspace (slug or name) and the role that a group name gives, ignoring case; null
 * for a name of another form.
 */
export function readGroupName(
  name: string,
  { workspace_name_prefix: prefix, workspace_role_separator: separator }: Required<NamePattern>,
): { readonly workspace: string; readonly role: WorkspaceRole } | null {
  const lower = name.toLowerCase();
  if (!lower.startsWith(prefix.toLowerCase())) return null;
  const separatorIndex = lower.lastIndexOf(separator.toLowerCase());
  if (separatorIndex <= prefix.length) return null;
  const workspace = name.slice(prefix.length, separatorIndex).trim();
  const role = ROLES.find((each) => each === lower.slice(separatorIndex + separator.length));
  return role === undefined || workspace === '' ? null : { workspace, role };
}
