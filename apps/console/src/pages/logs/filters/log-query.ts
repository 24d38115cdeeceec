import type { QueryOf } from '../../../api';
import { joinFilters } from '../../../ui/filters';
import { VALUES_MAX, type Filter, type ResolvedRange } from '../../../url';
import { logField, metadataName, type LogField } from './fields';

export type LogsQuery = NonNullable<QueryOf<'logs_list'>>;
export type GraphQuery = QueryOf<'analyticsGraphs_requests'>;

type Parameters = Record<string, string | number | boolean | readonly string[]>;

/**
 * Returns the ids of the API keys with a name; the text itself when it is an id or no key has that
 * name.
 */
export type KeyNames = (text: string) => readonly string[];

/**
 * Joins filters of the same field, because the API takes one list of values for a field. Metadata
 * and yes-or-no fields keep only the value that was chosen last.
 */
export function normalised(filters: readonly Filter[]): readonly Filter[] {
  return joinFilters([], filters).map((filter) => {
    const isSingle = metadataName(filter.field) !== null || logField(filter.field)?.isFlag === true;
    if (!isSingle || filter.match.kind !== 'any') return filter;
    return { ...filter, match: { kind: 'any', values: filter.match.values.slice(-1) } };
  });
}

/** Parameters of the list and the tail, without the time range. */
export const filterQuery = (filters: readonly Filter[], idsOf: KeyNames): Partial<LogsQuery> =>
  parametersOf(filters, idsOf, ({ parameter }) => parameter) ?? {};

/**
 * Whether the graphs cannot apply a filter: they lack its field, or it filters by a class of
 * statuses such as 5xx.
 */
const isUnknown = ({ field, match }: Filter): boolean =>
  logField(field)?.graph === undefined ||
  (field === 'status' && match.kind === 'any' && match.values.some((value) => !/^[1-9]\d\d$/.test(value)));

/** Distinct labels of the filters that the graphs cannot apply. */
export const unknownToGraphs = (filters: readonly Filter[]): readonly string[] => [
  ...new Set(filters.filter(isUnknown).map(({ field }) => logField(field)?.label ?? field)),
];

/**
 * Parameters of the graphs, without the time range. Null when the graphs cannot apply all filters
 * and would therefore count other requests than the list shows.
 */
export const graphFilters = (filters: readonly Filter[], idsOf: KeyNames): Partial<GraphQuery> | null =>
  filters.some(isUnknown) ? null : parametersOf(filters, idsOf, ({ graph }) => graph);

export const timeQuery = ({ from, to }: ResolvedRange, isOpenEnded: boolean) => ({
  time_of_generation_min: new Date(from).toISOString(),
  ...(isOpenEnded ? {} : { time_of_generation_max: new Date(to).toISOString() }),
});

function parametersOf(
  filters: readonly Filter[],
  idsOf: KeyNames,
  nameOf: (field: LogField) => string | undefined,
): Parameters | null {
  const parameters: Parameters = {};
  const metadata: Record<string, string> = {};
  for (const filter of filters) {
    const field = logField(filter.field);
    const name = field && nameOf(field);
    if (field === undefined || name === undefined) return null;
    const own = metadataName(filter.field);
    const { match } = filter;
    if (match.kind !== 'any') addBounds(parameters, name, boundsOf(filter, field.step ?? 1));
    else if (own !== null) metadata[own] = match.values.at(-1) ?? '';
    else if (field.isFlag === true) parameters[name] = match.values.at(-1) === 'yes';
    else parameters[name] = valuesOf(filter, match.values, field, idsOf);
  }
  if (Object.keys(metadata).length > 0) parameters['metadata'] = JSON.stringify(metadata);
  return parameters;
}

/** Values to match; for a negated field with a closed set of values, all other values. */
function valuesOf(
  { not, field: id }: Filter,
  values: readonly string[],
  field: LogField,
  idsOf: KeyNames,
): readonly string[] {
  if (id === 'key') return values.flatMap(idsOf).slice(0, VALUES_MAX);
  if (!not || !Array.isArray(field.options)) return values;
  const all = field.options as readonly { readonly value: string }[];
  return all.map(({ value }) => value).filter((value) => !values.includes(value));
}

interface NumberBounds {
  readonly min: number | null;
  readonly max: number | null;
}

/** Converts a number filter to the inclusive bounds of the API. */
function boundsOf({ match }: Filter, step: number): NumberBounds {
  if (match.kind === 'between') return { min: match.low, max: match.high };
  if (match.kind === 'any') return { min: null, max: null };
  const { op, value } = match;
  switch (op) {
    case '>':
      return { min: step === 1 ? Math.floor(value) + 1 : decimal(value + step), max: null };
    case '>=':
      return { min: value, max: null };
    case '<':
      return { min: null, max: step === 1 ? Math.ceil(value) - 1 : decimal(value - step) };
    case '<=':
      return { min: null, max: value };
  }
}

/** Adds bounds to those that the parameters already have; the stricter bound wins. */
function addBounds(parameters: Parameters, name: string, { min, max }: NumberBounds): void {
  const [low, high] = [parameters[`${name}_min`], parameters[`${name}_max`]];
  if (min !== null) parameters[`${name}_min`] = typeof low === 'number' ? Math.max(low, min) : min;
  if (max !== null) parameters[`${name}_max`] = typeof high === 'number' ? Math.min(high, max) : max;
}

const decimal = (value: number): number => Number(value.toFixed(6));
