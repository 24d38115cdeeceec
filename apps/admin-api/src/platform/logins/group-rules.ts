import { Pattern } from '@gw/config-schema';
import type { SsoConnectionEntity, SsoGroupRule } from '@gw/entities';
import type { ProvidedGroups } from '@gw/federation';
import type { MappedRole } from '../accounts/membership-changes';

/**
 * Maximum number of steps of all pattern searches of one login: pattern instructions times
 * characters of the names; at most 0.1 s.
 */
const STEPS_MAX = 2_000_000;

/** Roles to which the groups of a user are mapped. */
export interface GroupRoles {
  readonly isAdmin: boolean;
  readonly workspaces: readonly MappedRole[];
  /** False when some groups or patterns were not read, so that no role may be removed. */
  readonly isComplete: boolean;
}

/** Applies the rules of a connection to the groups of a user. Every rule that matches counts. */
export function rolesOf(
  { groupRules }: Pick<SsoConnectionEntity, 'groupRules'>,
  { names, isComplete }: ProvidedGroups,
): GroupRoles {
  const search = new Search(names);
  const matched = groupRules.filter((rule) => search.matches(rule));
  return {
    isAdmin: matched.some(({ workspaceId }) => workspaceId === null),
    workspaces: matched.flatMap(({ workspaceId, role }) =>
      workspaceId === null ? [] : [{ workspaceId, role }],
    ),
    isComplete: isComplete && !search.isSpent,
  };
}

/** Matches group names against rules until it has used up its steps. */
class Search {
  private readonly known: ReadonlySet<string>;
  private steps = 0;

  constructor(private readonly names: readonly string[]) {
    this.known = new Set(names);
  }

  get isSpent(): boolean {
    return this.steps > STEPS_MAX;
  }

  matches({ match, value }: SsoGroupRule): boolean {
    switch (match) {
      case 'exact':
        return this.known.has(value);
      case 'prefix':
        return this.names.some((name) => name.startsWith(value));
      case 'regex':
        return this.matchesPattern(Pattern.compile(value));
    }
  }

  private matchesPattern(pattern: Pattern | string): boolean {
    if (typeof pattern === 'string') return false;
    return this.names.some((name) => {
      this.steps += pattern.size * name.length;
      return !this.isSpent && pattern.test(name);
    });
  }
}
