/** Roles that rules name: those of the workspace, and those of the organisation with a prefix. */
export const RULE_ROLES = ['admin', 'manager', 'member', 'organisation_owner', 'organisation_admin'] as const;

/**
 * Returns the roles of a user, among `RULE_ROLES`, to which the rules of a workspace's servers can
 * apply.
 */
export function userRoles(
  {
    organisationRole,
    workspaceRoles,
  }: {
    readonly organisationRole: string;
    /** Roles by workspace id. */
    readonly workspaceRoles: Readonly<Record<string, string>>;
  },
  workspaceId: string,
): readonly string[] {
  const inWorkspace = Object.hasOwn(workspaceRoles, workspaceId) ? workspaceRoles[workspaceId] : undefined;
  return [...(inWorkspace === undefined ? [] : [inWorkspace]), `organisation_${organisationRole}`];
}
