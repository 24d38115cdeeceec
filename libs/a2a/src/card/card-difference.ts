import { canonicalJson, isObject } from '@gw/kernel';
import type { Members } from '../shapes/members';

/** Differences between two cards of an agent. */
export interface CardDifference {
  /** Ids of added skills. */
  readonly addedSkills: readonly string[];
  readonly removedSkills: readonly string[];
  readonly changedSkills: readonly string[];
  /** Names of other members that were added, removed or changed, without signatures. */
  readonly members: readonly string[];
}

/**
 * Members that are compared separately (`skills`), or that change without another change
 * (`signatures`).
 */
const APART: ReadonlySet<string> = new Set(['skills', 'signatures']);

/** Compares two cards. If skills have the same id, the last one counts. */
export function cardDifference(before: Members, after: Members): CardDifference {
  const skills = differing(skillsOf(before), skillsOf(after));
  const { added, removed, changed } = differing(membersOf(before), membersOf(after));
  return {
    addedSkills: skills.added,
    removedSkills: skills.removed,
    changedSkills: skills.changed,
    members: [...added, ...removed, ...changed],
  };
}

const membersOf = (card: Members): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(card).filter(([name]) => !APART.has(name)));

const skillsOf = ({ skills }: Members): ReadonlyMap<string, unknown> =>
  new Map(
    (Array.isArray(skills) ? (skills as unknown[]) : []).flatMap((skill): [string, unknown][] =>
      isObject(skill) && typeof skill['id'] === 'string' ? [[skill['id'], skill]] : [],
    ),
  );

function differing(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter(
      (name) => before.has(name) && canonicalJson(before.get(name)) !== canonicalJson(after.get(name)),
    ),
  };
}
