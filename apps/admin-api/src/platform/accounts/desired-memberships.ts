import { workspaceRank, type WorkspaceRole } from '@gw/auth-scopes';

/** A role in a workspace that a group gives a user. */
export interface Given {
  readonly workspaceId: string;
  readonly role: WorkspaceRole;
}

/** What gave a membership. */
export type MembershipSource = 'manual' | 'scim' | 'sso';

export interface Membership extends Given {
  readonly source: MembershipSource;
}

export interface MembershipChanges {
  readonly added: readonly Given[];
  readonly changed: readonly Given[];
  readonly removed: readonly Given[];
}

/**
 * Compares what a source gives a user with the memberships that the user has. The highest role in a workspace counts. Memberships
 * from other sources stay as they are, also with a lower role.
 */
export function membershipChanges(
  by: MembershipSource,
  given: readonly Given[],
  has: readonly Membership[],
): MembershipChanges {
  const wanted = new Map<string, Given>();
  for (const each of given) {
    const other = wanted.get(each.workspaceId);
    if (other === undefined || workspaceRank(each.role) > workspaceRank(other.role)) {
      wanted.set(each.workspaceId, each);
    }
  }
  const present = new Map(has.map((each) => [each.workspaceId, each]));
  const ours = has.filter(({ source }) => source === by);
  return {
    added: [...wanted.values()].filter(({ workspaceId }) => !present.has(workspaceId)),
    changed: ours.flatMap(({ workspaceId, role }) => {
      const to = wanted.get(workspaceId);
      return to === undefined || to.role === role ? [] : [to];
    }),
    removed: ours.filter(({ workspaceId }) => !wanted.has(workspaceId)),
  };
}
