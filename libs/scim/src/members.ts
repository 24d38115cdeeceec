import { isObject } from '@gw/kernel';
import { elementMatches } from './matches';
import type { Filter } from './filter';
import type { PatchOperation } from './patch-operation';
import { fault } from './scim-error';

const MEMBERS_MAX = 10_000;
/**
 * Maximum number of comparisons of one request, other than with ids, since each is made with all
 * members.
 */
const COMPARISONS_MAX = 20;

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
  let comparisons = 0;
  return operations.flatMap(({ op, path, value }): readonly MemberChange[] => {
    if (path === null) {
      const members = valueIn(value as object, attribute);
      return members === undefined || op === 'remove' ? [] : [{ kind: op, ids: memberIds(members) }];
    }
    if (path.attribute.name !== attribute) return [];
    if (path.sub !== null || (op !== 'remove' && path.filter !== null)) {
      throw fault('mutability', 'A member can be added and removed, not changed.');
    }
    if (op !== 'remove') return [{ kind: op, ids: memberIds(value) }];
    const removal = removalOf(path.filter, value);
    if (removal.kind === 'removeWhere') comparisons += comparisonsIn(removal.filter);
    if (comparisons <= COMPARISONS_MAX) return [removal];
    throw fault('tooMany', `A request compares members ${String(COMPARISONS_MAX)} times at most.`);
  });
}

/** Returns a removal by a filter or by the members of a value; without either, of all members. */
function removalOf(filter: Filter | null, value: unknown): MemberChange {
  if (filter !== null) {
    const ids = idsIn(filter);
    return ids === null ? { kind: 'removeWhere', filter } : { kind: 'remove', ids };
  }
  return value === undefined || value === null
    ? { kind: 'replace', ids: [] }
    : { kind: 'remove', ids: memberIds(value) };
}

/** Returns the ids of a filter that only names ids; null for another filter. */
function idsIn(filter: Filter): readonly string[] | null {
  const terms = filter.kind === 'or' ? filter.terms : [filter];
  const ids = terms.flatMap((term) =>
    term.kind === 'compare' && term.operator === 'eq' && isByValue(term)
      ? String(term.value).toLowerCase()
      : [],
  );
  return ids.length === terms.length ? ids : null;
}

/**
 * Counts the comparisons of a filter. Throws `invalidFilter` for one by other facts than ids, which
 * are not known here.
 */
function comparisonsIn(filter: Filter): number {
  if (filter.kind === 'not') return comparisonsIn(filter.term);
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.terms.reduce((count, term) => count + comparisonsIn(term), 0);
  if ('path' in filter && isByValue(filter)) return 1;
  throw fault('invalidFilter', 'Members can be filtered by value only.');
}

const isByValue = ({ path }: Extract<Filter, { readonly path: unknown }>): boolean =>
  path.sub?.name === 'value';

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
