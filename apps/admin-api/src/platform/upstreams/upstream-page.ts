import { QueryIntegerField } from '@gw/web';

/** A page of a list of what upstream servers and agents offer, counted from 1. */
export class UpstreamPage {
  @QueryIntegerField({ min: 1, max: 1_000_000, fallback: 1, description: 'Page, counted from 1.' })
  page!: number;
  @QueryIntegerField({ min: 1, max: 500, fallback: 100 }) page_size!: number;
}

/** The page as `listRows` counts it. */
export const pageFromZero = ({ page, page_size }: UpstreamPage) => ({ current_page: page - 1, page_size });
