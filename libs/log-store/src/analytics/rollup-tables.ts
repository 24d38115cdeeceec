import type { RequestLogRow } from '../rows/log-columns';

/** Columns that tell rows apart, besides the organisation, the time and the metadata. */
export const DIMENSIONS = [
  'workspace_id',
  'api_key_id',
  'user_id',
  'provider',
  'credential',
  'model',
  'config_id',
  'prompt_slug',
  'mcp_server',
  'mcp_method',
  'mcp_capability',
  'route',
  'request_type',
  'status',
  'outcome',
  'cache_status',
  'retries',
  'fell_back',
] as const satisfies readonly (keyof RequestLogRow)[];

/** Dimensions of graphs and summaries that need no key, user, config or prompt: they have few groups. */
export const OVERVIEW_DIMENSIONS = [
  'workspace_id',
  'provider',
  'credential',
  'model',
  'request_type',
  'status',
  'outcome',
  'cache_status',
  'retries',
  'fell_back',
] as const satisfies readonly (typeof DIMENSIONS)[number][];

/** Columns that add up and are found in the log as they are. */
export const AMOUNTS = ['cost', 'saved_cost', 'input_tokens', 'output_tokens', 'total_tokens'] as const;

/** Columns of rollups that add up. */
export const SUMS = ['requests', ...AMOUNTS, 'duration_us'];

/** A digest of what tells series apart; of two spellings of one series, both would be counted, and none twice. */
export const seriesOf = (columns: readonly string[]): string => `md5(ROW(${columns.join(', ')})::text)::uuid`;

/** Facts whose `series` is null have no place in the table. */
export interface RollupTable {
  readonly table: string;
  readonly series: string;
  readonly dimensions: readonly string[];
  /** Where it is not the column of the facts. */
  readonly metadata?: string;
}

export const ROLLUP_TABLES: readonly RollupTable[] = [
  { table: 'usage_rollups', series: 'series', dimensions: DIMENSIONS },
  { table: 'usage_metadata_rollups', series: 'described', dimensions: [...DIMENSIONS, 'metadata'] },
  { table: 'usage_overviews', series: 'overview', dimensions: OVERVIEW_DIMENSIONS },
  {
    table: 'usage_users',
    series: 'user_series',
    dimensions: ['workspace_id', 'metadata'],
    metadata: 'user_metadata',
  },
];
