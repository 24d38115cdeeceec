import type { Filter } from './filter';
import type { Range } from './range';

/** The state of a page that its URL holds. */
export interface PageState {
  readonly range: Range;
  readonly filters: readonly Filter[];
  /** Text that is searched; empty: none. */
  readonly text: string;
  /** Group, measure, kind of chart and comparison; empty: none. */
  readonly by: string;
  readonly show: string;
  readonly as: string;
  readonly vs: string;
  /** Field to sort by, with `-` for descending; empty: the order of the API. */
  readonly sort: string;
  /** Ids of the visible columns; empty: those of the page. */
  readonly cols: readonly string[];
  /** Rows of a page; 0: as the page decides. */
  readonly size: number;
  /** Id of the open row and its tab; empty: none. */
  readonly log: string;
  readonly tab: string;
  /** The list follows new rows. */
  readonly live: boolean;
  /** Name of the saved view that the other members change; empty: none. */
  readonly view: string;
}

/** State of a page whose URL has no parameters. Pages spread it and change what differs. */
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

/** Parameters that a page accepts. Absent members accept every text. */
export interface PageRules {
  readonly defaults: PageState;
  /** Whether the page has a field that can be filtered, and with this filter. */
  readonly acceptsFilter?: (filter: Filter) => boolean;
  /** Accepted values by member; the empty text is always accepted. */
  readonly values?: Readonly<
    Partial<Record<'by' | 'show' | 'as' | 'vs' | 'sort' | 'tab', readonly string[]>>
  >;
  readonly columns?: readonly string[];
}
