import { QueryIntegerField } from '@gw/web';

/** Paging of lists of capabilities of upstream servers and agents. Pages count from 1. */
export class UpstreamPage {
  @QueryIntegerField({ min: 1, max: 1_000_000, fallback: 1, description: 'Page number, counted from 1.' })
  page!: number;
  @QueryIntegerField({ min: 1, max: 500, fallback: 100 }) page_size!: number;
}

/** Converts the page to the form of `listRows`, which counts pages from 0. */
export const pageFromZero = ({ page, page_size }: UpstreamPage) => ({ current_page: page - 1, page_size });
