import type { LogFilterFacts } from '@gw/contracts';
import { LOG_COLUMNS, type LogFilter, type Bounds, type LogMeasure } from '@gw/log-store';
import { QueryEnumListField, QueryTextListField, QueryUuidListField } from '@gw/web';
import { amount, MeasureBounds } from './measure-bounds.dto';

export const VALUES_MAX = 50;

type ValueColumn = keyof LogFilter['values'];
type Query = Readonly<Record<string, unknown>>;

const FILTERS = Object.entries(LOG_COLUMNS).flatMap(([column, facts]) => {
  const { filter } = facts as { readonly filter?: LogFilterFacts };
  return filter === undefined ? [] : [{ column, ...filter }];
});

/** Query parameters that filter columns, as `LOG_FIELDS` and `LOG_COLUMNS` declare them. */
class DeclaredFilters extends MeasureBounds {}

for (const { column, anyOf, about, alias, between } of FILTERS) {
  if (anyOf) {
    valueField(anyOf, about)(DeclaredFilters.prototype, column);
    if (alias) valueField(anyOf, alias.about)(DeclaredFilters.prototype, alias.name);
  }
  if (between) {
    amount(between.max, `${between.about}, at least.`)(DeclaredFilters.prototype, `${between.name}_min`);
    amount(between.max, `${between.about}, at most.`)(DeclaredFilters.prototype, `${between.name}_max`);
  }
}

function valueField(values: 'text' | 'uuid' | readonly string[], description = ''): PropertyDecorator {
  if (typeof values !== 'string') return QueryEnumListField(values);
  const Field = values === 'uuid' ? QueryUuidListField : QueryTextListField;
  return Field({ optional: true, max: VALUES_MAX, description });
}

export const LogFilterFields = DeclaredFilters as new () => MeasureBounds & {
  [Column in ValueColumn]?: string[];
};

/** Returns the values to match, by column. */
export const wantedValues = (query: Query): LogFilter['values'] =>
  Object.fromEntries(
    FILTERS.flatMap(({ column, anyOf, alias }) => {
      const values = query[column] ?? (alias && query[alias.name]);
      return anyOf === undefined || values === undefined ? [] : [[column, values]];
    }),
  );

/** Returns the bounds of each column with its own `_min` and `_max` parameters. */
export const wantedRanges = (query: Query): { readonly [column in LogMeasure]?: Bounds<number> } =>
  Object.fromEntries(
    FILTERS.flatMap(({ column, between }) =>
      between ? [[column, { min: query[`${between.name}_min`], max: query[`${between.name}_max`] }]] : [],
    ),
  );
