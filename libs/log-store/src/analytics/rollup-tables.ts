import type { RequestLogRow } from '../rows/log-columns';

/**
 * Columns that distinguish the rows of a rollup, in addition to organisation, time and metadata.
 */
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

/**
 * Dimensions of graphs and summaries that need no key, user, config or prompt. Rollups by them have
 * few rows.
 */
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

/** Columns of the log that rollups sum as they are. */
export const AMOUNTS = ['cost', 'saved_cost', 'input_tokens', 'output_tokens', 'total_tokens'] as const;

/** Columns of rollups that hold sums. */
export const SUMS = ['requests', ...AMOUNTS, 'duration_us'];

/**
 * Returns SQL for a digest of the columns that identify a series. If the text form of a value
 * changes, its series has two rows, and every request is still counted once.
 */
export const seriesOf = (columns: readonly string[]): string => `md5(ROW(${columns.join(', ')})::text)::uuid`;

/** A rollup table. Requests whose `series` expression is null are not counted in it. */
export interface RollupTable {
  readonly table: string;
  readonly series: string;
  readonly dimensions: readonly string[];
  /** Expression for the metadata; absent for the column `metadata` itself. */
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
