import type { Measure } from '@gw/analytics';
import { toCents, toIso, toMs } from './figures';

interface Column {
  readonly measure: Measure;
  readonly of: (value: number) => number | string;
}

const column = (measure: Measure, of: Column['of'] = (value) => value): Column => ({ measure, of });
const percent = (rate: number): number => rate * 100;

/**
 * Columns that a row of `groups/{groupBy}` can contain. Money in US cents, latencies in
 * milliseconds, rates in percent.
 */
export const COLUMNS = {
  requests: column('requests'),
  cost: column('cost', toCents),
  total_tokens: column('total_tokens'),
  avg_tokens: column('avg_tokens'),
  avg_input_tokens: column('avg_input_tokens'),
  avg_output_tokens: column('avg_output_tokens'),
  avg_latency: column('avg_duration', toMs),
  p95_latency: column('p95'),
  p99_latency: column('p99'),
  success_rate: column('success_rate', percent),
  error_count: column('errors'),
  cache_hit_rate: column('hit_rate', percent),
  last_seen: column('last_seen', toIso),
  first_seen: column('first_seen', toIso),
} as const satisfies Readonly<Record<string, Column>>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as [ColumnName, ...ColumnName[]];
