import { QueryIntegerField } from './fields/query-fields';

/** Page parameters of a list, counted from 0. Use `pageOf(…)` for other defaults or bounds. */
export interface PageQuery {
  readonly current_page: number;
  readonly page_size: number;
}

/**
 * Creates the base class of a list query: `class ListKeysQuery extends pageOf({ size: 50 }) {}`.
 * Values out of bounds are 400 with the field's name.
 */
export function pageOf(options: { readonly size: number; readonly sizeMax?: number }): new () => PageQuery {
  class Page implements PageQuery {
    @QueryIntegerField({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      description: 'Page, counted from 0; empty after the last page.',
    })
    current_page!: number;

    @QueryIntegerField({ min: 1, max: options.sizeMax ?? 1000, fallback: options.size })
    page_size!: number;
  }
  return Page;
}

/** Returns the arguments for a repository's `findAndCount`. */
export const windowOf = (page: PageQuery): { skip: number; take: number } => ({
  skip: page.current_page * page.page_size,
  take: page.page_size,
});

export interface ListResponse<T> {
  readonly object: 'list';
  readonly total: number;
  readonly data: T[];
}

/** The usual list: `{ object: "list", total, data }`. */
export const listOf = <T>([data, total]: readonly [T[], number]): ListResponse<T> => ({
  object: 'list',
  total,
  data,
});

/** The list without `object` of guardrails, labels, collections and MCP servers. */
export const plainListOf = <T>([data, total]: readonly [T[], number]): { data: T[]; total: number } => ({
  data,
  total,
});

/** The list of MCP integrations: `{ data, total, has_more }`. */
export const listWithMoreOf = <T>(
  [data, total]: readonly [T[], number],
  page: PageQuery,
): { data: T[]; total: number; has_more: boolean } => ({
  data,
  total,
  has_more: (page.current_page + 1) * page.page_size < total,
});

/** The list of the audit log: `{ records, total, object: "list" }`. */
export const recordsOf = <T>([records, total]: readonly [T[], number]): {
  records: T[];
  total: number;
  object: 'list';
} => ({ records, total, object: 'list' });
