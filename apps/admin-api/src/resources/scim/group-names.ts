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
  // Each part is compared by itself, since some letters have another length in lower case.
  const isSame = (part: string, wanted: string): boolean => part.toLowerCase() === wanted.toLowerCase();
  if (!isSame(name.slice(0, prefix.length), prefix)) return null;
  const rest = name.slice(prefix.length);
  const role = ROLES.find((each) =>
    isSame(rest.slice(-(separator.length + each.length)), `${separator}${each}`),
  );
  if (role === undefined) return null;
  const workspace = rest.slice(0, -(separator.length + role.length)).trim();
  return workspace === '' ? null : { workspace, role };
}
