import type { WorkspaceRole } from '@gw/auth-scopes';
import type { ScimSettings } from '@gw/entities';

/** Names of groups that give a role in a workspace by themselves: prefix, workspace, separator, role. */
type NamePattern = Pick<ScimSettings, 'workspace_name_prefix' | 'workspace_role_separator'>;

const ROLES: readonly WorkspaceRole[] = ['admin', 'manager', 'member'];

/** What the name of a group says of a workspace, in any case; null when it does not follow the pattern. */
export function readGroupName(
  name: string,
  { workspace_name_prefix: prefix, workspace_role_separator: separator }: Required<NamePattern>,
): { readonly workspace: string; readonly role: WorkspaceRole } | null {
  const lower = name.toLowerCase();
  if (!lower.startsWith(prefix.toLowerCase())) return null;
  const at = lower.lastIndexOf(separator.toLowerCase());
  if (at <= prefix.length) return null;
  const workspace = name.slice(prefix.length, at).trim();
  const role = ROLES.find((each) => each === lower.slice(at + separator.length));
  return role === undefined || workspace === '' ? null : { workspace, role };
}
