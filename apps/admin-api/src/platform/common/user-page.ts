import { QueryIntegerField, type PageQuery } from '@gw/web';

/**
 * Paging of lists of users by `currentPage` and `pageSize`. The snake-case names of other lists are
 * also accepted.
 */
export class UserPageQuery {
  @QueryIntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER }) currentPage?: number;
  @QueryIntegerField({ min: 1, max: 100, description: 'Default: 50.' }) pageSize?: number;
  @QueryIntegerField({ min: 0, max: Number.MAX_SAFE_INTEGER }) current_page?: number;
  @QueryIntegerField({ min: 1, max: 100 }) page_size?: number;
}

export const userPageOf = (query: UserPageQuery): PageQuery => ({
  current_page: query.currentPage ?? query.current_page ?? 0,
  page_size: query.pageSize ?? query.page_size ?? 50,
});
