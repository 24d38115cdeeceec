import type { Parts } from './document';
import type { Filter } from './filter';
import { elementMatches } from './matches';
import type { PatchPath } from './patch-operation';
import type { Attribute } from './schemas';
import { fault } from './scim-error';
import { readPart, readParts, readValue, withOnePrimary } from './values';

type Elements = readonly Parts[];

const readElements = (attribute: Attribute, raw: unknown): Elements =>
  (readValue(attribute, raw) ?? []) as Elements;

/**
 * Adds elements to a list. An element whose value the list already contains changes that element.
 */
export function addElements(elements: Elements, { attribute }: PatchPath, raw: unknown): Elements {
  const added = readElements(attribute, raw);
  const merged = added.reduce<Elements>((list, element) => {
    const known = list.findIndex((each) => isSame(each, element));
    return known < 0 ? [...list, element] : list.with(known, { ...list[known], ...element });
  }, elements);
  return bounded(attribute, withOnePrimary(merged, added));
}

export const replaceElements = ({ attribute }: PatchPath, raw: unknown): Elements | undefined => {
  const elements = readElements(attribute, raw);
  return elements.length === 0 ? undefined : withOnePrimary(elements);
};

/**
 * Removes the elements that match the filter or equal the value; without both it removes all
 * elements.
 */
export function removeElements(
  elements: Elements,
  { attribute, sub, filter }: PatchPath,
  raw: unknown,
): Elements | undefined {
  const given = raw === undefined || raw === null ? null : readElements(attribute, raw);
  const isMeant = (element: Parts): boolean =>
    filter === null
      ? given === null || given.some((each) => isSame(each, element))
      : elementMatches(filter, element);
  const left = elements.flatMap((element) => {
    if (!isMeant(element)) return [element];
    const rest = sub === null ? undefined : readParts(attribute, { ...element, [sub.name]: null });
    return rest === undefined ? [] : [rest];
  });
  return left.length === 0 ? undefined : left;
}

/**
 * Changes the elements that match the filter; all elements without a filter. When none matches, it
 * adds an element with the filter's values: identity providers add a first e-mail address that way.
 */
export function changeElements(elements: Elements, path: PatchPath, raw: unknown): Elements | undefined {
  const { attribute, filter } = path;
  const change = changeOf(path, raw);
  const meant = elements.filter((element) => filter === null || elementMatches(filter, element));
  if (meant.length === 0) return addElements(elements, path, [{ ...wanted(filter), ...change }]);
  const changed = elements.map((element) => (meant.includes(element) ? { ...element, ...change } : element));
  const kept = changed.flatMap((element): Elements => {
    const parts = readParts(attribute, element);
    return parts === undefined ? [] : [parts];
  });
  const primary = kept.filter((element) => element['primary'] === true && change['primary'] === true);
  return kept.length === 0 ? undefined : withOnePrimary(kept, primary);
}

function changeOf({ attribute, sub }: PatchPath, raw: unknown): Readonly<Record<string, unknown>> {
  return sub === null ? { ...readParts(attribute, raw) } : { [sub.name]: readPart(sub, raw) };
}

/**
 * Returns the values in a filter of equalities such as `type eq "work"`. Throws `noTarget` for
 * another filter.
 */
function wanted(filter: Filter | null): Readonly<Record<string, unknown>> {
  if (filter === null) return {};
  if (filter.kind === 'and') return Object.assign({}, ...filter.terms.map(wanted)) as Record<string, unknown>;
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.sub !== null) {
    return { [filter.path.sub.name]: filter.value };
  }
  throw fault('noTarget', 'No value matches the filter of the path.');
}

const isSame = (one: Parts, other: Parts): boolean =>
  String(one['value']).toLowerCase() === String(other['value']).toLowerCase() &&
  (one['type'] === undefined || other['type'] === undefined || one['type'] === other['type']);

function bounded(attribute: Attribute, elements: Elements): Elements {
  if (elements.length <= 100) return elements;
  throw fault('invalidValue', `${attribute.name} has at most 100 values.`);
}
