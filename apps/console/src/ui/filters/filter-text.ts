import { decodeFilter, VALUES_MAX, type Filter } from '../../url';
import { acceptsFilter, fieldOf, type FilterField } from './fields';

/** Parsed line of the text box. */
export interface FilterText {
  readonly filters: readonly Filter[];
  /** Words that are not filters, for the text search. */
  readonly text: string;
  /** Parts that name a field but are not a valid filter of it. */
  readonly problems: readonly string[];
}

const PART = /(?:[^\s"\\]|\\.|"(?:[^"\\]|\\.)*"?)+/g;

/**
 * Parses `status:5xx key:ci -route:embeddings cost:>1.5 md.team:"search team" words`. A part with
 * an unknown field name is search text, so that times and addresses can be searched.
 */
export function parseFilterText(line: string, fields: readonly FilterField[]): FilterText {
  const filters: Filter[] = [];
  const words: string[] = [];
  const problems: string[] = [];
  for (const [part] of line.matchAll(PART)) {
    const name = /^-?([^:"\s]+):/.exec(part)?.[1];
    const field = name === undefined ? null : namedField(fields, name);
    if (name === undefined || field === null) {
      words.push(part.replace(/^"(.*)"$/, '$1'));
      continue;
    }
    const filter = readPart(part, name, field);
    if (filter !== null && acceptsFilter(fields, filter)) filters.push(filter);
    else problems.push(part);
  }
  return { filters, text: words.join(' '), problems };
}

/** Finds a field by its id or, ignoring case, by its label. */
function namedField(fields: readonly FilterField[], name: string): FilterField | null {
  const byId = fieldOf(fields, name);
  if (byId !== null) return byId;
  const lower = name.toLowerCase();
  return fields.find(({ id, label }) => id.toLowerCase() === lower || label.toLowerCase() === lower) ?? null;
}

function readPart(part: string, name: string, field: FilterField): Filter | null {
  const isNot = part.startsWith('-');
  const value = part.slice((isNot ? 1 : 0) + name.length + 1);
  const filter = decodeFilter(`x:${unquoted(value)}`);
  return filter === null ? null : { ...filter, field: field.id, not: filter.not !== isNot };
}

/** Removes quotes and escapes the special characters within them, which belong to the value. */
const unquoted = (text: string): string =>
  text.replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inner: string) =>
    inner.replace(/\\(.)/g, '$1').replace(/[\\,.!<>]/g, '\\$&'),
  );

/** Adds filters to a list. Joins the values of filters with the same field and negation. */
export function joinFilters(before: readonly Filter[], added: readonly Filter[]): readonly Filter[] {
  const joined = [...before];
  for (const filter of added) {
    const { field, not, match } = filter;
    const at = joined.findIndex(
      (one) => one.field === field && one.not === not && one.match.kind === match.kind,
    );
    const same = joined[at];
    if (same !== undefined && same.match.kind === 'any' && match.kind === 'any') {
      const values = [...new Set([...same.match.values, ...match.values])].slice(0, VALUES_MAX);
      joined[at] = { field, not, match: { kind: 'any', values } };
    } else if (at >= 0) {
      joined[at] = filter;
    } else {
      joined.push(filter);
    }
  }
  return joined;
}

/**
 * Keeps the last filter of each field, with its last value, for an API that takes one value for a
 * field.
 */
export function singleFilters(filters: readonly Filter[]): readonly Filter[] {
  const last = new Map(filters.map((filter) => [filter.field, filter]));
  return [...last.values()].map((filter) =>
    filter.match.kind === 'any'
      ? { ...filter, match: { kind: 'any', values: filter.match.values.slice(-1) } }
      : filter,
  );
}
