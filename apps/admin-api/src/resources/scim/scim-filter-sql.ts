import type { Attribute, AttributePath, Filter, Operator } from '@gw/scim';

/** SQL of an attribute: a single value, or a list whose elements are rows of `from`. */
export type Column =
  | { readonly kind: 'value'; readonly sql: string; readonly lowered?: true }
  | { readonly kind: 'list'; readonly from: string; readonly value: (sub: Attribute) => string | null };

/** Returns the SQL of an attribute; null for an attribute that no row has. */
export type Columns = (path: AttributePath) => Column | null;

/** An SQL condition with the values of its parameters, the first of which is `$first`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Compiles a filter to an SQL condition. Attribute names come only from the schema tables, and each
 * value of the filter is a parameter, so the SQL contains no text of the request.
 */
export function conditionOf(filter: Filter, columns: Columns, first: number): Condition {
  const values: unknown[] = [];
  const parameter = (value: unknown): string => {
    values.push(value);
    return `$${String(first + values.length - 1)}`;
  };
  return { sql: compiled(filter, { columns, parameter, inside: null, isNegated: false }), values };
}

interface Scope {
  readonly columns: Columns;
  readonly parameter: (value: unknown) => string;
  /** Column of the list whose elements are compared; null outside of brackets. */
  readonly inside: Extract<Column, { kind: 'list' }> | null;
  /**
   * Whether a NOT surrounds the condition, which must then be false instead of null when there is
   * no value.
   */
  readonly isNegated: boolean;
}

function compiled(filter: Filter, scope: Scope): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.terms.map((term) => compiled(term, scope)).join(` ${filter.kind} `)})`;
    case 'not':
      return `NOT (${compiled(filter.term, { ...scope, isNegated: true })})`;
    case 'never':
      return 'false';
    case 'present':
      return onValue(filter.path, scope, (sql) => `${sql} IS NOT NULL`);
    case 'compare':
      return compared(filter, scope);
    case 'some': {
      const column = scope.columns(filter.path);
      if (column?.kind !== 'list') return 'false';
      return `EXISTS (SELECT 1 FROM ${column.from} WHERE ${compiled(filter.term, { ...scope, inside: column })})`;
    }
  }
}

/** Returns the SQL of a comparison. `ne` is also true when there is no value (RFC 7644). */
function compared(filter: Extract<Filter, { kind: 'compare' }>, scope: Scope): string {
  const { path, operator } = filter;
  if (operator === 'ne')
    return `NOT (${compared({ ...filter, operator: 'eq' }, { ...scope, isNegated: true })})`;
  return onValue(path, scope, (sql, lowered) =>
    comparison(path, operator, filter.value, { sql, lowered }, scope),
  );
}

function onValue(path: AttributePath, scope: Scope, test: (sql: string, lowered: boolean) => string): string {
  if (scope.inside !== null) {
    const sql = path.sub === null ? null : scope.inside.value(path.sub);
    return sql === null ? 'false' : settled(test(sql, false), scope);
  }
  const column = scope.columns(path);
  if (column === null) return 'false';
  if (column.kind === 'value') return settled(test(column.sql, column.lowered === true), scope);
  const sql = path.sub === null ? 'true' : column.value(path.sub);
  return sql === null ? 'false' : `EXISTS (SELECT 1 FROM ${column.from} WHERE ${test(sql, false)})`;
}

/**
 * Makes a condition false instead of null within a NOT. Elsewhere null counts as false anyway, and
 * the plain condition can use an index.
 */
const settled = (condition: string, { isNegated }: Scope): string =>
  isNegated ? `coalesce(${condition}, false)` : condition;

/**
 * SQL of text comparisons, none of which interprets wildcards. `of` and `value` are SQL
 * expressions.
 */
const TEXT: Readonly<Record<Exclude<Operator, 'ne'>, (of: string, value: string) => string>> = {
  eq: (of, value) => `${of} = ${value}`,
  co: (of, value) => `position(${value} in ${of}) > 0`,
  sw: (of, value) => `starts_with(${of}, ${value})`,
  ew: (of, value) => `right(${of}, length(${value})) = ${value}`,
  gt: (of, value) => `${of} COLLATE "C" > ${value}`,
  ge: (of, value) => `${of} COLLATE "C" >= ${value}`,
  lt: (of, value) => `${of} COLLATE "C" < ${value}`,
  le: (of, value) => `${of} COLLATE "C" <= ${value}`,
};

const TIME: Readonly<Partial<Record<Operator, string>>> = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' };

function comparison(
  { attribute, sub }: AttributePath,
  operator: Exclude<Operator, 'ne'>,
  wanted: unknown,
  { sql, lowered }: { readonly sql: string; readonly lowered: boolean },
  { parameter }: Scope,
): string {
  const { type, caseExact } = sub ?? attribute;
  if (typeof wanted === 'boolean') return `(${sql})::boolean = ${parameter(wanted)}::boolean`;
  if (type === 'dateTime') return `${sql} ${TIME[operator] ?? '='} ${parameter(wanted)}::timestamptz`;
  const text = String(wanted);
  if (caseExact === true) return TEXT[operator](sql, `${parameter(text)}::text`);
  return TEXT[operator](lowered ? sql : `lower(${sql})`, `${parameter(text.toLowerCase())}::text`);
}
