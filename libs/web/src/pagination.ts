import { QueryIntegerField } from './fields/query-fields';

/** A page of a list, counted from 0. Derive from `pageOf(…)` for another default or bound. */
export interface PageQuery {
  readonly current_page: number;
  readonly page_size: number;
}

/**
 * The base class of a list's query: `class ListKeysQuery extends pageOf({ size: 50 }) {}`. Out of bounds is a 400 that names
 * the field.
 */
export function pageOf(options: { readonly size: number; readonly sizeMax?: number }): new () => PageQuery {
  class Page implements PageQuery {
    @QueryIntegerField({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 0,
      description: 'Page, counted from 0; empty behind the last.',
    })
    current_page!: number;

    @QueryIntegerField({ min: 1, max: options.sizeMax ?? 1000, fallback: options.size })
    page_size!: number;
  }
  return Page;
}

/** What a repository's `findAndCount` takes. */
export const windowOf = (page: PageQuery): { skip: number; take: number } => ({
  skip: page.current_page * page.page_size,
  take: page.page_size,
});

export interface ListAnswer<T> {
  readonly object: 'list';
  readonly total: number;
  readonly data: T[];
}

/** The usual list: `{ object: "list", total, data }`. */
export const listOf = <T>([data, total]: readonly [T[], number]): ListAnswer<T> => ({
  object: 'list',
  total,
  data,
});

/** Without `object`, as guardrails, labels, collections and MCP servers answer. */
export const plainListOf = <T>([data, total]: readonly [T[], number]): { data: T[]; total: number } => ({
  data,
  total,
});

/** `{ data, total, has_more }`, as MCP integrations answer. */
export const listWithMoreOf = <T>(
  [data, total]: readonly [T[], number],
  page: PageQuery,
): { data: T[]; total: number; has_more: boolean } => ({
  data,
  total,
  has_more: (page.current_page + 1) * page.page_size < total,
});

/** `{ records, total, object: "list" }`, as the audit log answers. */
export const recordsOf = <T>([records, total]: readonly [T[], number]): {
  records: T[];
  total: number;
  object: 'list';
} => ({ records, total, object: 'list' });
