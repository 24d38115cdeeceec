import { EnumField, TextField } from '@gw/web';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * Fields by which lists can be ordered. By default, texts are ascending and times newest first;
 * rows without the time come last.
 */
const FIELDS = {
  created_at: { column: 'createdAt', isText: false },
  last_updated_at: { column: 'lastUpdatedAt', isText: false },
  expires_at: { column: 'expiresAt', isText: false },
  name: { column: 'name', isText: true },
  email: { column: 'email', isText: true },
} as const;

export type OrderField = keyof typeof FIELDS;

/** Query parameters that order a list. */
export interface ListOrder {
  readonly sort?: OrderField;
  readonly order?: 'asc' | 'desc';
}

export interface ListSearch extends ListOrder {
  readonly search?: string;
}

type Class<B> = new () => B;

/** Fields of a list of rows with a name. */
export const BY_NAME: readonly OrderField[] = ['created_at', 'last_updated_at', 'name'];

/** Adds `sort` and `order` to the query class of a list. The first field is the default. */
export function orderedBy<B extends object>(
  base: Class<B>,
  fields: readonly OrderField[],
): Class<B & ListOrder> {
  class Ordered extends (base as Class<object>) implements ListOrder {
    @EnumField(fields, { optional: true, description: `Default: ${fields[0] ?? ''}.` })
    sort?: OrderField;

    @EnumField(['asc', 'desc'], { optional: true, description: 'Default: asc for texts, desc for times.' })
    order?: 'asc' | 'desc';
  }
  return Ordered as Class<B & ListOrder>;
}

/**
 * Adds `search`, `sort` and `order`: `class ListThingsQuery extends searchable(pageOf({ size: 50
 * })) {}`.
 */
export function searchable<B extends object>(
  base: Class<B>,
  fields: readonly OrderField[] = BY_NAME,
  searched = 'name or slug',
): Class<B & ListSearch> {
  class Searchable extends (orderedBy(base, fields) as Class<ListOrder>) implements ListSearch {
    @TextField({ optional: true, description: `Part of the ${searched}, in any case.` })
    search?: string;
  }
  return Searchable as Class<B & ListSearch>;
}

/**
 * Orders rows as the query requests, then by id, so that no row is on two pages. `aliasOf` returns
 * the table alias of a field if it differs from that of the query.
 */
export function orderRows<R extends ObjectLiteral>(
  rows: SelectQueryBuilder<R>,
  { sort = 'created_at', order }: ListOrder,
  id = `${rows.alias}.id`,
  aliasOf: (field: OrderField) => string = () => rows.alias,
): SelectQueryBuilder<R> {
  const { column, isText } = FIELDS[sort];
  const direction = (order ?? (isText ? 'asc' : 'desc')) === 'asc' ? 'ASC' : 'DESC';
  const path = `${aliasOf(sort)}.${column}`;
  if (isText) rows.orderBy(`lower(${path})`, direction);
  else if (sort === 'expires_at') rows.orderBy(path, direction, 'NULLS LAST');
  else rows.orderBy(path, direction);
  return rows.addOrderBy(id, direction);
}

/** Whether the query requests the default order. */
export const isNewestFirst = ({ sort = 'created_at', order = 'desc' }: ListOrder): boolean =>
  sort === 'created_at' && order === 'desc';
