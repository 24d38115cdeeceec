import { workspaceRank, type WorkspaceRole } from '@gw/auth-scopes';

/** A role in a workspace that a user has because one of their groups is mapped to it. */
export interface MappedRole {
  readonly workspaceId: string;
  readonly role: WorkspaceRole;
}

/** How a membership was created. */
export type MembershipSource = 'manual' | 'scim' | 'sso';

export interface Membership extends MappedRole {
  readonly source: MembershipSource;
}

export interface MembershipChanges {
  readonly added: readonly MappedRole[];
  readonly changed: readonly MappedRole[];
  readonly removed: readonly MappedRole[];
}

/**
 * Returns the changes that make a user's memberships of one source equal to the mapped roles. When
 * several groups map to one workspace, the highest role counts. Memberships of other sources stay
 * as they are, even with a lower role.
 */
export function membershipChanges(
  source: MembershipSource,
  mapped: readonly MappedRole[],
  current: readonly Membership[],
): MembershipChanges {
  const wanted = new Map<string, MappedRole>();
  for (const each of mapped) {
    const other = wanted.get(each.workspaceId);
    if (other === undefined || workspaceRank(each.role) > workspaceRank(other.role)) {
      wanted.set(each.workspaceId, each);
    }
  }
  const present = new Map(current.map((each) => [each.workspaceId, each]));
  const ofSource = current.filter((membership) => membership.source === source);
  return {
    added: [...wanted.values()].filter(({ workspaceId }) => !present.has(workspaceId)),
    changed: ofSource.flatMap(({ workspaceId, role }) => {
      const to = wanted.get(workspaceId);
      return to === undefined || to.role === role ? [] : [to];
    }),
    removed: ofSource.filter(({ workspaceId }) => !wanted.has(workspaceId)),
  };
}
