import { getMetadataStorage } from 'class-validator';

/** What the rules of a DTO class say about one member. */
export interface MemberRule {
  /** Items of a list at most; null: it is no list. */
  readonly itemsMax: number | null;
}

const KNOWN = new WeakMap<object, ReadonlyMap<string, MemberRule>>();

/** The members that a DTO class knows, by name: those that have a rule, inherited ones included. */
export function membersOf(type: object): ReadonlyMap<string, MemberRule> {
  let known = KNOWN.get(type);
  if (!known) {
    known = readMembers(type);
    KNOWN.set(type, known);
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
