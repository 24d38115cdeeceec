import type { AttributePath } from './attribute-path';
import { holderOf, isList, isParts, type Parts, type ScimDocument } from './document';
import type { Filter, FilterValue, Operator } from './filter';
import type { Attribute } from './schemas';

/** Whether a resource matches a filter. */
export function matches(filter: Filter, document: ScimDocument): boolean {
  return holds(filter, (path) => valuesOf(document, path), document);
}

/** Whether an element of a list matches a filter, whose paths name sub-attributes of the list. */
export function elementMatches(filter: Filter, element: Parts): boolean {
  return holds(filter, ({ sub }) => present(sub === null ? undefined : element[sub.name]), {});
}

type Reader = (path: AttributePath) => readonly (string | boolean)[];

function holds(filter: Filter, read: Reader, document: ScimDocument): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => holds(term, read, document));
    case 'or':
      return filter.terms.some((term) => holds(term, read, document));
    case 'not':
      return !holds(filter.term, read, document);
    case 'present':
      return read(filter.path).length > 0;
    case 'compare':
      return compares(filter, read(filter.path));
    case 'some':
      return elementsOf(document, filter.path).some((element) => elementMatches(filter.term, element));
    case 'never':
      return false;
  }
}

/** Whether a comparison holds for the values. `ne` also holds without a value (RFC 7644). */
function compares(
  { path, operator, value }: Extract<Filter, { kind: 'compare' }>,
  values: readonly (string | boolean)[],
): boolean {
  const attribute = path.sub ?? path.attribute;
  if (operator === 'ne') return !values.some((each) => isSo('eq', each, value, attribute));
  return values.some((each) => isSo(operator, each, value, attribute));
}

const COMPARED: Readonly<Record<Operator, (stored: string, wanted: string) => boolean>> = {
  eq: (stored, wanted) => stored === wanted,
  ne: (stored, wanted) => stored !== wanted,
  co: (stored, wanted) => stored.includes(wanted),
  sw: (stored, wanted) => stored.startsWith(wanted),
  ew: (stored, wanted) => stored.endsWith(wanted),
  gt: (stored, wanted) => stored > wanted,
  ge: (stored, wanted) => stored >= wanted,
  lt: (stored, wanted) => stored < wanted,
  le: (stored, wanted) => stored <= wanted,
};

/**
 * Whether a comparison holds for one value. Texts are compared case-insensitively unless the schema
 * has `caseExact`.
 */
function isSo(
  operator: Operator,
  stored: string | boolean,
  wanted: FilterValue,
  { caseExact, type }: Attribute,
): boolean {
  if (typeof stored === 'boolean' || typeof wanted !== 'string')
    return operator === 'eq' && stored === wanted;
  const isExact = caseExact === true || type === 'dateTime';
  const compared = COMPARED[operator];
  return isExact ? compared(stored, wanted) : compared(stored.toLowerCase(), wanted.toLowerCase());
}

function elementsOf(document: ScimDocument, path: AttributePath): readonly Parts[] {
  const value = holderOf(document, path)[path.attribute.name];
  return isList(value) ? value : [];
}

const present = (value: string | boolean | undefined): readonly (string | boolean)[] =>
  value === undefined ? [] : [value];

function valuesOf(document: ScimDocument, path: AttributePath): readonly (string | boolean)[] {
  const value = holderOf(document, path)[path.attribute.name];
  if (value === undefined) return [];
  if (typeof value !== 'object') return [value];
  const parts = isList(value) ? value : isParts(value) ? [value] : [];
  if (path.sub === null) return parts.length > 0 ? [true] : [];
  const { name } = path.sub;
  return parts.flatMap((each) => present(each[name]));
}
