import { isObject } from '@gw/kernel';
import { elementMatches } from './matches';
import type { Filter } from './filter';
import type { PatchOperation } from './patch-operation';
import { fault } from './scim-error';

const MEMBERS_MAX = 10_000;

/** A change of the members of a group. Ids are the unchecked texts of the request. */
export type MemberChange =
  | { readonly kind: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }
  | { readonly kind: 'removeWhere'; readonly filter: Filter };

/**
 * Returns the ids in a list of members; a single id or member counts as a list. Throws
 * `invalidValue` and `tooMany`.
 */
export function memberIds(raw: unknown): readonly string[] {
  const elements: readonly unknown[] = Array.isArray(raw)
    ? raw
    : raw === null || raw === undefined
      ? []
      : [raw];
  if (elements.length > MEMBERS_MAX) {
    throw fault('tooMany', `A request has at most ${String(MEMBERS_MAX)} members.`);
  }
  return elements.map((element) => {
    const id = isObject(element) ? element['value'] : element;
    if (typeof id === 'string' && id !== '' && id.length <= 255) return id.toLowerCase();
    throw fault('invalidValue', 'Each element must have a value: an id.');
  });
}

/**
 * Returns the changes that the operations of a PATCH make to a list of references (the members of a
 * group or the groups of a user), in order.
 */
export function memberChanges(
  operations: readonly PatchOperation[],
  attribute: 'members' | 'groups',
): readonly MemberChange[] {
  return operations.flatMap(({ op, path, value }): readonly MemberChange[] => {
    if (path === null) {
      const members = valueIn(value as object, attribute);
      return members === undefined || op === 'remove' ? [] : [{ kind: op, ids: memberIds(members) }];
    }
    if (path.attribute.name !== attribute) return [];
    if (op !== 'remove') {
      if (path.filter !== null || path.sub !== null) {
        throw fault('mutability', 'A member can be added and removed, not changed.');
      }
      return [{ kind: op, ids: memberIds(value) }];
    }
    if (path.filter !== null) return [{ kind: 'removeWhere', filter: path.filter }];
    const isAll = value === undefined || value === null;
    return [isAll ? { kind: 'replace', ids: [] } : { kind: 'remove', ids: memberIds(value) }];
  });
}

const valueIn = (value: object, attribute: string): unknown =>
  Object.entries(value).find(([name]) => name.toLowerCase() === attribute)?.[1];

/** Returns the members after the changes. */
export function changedMembers(
  members: ReadonlySet<string>,
  changes: readonly MemberChange[],
): ReadonlySet<string> {
  let after = new Set(members);
  for (const change of changes) {
    switch (change.kind) {
      case 'add':
        for (const id of change.ids) after.add(id);
        break;
      case 'remove':
        for (const id of change.ids) after.delete(id);
        break;
      case 'replace':
        after = new Set(change.ids);
        break;
      case 'removeWhere':
        after = new Set([...after].filter((value) => !elementMatches(change.filter, { value })));
    }
  }
  return after;
}
