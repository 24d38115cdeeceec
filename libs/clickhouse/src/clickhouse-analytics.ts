import {
  analyticsRow,
  needsMetadata,
  countStatement,
  filterConditions,
  rowsStatement,
  type AnalyticsQueryCase,
  type AnalyticsRow,
  type AnalyticsStore,
  type Bind,
  type BoundType,
  type SqlDialect,
} from '@gw/analytics';
import { GatewayError } from '@gw/kernel';
import { ClickHouseHttp } from './clickhouse-http';
import { factOf, factsTable, missingColumns, type FactRow } from './facts-table';
import type { AnalyticsStoreSettings } from './settings';

const DIALECT: SqlDialect = {
  text: (expression) => `toString(${expression})`,
  metadataText: (name) => `metadata[${name}]`,
  hasMetadata: (name) => `mapContains(metadata, ${name})`,
  anyOf: (column, _type, bound) => `has(${bound}, ${column})`,
  metadataMatches: (metadata, bind) =>
    Object.entries(metadata)
      .map(([name, value]) => {
        const key = bind(name, 'text');
        return `(mapContains(metadata, ${key}) AND metadata[${key}] = ${bind(value, 'text')})`;
      })
      .join(' AND '),
  bucketNumber: (size, offset) => `intDiv(first_ms + ${offset}, ${size})`,
  float: (expression) => `toFloat64(${expression})`,
  distinctUsers: `uniqExactIf(metadata['_user'], mapContains(metadata, '_user'))`,
  histogram: (keys) => `(SELECT ${[...keys, 'latency_bucket', 'latency_count'].join(', ')} FROM facts)`,
};

const SHARED = [
  ...['workspace_id', 'api_key_id', 'provider', 'credential', 'model', 'config_id', 'prompt_slug', 'route'],
  ...['mcp_server', 'mcp_method', 'mcp_capability'],
  ...['request_type', 'status', 'outcome', 'cache_status', 'retries', 'fell_back', 'cost', 'saved_cost'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'duration_us', 'latency_bucket'],
] as const;

function typeOf(value: unknown, type: BoundType): string {
  switch (type) {
    case 'texts':
    case 'uuids':
      return 'Array(String)';
    case 'numbers':
      return 'Array(Int32)';
    case 'floats':
      return 'Array(Float64)';
    case 'number':
      return Number.isSafeInteger(value) ? 'Int64' : 'Float64';
    case 'text':
    case 'uuid':
    case 'json':
      return 'String';
  }
}

/** Converts UUIDs to lower case, as stored. */
const normalised = (value: unknown, type: BoundType): unknown => {
  if (type === 'uuid') return String(value).toLowerCase();
  return type === 'uuids' ? (value as readonly string[]).map((id) => id.toLowerCase()) : value;
};

/** Stores one row for each request in ClickHouse, and answers analytics queries from these rows. */
export class ClickHouseAnalytics implements AnalyticsStore {
  private readonly client: ClickHouseHttp;
  private readonly table: string;

  /** Throws if the settings have no endpoint. */
  constructor(settings: AnalyticsStoreSettings) {
    const { ANALYTICS_STORE_ENDPOINT: endpoint } = settings;
    if (endpoint === null) {
      throw new GatewayError('internal_error', {
        message: 'ANALYTICS_STORE=clickhouse needs ANALYTICS_STORE_ENDPOINT.',
      });
    }
    this.table = settings.ANALYTICS_LOG_TABLE;
    this.client = new ClickHouseHttp(endpoint, settings);
  }

  /** Creates the table, and adds missing columns to a table of an earlier release. */
  async prepare(): Promise<void> {
    await this.client.command(factsTable(this.table));
    await this.client.command(missingColumns(this.table));
  }

  /**
   * Inserts requests; repeated requests replace themselves. Requests without an organisation are
   * skipped.
   */
  async add(rows: readonly FactRow[]): Promise<void> {
    const values = rows.filter(({ organisation_id: id }) => id !== null).map(factOf);
    if (values.length > 0) await this.client.insert(this.table, values);
  }

  async rows(query: AnalyticsQueryCase): Promise<AnalyticsRow[]> {
    return (await this.run(query, rowsStatement)).map((row) => analyticsRow(query, row));
  }

  async count(query: AnalyticsQueryCase): Promise<number> {
    const [found] = await this.run(query, countStatement);
    return Number(found?.['total'] ?? 0);
  }

  /** Whether ClickHouse responds. Rejects if it is unreachable. */
  responds(): Promise<boolean> {
    return this.client.responds();
  }

  private async run(
    query: AnalyticsQueryCase,
    statement: typeof rowsStatement,
  ): Promise<Record<string, unknown>[]> {
    const parameters: Record<string, unknown> = {};
    let count = 0;
    const bind: Bind = (value, type) => {
      const name = `p${String((count += 1))}`;
      parameters[name] = normalised(value, type);
      return `{${name}:${typeOf(value, type)}}`;
    };
    const sql = statement(query, this.factsOf(query, bind), DIALECT, bind);
    return this.client.query(sql, parameters, {
      prefer_column_name_to_alias: '1',
      max_result_rows: '100000',
    });
  }

  private factsOf(query: AnalyticsQueryCase, bind: Bind): string {
    const { scope, from, to } = query;
    const owner = [`organisation_id = ${bind(scope.organisationId, 'uuid')}`];
    if (scope.workspaceId !== null) owner.push(`workspace_id = ${bind(scope.workspaceId, 'uuid')}`);
    if (scope.userId !== null) owner.push(`user_id = ${bind(scope.userId, 'text')}`);
    const time = (ms: number): string => `fromUnixTimestamp64Milli(${bind(ms, 'number')}, 'UTC')`;
    const conditions = [
      ...owner,
      `created_at >= ${time(from)}`,
      `created_at <= ${time(to)}`,
      ...filterConditions(query, DIALECT, bind),
    ];
    const metadata = needsMetadata(query) ? ', metadata' : '';
    return `SELECT ${SHARED.join(', ')}${metadata}, 1 AS requests, 1 AS latency_count,
        toUnixTimestamp64Milli(created_at) AS first_ms, toUnixTimestamp64Milli(created_at) AS last_ms
      FROM ${this.table} FINAL WHERE ${conditions.join(' AND ')}`;
  }
}
