import type { Filter } from './filter';
import type { Range } from './range';

/** State of a page that is stored in its URL. */
export interface PageState {
  readonly range: Range;
  readonly filters: readonly Filter[];
  /** Search text; empty for none. */
  readonly text: string;
  /** Group of a chart; empty for none. */
  readonly by: string;
  readonly show: string;
  readonly as: string;
  readonly vs: string;
  /** Sorted field, with `-` for descending; empty for the default order of the API. */
  readonly sort: string;
  /** Ids of the visible columns; empty for the default columns of the page. */
  readonly cols: readonly string[];
  /** Number of rows of a page; 0 for the default. */
  readonly size: number;
  /** Id of the open row; empty for none. */
  readonly log: string;
  readonly tab: string;
  /** True when the list follows new rows. */
  readonly live: boolean;
  /** Name of the saved view on which the other members are based; empty for none. */
  readonly view: string;
}

/** State of a page whose URL has no parameters. Pages spread it and override members. */
export const PAGE_DEFAULTS: PageState = {
  range: { kind: 'relative', span: '24h' },
  filters: [],
  text: '',
  by: '',
  show: '',
  as: '',
  vs: '',
  sort: '',
  cols: [],
  size: 0,
  log: '',
  tab: '',
  live: false,
  view: '',
};

/** Parameters that a page accepts. Absent members accept any text. */
export interface PageRules {
  readonly defaults: PageState;
  /** Whether the page has the field and accepts the filter. */
  readonly acceptsFilter?: (filter: Filter) => boolean;
  /** Accepted values by member; the empty text is always accepted. */
  readonly values?: Readonly<
    Partial<Record<'by' | 'show' | 'as' | 'vs' | 'sort' | 'tab', readonly string[]>>
  >;
  readonly columns?: readonly string[];
}
