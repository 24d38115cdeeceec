import { getMetadataStorage } from 'class-validator';

/** Rules of a DTO class for one member. */
export interface MemberRule {
  /** Maximum number of list items; null if the member is not a list. */
  readonly itemsMax: number | null;
}

const CACHE = new WeakMap<object, ReadonlyMap<string, MemberRule>>();

/** Returns the members of a DTO class by name: those with a rule, including inherited ones. */
export function membersOf(type: object): ReadonlyMap<string, MemberRule> {
  let known = CACHE.get(type);
  if (!known) {
    known = readMembers(type);
    CACHE.set(type, known);
  }
  return known;
}

function readMembers(type: object): ReadonlyMap<string, MemberRule> {
  const members = new Map<string, MemberRule>();
  const rules = getMetadataStorage().getTargetValidationMetadatas(type as () => void, '', false, false);
  for (const { propertyName, name, constraints } of rules) {
    const max: unknown = name === 'arrayMaxSize' ? (constraints as unknown[])[0] : null;
    const itemsMax = typeof max === 'number' ? max : (members.get(propertyName)?.itemsMax ?? null);
    members.set(propertyName, { itemsMax });
  }
  return members;
}
