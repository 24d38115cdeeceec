import {
  analyticsRow,
  asksForMetadata,
  asksForSingles,
  countStatement,
  DIMENSIONS,
  filterConditions,
  LATENCY_BOUNDS,
  rowsStatement,
  type AnalyticsAsk,
  type AnalyticsRow,
  type AnalyticsStore,
  type Bind,
} from '@gw/analytics';
import type { DataSource } from 'typeorm';
import { binder, POSTGRES } from './postgres-dialect';
import { sourcesOf, type Source } from './sources';

/** Columns that are the same in rollups and in the log. */
const SHARED = [...DIMENSIONS, 'fell_back'] as const;

const MILLISECONDS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)`;

/** Answers from rollups where they can, and from the log for the rest: single requests, minutes, and parts of an hour at both ends. */
export class PostgresAnalytics implements AnalyticsStore {
  constructor(private readonly source: DataSource) {}

  async rows(ask: AnalyticsAsk): Promise<AnalyticsRow[]> {
    const found = await this.run(ask, rowsStatement);
    return found.map((row) => analyticsRow(ask, row));
  }

  async count(ask: AnalyticsAsk): Promise<number> {
    const [found] = await this.run(ask, countStatement);
    return Number(found?.['total'] ?? 0);
  }

  private run(ask: AnalyticsAsk, statement: typeof rowsStatement): Promise<Record<string, unknown>[]> {
    const parameters: unknown[] = [];
    const bind = binder(parameters);
    const withMetadata = asksForMetadata(ask);
    const conditions = [...ownerConditions(ask, bind), ...filterConditions(ask, POSTGRES, bind)];
    const sources = sourcesOf(ask, asksForSingles(ask), Date.now());
    const facts = sources
      .map((source) => factsOf(source, withMetadata, conditions, bind))
      .join(' UNION ALL ');
    return this.source.query(statement(ask, facts, POSTGRES, bind), parameters);
  }
}

function ownerConditions({ scope }: AnalyticsAsk, bind: Bind): string[] {
  const conditions = [`organisation_id = ${bind(scope.organisationId, 'uuid')}`];
  if (scope.workspaceId !== null) conditions.push(`workspace_id = ${bind(scope.workspaceId, 'uuid')}`);
  if (scope.userId !== null) conditions.push(`user_id = ${bind(scope.userId, 'text')}`);
  return conditions;
}

function factsOf(source: Source, withMetadata: boolean, conditions: readonly string[], bind: Bind): string {
  const shared = [...SHARED, ...(withMetadata ? ['metadata'] : [])].join(', ');
  const time = (ms: number): string => `to_timestamp(${bind(ms, 'number')}::double precision / 1000)`;
  if (source.grain === null) {
    return `SELECT ${shared}, 1 AS requests, cost, saved_cost, input_tokens, output_tokens, total_tokens,
        round(duration_ms::numeric * 1000) AS duration_us,
        ${MILLISECONDS('created_at')} AS first_ms, ${MILLISECONDS('created_at')} AS last_ms,
        ARRAY[width_bucket(duration_ms, ${bounds(bind)})]::smallint[] AS latency_buckets, '{1}'::integer[] AS latency_counts
      FROM request_logs
      WHERE created_at >= ${time(source.from)} AND created_at < ${time(source.end)} AND ${conditions.join(' AND ')}`;
  }
  const table = withMetadata ? 'usage_metadata_rollups' : 'usage_rollups';
  return `SELECT ${shared}, requests, cost, saved_cost, input_tokens, output_tokens, total_tokens, duration_us,
      ${MILLISECONDS('first_at')} AS first_ms, ${MILLISECONDS('last_at')} AS last_ms, latency_buckets, latency_counts
    FROM ${table}
    WHERE requests > 0 AND grain = ${String(source.grain)} AND at >= ${time(source.from)} AND at < ${time(source.end)}
      AND ${conditions.join(' AND ')}`;
}

const bounds = (bind: Bind): string => `${bind(LATENCY_BOUNDS, 'floats')}`;
